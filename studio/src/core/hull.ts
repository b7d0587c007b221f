/**
 * The convex hull of points, by quickhull [Barber, Dobkin, Huhdanpaa 1996] with exact signs: on which side of a face a
 * point is, is decided in doubles where their error allows it, and in whole numbers elsewhere. So the faces are convex
 * without any tolerance, however many points are in one plane or on one line.
 *
 * A face counts as visible also from a point in its plane, where it hangs together with one that is seen from above:
 * all triangles of a flat side are then made anew, and no triangle without area can arise.
 */
export interface Hull {
  /** Three coordinates each: of the points that are corners, in their order. */
  vertices: number[];
  /** Outward, counter-clockwise. */
  triangles: number[];
}

interface Face {
  corners: [number, number, number];
  /** Beyond the edge from corner i to the next. */
  next: [Face, Face, Face];
  /** Points above it, of which the last is the farthest. */
  above: number[];
  dead: boolean;
}

/** Faces that are made on the way, at most: points on a circle have all those of its disc made anew for each. */
const FACES_MAX = 4_000_000;
/** Bits of the whole numbers below the largest coordinate: what is smaller is no part of any body. */
const BITS = 90;

class Points {
  readonly count: number;
  private readonly at: Float64Array;
  private readonly unit: number;

  constructor(points: ArrayLike<number>) {
    this.count = Math.floor(points.length / 3);
    let most = 0;
    for (let i = 0; i < 3 * this.count; i++) most = Math.max(most, Math.abs(points[i]!));
    if (!(most > 1e-60 && most < 1e60)) throw new Error('the points have no size that is computed with');
    this.unit = 2 ** (Math.floor(Math.log2(most)) - BITS);
    this.at = Float64Array.from({ length: 3 * this.count }, (_, i) => Math.round(points[i]! / this.unit) * this.unit);
  }

  coordinate(i: number, k: number): number {
    return this.at[3 * i + k]!;
  }

  private exact(a: number, b: number, c: number, p: number): number {
    const v = (i: number, k: number): bigint => BigInt(this.at[3 * i + k]! / this.unit);
    const [ax, ay, az] = [v(a, 0), v(a, 1), v(a, 2)];
    const [ux, uy, uz, wx, wy, wz, px, py, pz] = [b, c, p].flatMap((i) => [v(i, 0) - ax, v(i, 1) - ay, v(i, 2) - az]) as bigint[];
    const det = (uy! * wz! - uz! * wy!) * px! + (uz! * wx! - ux! * wz!) * py! + (ux! * wy! - uy! * wx!) * pz!;
    return det > 0n ? 1 : det < 0n ? -1 : 0;
  }

  /** Six times the volume of a b c p, positive where p is above the face a b c; its sign is exact. */
  side(a: number, b: number, c: number, p: number): number {
    const x = this.at, i = 3 * a, j = 3 * b, k = 3 * c, l = 3 * p;
    const ux = x[j]! - x[i]!, uy = x[j + 1]! - x[i + 1]!, uz = x[j + 2]! - x[i + 2]!;
    const wx = x[k]! - x[i]!, wy = x[k + 1]! - x[i + 1]!, wz = x[k + 2]! - x[i + 2]!;
    const px = x[l]! - x[i]!, py = x[l + 1]! - x[i + 1]!, pz = x[l + 2]! - x[i + 2]!;
    const yz = uy * wz, zy = uz * wy, zx = uz * wx, xz = ux * wz, xy = ux * wy, yx = uy * wx;
    const det = (yz - zy) * px + (zx - xz) * py + (xy - yx) * pz;
    const sum = (Math.abs(yz) + Math.abs(zy)) * Math.abs(px) + (Math.abs(zx) + Math.abs(xz)) * Math.abs(py) + (Math.abs(xy) + Math.abs(yx)) * Math.abs(pz);
    // the error is below 7.8e-16 of the sum [Shewchuk 1997, orient3d]
    if (Math.abs(det) > 1e-15 * sum) return det;
    const sign = this.exact(a, b, c, p);
    return sign === 0 ? 0 : sign * Math.max(Math.abs(det), Number.MIN_VALUE);
  }
}

const flat = (): Error => new Error('the points are all in one plane, or too few: they enclose nothing');

/** Four points that are not in a plane, each far from those before it. */
function start(p: Points): [number, number, number, number] {
  const best = (value: (i: number) => number): number => {
    let at = 0, most = -1;
    for (let i = 0; i < p.count; i++) {
      const v = value(i);
      if (v > most) [at, most] = [i, v];
    }
    return at;
  };
  const from = (a: number, b: number): [number, number, number] => [0, 1, 2].map((k) => p.coordinate(b, k) - p.coordinate(a, k)) as [number, number, number];
  const a = best((i) => Math.hypot(...from(0, i)));
  const b = best((i) => Math.hypot(...from(a, i)));
  const [ux, uy, uz] = from(a, b);
  const c = best((i) => {
    const [x, y, z] = from(a, i);
    return Math.hypot(uy * z - uz * y, uz * x - ux * z, ux * y - uy * x);
  });
  let d = best((i) => Math.abs(p.side(a, b, c, i)));
  const side = p.side(a, b, c, d);
  if (side === 0) throw flat();
  if (side > 0) return [a, c, b, d];
  return [a, b, c, d];
}

/** All faces that hang together. */
function surface(from: Face): Set<Face> {
  const found = new Set([from]);
  for (const f of found) for (const g of f.next) found.add(g);
  return found;
}

export function convexHull(points: ArrayLike<number>): Hull {
  const p = new Points(points);
  if (p.count < 4) throw flat();
  const side = (f: Face, i: number): number => p.side(f.corners[0], f.corners[1], f.corners[2], i);
  const make = (a: number, b: number, c: number): Face => ({ corners: [a, b, c], next: [] as unknown as Face['next'], above: [], dead: false });
  /** Gives points to faces that they are above. */
  const share = (list: Iterable<number>, faces: readonly Face[]): void => {
    const heights = faces.map(() => -1);
    for (const i of list) {
      for (let f = 0; f < faces.length; f++) {
        const h = side(faces[f]!, i);
        if (!(h > 0)) continue;
        const { above } = faces[f]!;
        above.push(i);
        if (h > heights[f]!) heights[f] = h;
        else [above[above.length - 1], above[above.length - 2]] = [above[above.length - 2]!, i];
        break;
      }
    }
  };
  // d is below a b c
  const [a, b, c, d] = start(p);
  const first: Face[] = [make(a, b, c), make(b, a, d), make(c, b, d), make(a, c, d)];
  ([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] as const).forEach((next, i) => (first[i]!.next = next.map((k) => first[k]!) as Face['next']));
  share(Array.from({ length: p.count }, (_, i) => i), first);
  let last = first[0]!, count = 0;
  const queue: Face[] = [...first];
  for (let face = queue.pop(); face; face = queue.pop()) {
    const eye = face.dead ? undefined : face.above.pop();
    if (eye === undefined) continue;
    // what the point sees, and the edges around it
    face.dead = true;
    const seen = [face], edges: { from: number; to: number; beyond: Face; behind: Face }[] = [];
    for (let i = 0; i < seen.length; i++) {
      for (const g of seen[i]!.next) {
        if (g.dead || side(g, eye) < 0) continue;
        g.dead = true;
        seen.push(g);
      }
    }
    for (const f of seen) f.next.forEach((g, k) => { if (!g.dead) edges.push({ from: f.corners[k]!, to: f.corners[(k + 1) % 3]!, beyond: g, behind: f }); });
    const made = edges.map((e) => make(e.from, e.to, eye));
    const begins = new Map(made.map((f) => [f.corners[0], f]));
    const ends = new Map(made.map((f) => [f.corners[1], f]));
    if (begins.size !== edges.length || ends.size !== edges.length) throw flat(); // cannot be: the edges are one loop
    edges.forEach((e, i) => {
      const f = made[i]!;
      f.next = [e.beyond, begins.get(e.to)!, ends.get(e.from)!];
      e.beyond.next[e.beyond.next.indexOf(e.behind)] = f;
    });
    share((function* () { for (const f of seen) yield* f.above; })(), made);
    for (const f of seen) f.above = [];
    for (const f of made) if (f.above.length) queue.push(f);
    last = made[0]!;
    if ((count += made.length) > FACES_MAX) throw new Error('the points have too large a hull, or too many are in one plane');
  }
  const left = [...surface(last)];
  const used = [...new Set(left.flatMap((f) => f.corners))].sort((i, k) => i - k);
  const number = new Map(used.map((v, i) => [v, i]));
  return { vertices: used.flatMap((i) => [0, 1, 2].map((k) => points[3 * i + k]!)), triangles: left.flatMap((f) => f.corners.map((v) => number.get(v)!)) };
}
