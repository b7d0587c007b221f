/**
 * Strokes become chains of bones [Thesis, 4.1].
 *
 * A stroke is sampled at almost regular intervals. Where its direction before a sample and after it
 * differ by more than 35 degrees, a bone ends and the next one begins, unless one of the two would
 * be very short. Directions are taken over a window on each side, so that the jitter of a finger
 * does not count as a turn; within a run of sharp samples the sharpest one is the corner.
 */
export interface Point2 {
  x: number;
  y: number;
}

export interface StrokeOptions {
  /** Largest turn within a bone, in degrees. */
  turn: number;
  /** Shortest bone, in the unit of the points. */
  shortest: number;
}

export const strokeDefaults: StrokeOptions = { turn: 35, shortest: 24 };

const distance = (a: Point2, b: Point2): number => Math.hypot(b.x - a.x, b.y - a.y);

export function strokeLength(points: readonly Point2[]): number {
  let sum = 0;
  for (let i = 1; i < points.length; i++) sum += distance(points[i - 1]!, points[i]!);
  return sum;
}

/** Points at equal distances along a stroke, its ends included; `step` is rounded so that it fits. */
export function resample(points: readonly Point2[], step: number): Point2[] {
  const clean = points.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  const total = strokeLength(clean);
  if (clean.length < 2 || total === 0) return clean.slice(0, 1);
  const count = Math.max(1, Math.round(total / step));
  const out: Point2[] = [{ ...clean[0]! }];
  let walked = 0;
  let k = 1;
  for (let i = 1; i < count; i++) {
    const want = (total * i) / count;
    while (k < clean.length - 1 && walked + distance(clean[k - 1]!, clean[k]!) < want) {
      walked += distance(clean[k - 1]!, clean[k]!);
      k++;
    }
    const a = clean[k - 1]!;
    const b = clean[k]!;
    const d = distance(a, b);
    const t = d > 0 ? Math.min(1, (want - walked) / d) : 0;
    out.push({ x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) });
  }
  out.push({ ...clean[clean.length - 1]! });
  return out;
}

/** Angle between two directions in degrees, 0 to 180. */
export function turnBetween(a: Point2, b: Point2, c: Point2): number {
  const ux = b.x - a.x;
  const uy = b.y - a.y;
  const vx = c.x - b.x;
  const vy = c.y - b.y;
  return Math.abs((Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy) * 180) / Math.PI);
}

/** The samples where the turn over a window is largest and above `least`, far enough apart. */
function corners(samples: readonly Point2[], window: number, least: number): number[] {
  const turns = samples.map((p, i) => {
    const before = samples[i - window];
    const after = samples[i + window];
    return before && after ? turnBetween(before, p, after) : 0;
  });
  const found: number[] = [];
  const order = turns.map((_, i) => i).sort((i, j) => turns[j]! - turns[i]!);
  for (const i of order) {
    if (turns[i]! <= least) break;
    if (found.every((j) => Math.abs(i - j) > window)) found.push(i);
  }
  return found.sort((i, j) => i - j);
}

/** Where lines along both sides of a sample cross: the corner that was meant, between two samples. */
function sharpen(samples: readonly Point2[], i: number, window: number): Point2 {
  const p = samples[i]!;
  const a0 = samples[Math.max(0, i - 2 * window)]!;
  const a1 = samples[Math.max(1, i - 1)]!;
  const b0 = samples[Math.min(samples.length - 1, i + 2 * window)]!;
  const b1 = samples[Math.min(samples.length - 2, i + 1)]!;
  const ux = a1.x - a0.x;
  const uy = a1.y - a0.y;
  const vx = b0.x - b1.x;
  const vy = b0.y - b1.y;
  const det = ux * vy - uy * vx;
  if (Math.abs(det) < 1e-9) return p;
  const t = ((b1.x - a0.x) * vy - (b1.y - a0.y) * vx) / det;
  const q = { x: a0.x + t * ux, y: a0.y + t * uy };
  return distance(p, q) <= window * distance(a1, p) + 1e-9 ? q : p;
}

/** Removes what would end a bone that is too short, or that turns too little in the end. */
function prune(chain: Point2[], options: StrokeOptions): Point2[] {
  const out = chain.slice();
  for (;;) {
    let worst = -1;
    let least = Infinity;
    for (let i = 1; i < out.length - 1; i++) {
      const turn = turnBetween(out[i - 1]!, out[i]!, out[i + 1]!);
      const short =
        distance(out[i - 1]!, out[i]!) < options.shortest ||
        distance(out[i]!, out[i + 1]!) < options.shortest;
      if ((short || turn <= options.turn) && turn < least) {
        least = turn;
        worst = i;
      }
    }
    if (worst < 0) return out;
    out.splice(worst, 1);
  }
}

/** A leg bends gently if it leaves its chord by this share of it: those bends add up to turns, too. */
const BEND = 0.06;

/** Samples between two others where a leg that bends gently is cut, as often as needed. */
function bends(samples: readonly Point2[], from: number, to: number, least: number): number[] {
  const a = samples[from]!;
  const b = samples[to]!;
  const chord = distance(a, b);
  let worst = -1;
  let most = Math.max(BEND * chord, least);
  for (let i = from + 1; i < to; i++) {
    const p = samples[i]!;
    const off =
      chord > 0
        ? Math.abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / chord
        : distance(a, p);
    if (off > most) {
      most = off;
      worst = i;
    }
  }
  if (worst < 0) return [];
  return [...bends(samples, from, worst, least), worst, ...bends(samples, worst, to, least)];
}

/**
 * The joints of the chain that a stroke stands for, from its first to its last point: two for a
 * straight stroke. Empty if the stroke is shorter than the shortest bone.
 */
export function bonesOf(points: readonly Point2[], options: StrokeOptions = strokeDefaults): Point2[] {
  const samples = resample(points, options.shortest / 4);
  const last = samples.length - 1;
  if (last < 1 || strokeLength(samples) < options.shortest) return [];
  // a window of half the shortest bone: sharp corners show whole
  const window = 2;
  const sharp = corners(samples, window, options.turn * 0.6);
  const chain: Point2[] = [samples[0]!];
  let from = 0;
  for (const i of [...sharp, last]) {
    // the samples next to a corner lie on either side of it, and are no bend
    const skip = Math.min(window, Math.floor((i - from) / 2));
    const inner = bends(samples, from + (from > 0 ? skip : 0), i - (i < last ? skip : 0), options.shortest / 3);
    for (const k of inner) chain.push(samples[k]!);
    chain.push(i === last ? samples[last]! : sharpen(samples, i, window));
    from = i;
  }
  const bones = prune(chain, options);
  return bones.length === 2 && distance(bones[0]!, bones[1]!) < options.shortest ? [] : bones;
}
