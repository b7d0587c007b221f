/**
 * The document of the Multibody Sketcher: immutable JSON, and the edits of it as pure functions.
 *
 * A skeleton is a forest: nodes (joints, as spheres) and bones between them. The first bone is the
 * root. Each bone has a frame of its own (x along the bone), in which its bodies are placed; joints
 * turn about the axes of the frame of the bone that they move. Lengths are in metres, z is up, angles
 * in degrees. An edit that would make no sense returns the document itself, and says why.
 */
export type Vec3 = readonly [number, number, number];
export type Quat = readonly [number, number, number, number]; // w x y z
export type Range = readonly [number, number]; // degrees, lower <= 0 <= upper

/** Ranges about x (twist), y and z (bends) of the bones that hang on a node. */
export interface Joint {
  readonly x: Range;
  readonly y: Range;
  readonly z: Range;
}

export interface Node {
  readonly id: number;
  readonly at: Vec3;
  readonly joint: Joint;
}

export interface Body {
  readonly id: number;
  readonly at: Vec3;
  readonly turn: Quat;
  readonly size: Vec3;
  readonly e: readonly [number, number];
  readonly taper: readonly [number, number];
}

/** Mass of a link as a file had it, in the bone's frame from the bone's beginning: centre, and inertia about it. */
export interface Inertial {
  readonly mass: number;
  readonly at: Vec3;
  /** xx xy xz yy yz zz */
  readonly inertia: readonly number[];
}

/** What a file called a joint and allowed it, and the link behind it where another axis follows. */
export interface KeptJoint {
  readonly name: string;
  readonly velocity?: number;
  readonly effort?: number;
  readonly link?: string;
  readonly inertial?: Inertial;
}
export type Moved = 'x' | 'y' | 'z' | 'fixed';

export interface Bone {
  readonly id: number;
  readonly name: string;
  readonly a: number;
  readonly b: number;
  readonly frame: Quat;
  readonly bodies: readonly Body[];
  /** Of a file, until bodies or length are changed; else the mass is that of the bodies. */
  readonly inertial?: Inertial;
  /** Of a file: the joints that move it, by their axes. */
  readonly joints?: { readonly [axis in Moved]?: KeptJoint };
}

/** Angles of bones relative to rest, by the id of the bone: x, y, z in degrees. */
export type Pose = { readonly [bone: string]: Vec3 };

export interface KeyFrame {
  readonly time: number;
  readonly pose: Pose;
}

export interface Sketch {
  readonly format: 'ovoid-sketch';
  readonly version: 1;
  readonly name: string;
  readonly next: number;
  readonly nodes: readonly Node[];
  readonly bones: readonly Bone[];
  readonly keys: readonly KeyFrame[];
  /** How it stands in the modes that pose it. */
  readonly pose: Pose;
}

export const NODES_MAX = 2000;
export const BODIES_MAX = 4000;
export const KEYS_MAX = 1000;

export const presets: { readonly [name: string]: Joint } = {
  ball: { x: [-60, 60], y: [-90, 90], z: [-90, 90] },
  hinge: { x: [0, 0], y: [-90, 90], z: [0, 0] },
  pivot: { x: [-90, 90], y: [0, 0], z: [0, 0] },
  elbow: { x: [-80, 80], y: [0, 145], z: [0, 0] },
  fixed: { x: [0, 0], y: [0, 0], z: [0, 0] },
};

export const empty: Sketch = {
  format: 'ovoid-sketch', version: 1, name: 'sketch', next: 1, nodes: [], bones: [], keys: [], pose: {},
};

/* ---- vectors ------------------------------------------------------------------------------- */

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
export const norm = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);

export function multiply(p: Quat, q: Quat): Quat {
  const [a, b, c, d] = p;
  const [e, f, g, h] = q;
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}
export const conjugate = (q: Quat): Quat => [q[0], -q[1], -q[2], -q[3]];
export function rotate(q: Quat, v: Vec3): Vec3 {
  const u: Vec3 = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}
export function unit(q: Quat): Quat {
  const n = Math.hypot(...q);
  return n > 0 ? [q[0] / n, q[1] / n, q[2] / n, q[3] / n] : [1, 0, 0, 0];
}
export function about(axis: Vec3, radians: number): Quat {
  const n = norm(axis);
  if (n === 0) return [1, 0, 0, 0];
  const s = Math.sin(radians / 2) / n;
  return [Math.cos(radians / 2), axis[0] * s, axis[1] * s, axis[2] * s];
}
/** The least rotation from one direction to another. */
export function between(from: Vec3, to: Vec3): Quat {
  const c = cross(from, to);
  const w = norm(from) * norm(to) + dot(from, to);
  if (w < 1e-12 * norm(from) * norm(to)) {
    return about(Math.abs(from[0]) < Math.abs(from[2]) ? cross(from, [1, 0, 0]) : cross(from, [0, 0, 1]), Math.PI);
  }
  return unit([w, c[0], c[1], c[2]]);
}
/** The rotation whose columns are the given orthonormal axes. */
export function fromAxes(x: Vec3, y: Vec3, z: Vec3): Quat {
  const t = x[0] + y[1] + z[2];
  if (t > 0) return unit([1 + t, y[2] - z[1], z[0] - x[2], x[1] - y[0]]);
  if (x[0] >= y[1] && x[0] >= z[2]) return unit([y[2] - z[1], 1 + x[0] - y[1] - z[2], x[1] + y[0], x[2] + z[0]]);
  if (y[1] >= z[2]) return unit([z[0] - x[2], x[1] + y[0], 1 + y[1] - x[0] - z[2], y[2] + z[1]]);
  return unit([x[1] - y[0], z[0] + x[2], y[2] + z[1], 1 + z[2] - x[0] - y[1]]);
}
/** The frame of a new bone: x along it, y as near to the depth of the front view as can be. */
export function boneFrame(along: Vec3): Quat {
  const x = scale(along, 1 / norm(along));
  const reference: Vec3 = Math.abs(x[1]) < 0.9 ? [0, 1, 0] : [0, 0, 1];
  const z0 = cross(x, reference);
  const z = scale(z0, 1 / norm(z0));
  return fromAxes(x, cross(z, x), z);
}

/** A tensor in turned axes: R T R'. */
export function turnTensor(q: Quat, t: readonly number[]): number[] {
  const [xx, xy, xz, yy, yz, zz] = t as [number, number, number, number, number, number];
  const rows = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const).map((e) => rotate(conjugate(q), e));
  const times = (v: Vec3): Vec3 => [xx * v[0] + xy * v[1] + xz * v[2], xy * v[0] + yy * v[1] + yz * v[2], xz * v[0] + yz * v[1] + zz * v[2]];
  return [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]].map(([i, k]) => dot(rows[i!]!, times(rows[k!]!)));
}

/** A mass seen from a frame that it was not given in. */
export const placeInertial = (m: Inertial, at: Vec3, turn: Quat): Inertial => ({ mass: m.mass, at: add(at, rotate(turn, m.at)), inertia: turnTensor(turn, m.inertia) });

/** Could a body have it? Some files have zeros, or worse. */
export function isInertial(m: Inertial): boolean {
  const [xx, xy, xz, yy, yz, zz] = m.inertia as [number, number, number, number, number, number];
  const two = xx * yy - xy * xy, three = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return m.mass > 0 && m.mass < 1e9 && m.inertia.length === 6 && [...m.inertia, ...m.at].every((v) => Math.abs(v) < 1e9) && xx > 0 && two > 0 && three > 0;
}

/* ---- looking things up --------------------------------------------------------------------- */

export const nodeOf = (s: Sketch, id: number): Node => s.nodes.find((n) => n.id === id)!;
export const boneOf = (s: Sketch, id: number): Bone => s.bones.find((b) => b.id === id)!;
export const boneVector = (s: Sketch, b: Bone): Vec3 => sub(nodeOf(s, b.b).at, nodeOf(s, b.a).at);

/** A body and its bone. */
export function bodyOf(s: Sketch, id: number): { bone: Bone; body: Body } | null {
  for (const bone of s.bones) {
    const body = bone.bodies.find((b) => b.id === id);
    if (body) return { bone, body };
  }
  return null;
}

/** The nodes that bones connect with one. */
export function component(s: Sketch, node: number): Set<number> {
  const seen = new Set([node]);
  const queue = [node];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const b of s.bones) {
      const other = b.a === id ? b.b : b.b === id ? b.a : -1;
      if (other >= 0 && !seen.has(other)) {
        seen.add(other);
        queue.push(other);
      }
    }
  }
  return seen;
}

/** The node within a distance that is nearest; null where there is none. */
export function nearestNode(s: Sketch, at: Vec3, reach: number, metric = (v: Vec3): number => norm(v)): Node | null {
  let best: Node | null = null;
  let least = reach;
  for (const n of s.nodes) {
    const d = metric(sub(n.at, at));
    if (d <= least) {
      least = d;
      best = n;
    }
  }
  return best;
}

/* ---- edits: skeleton ----------------------------------------------------------------------- */

export interface Edit {
  readonly sketch: Sketch;
  /** Why nothing, or less than asked for, was done; a key of the room's texts. */
  readonly note?: 'loop' | 'full' | 'short' | 'gone';
  /** What was made, by id. */
  readonly made?: readonly number[];
}

const withBones = (s: Sketch, f: (b: Bone) => Bone): Sketch => ({ ...s, bones: s.bones.map(f) });

function makeBone(id: number, a: Node, b: Node): Bone {
  return { id, name: `bone_${id}`, a: a.id, b: b.id, frame: boneFrame(sub(b.at, a.at)), bodies: [] };
}

/** The point of a bone nearest to a point; null beyond `reach`. */
export function nearestBone(s: Sketch, at: Vec3, reach: number, metric = (v: Vec3): number => norm(v), flat = (v: Vec3): Vec3 => v): { bone: Bone; share: number } | null {
  let best: { bone: Bone; share: number } | null = null;
  let least = reach;
  for (const bone of s.bones) {
    const a = nodeOf(s, bone.a).at;
    const ab = flat(boneVector(s, bone));
    const square = dot(ab, ab);
    const share = square > 0 ? Math.min(1, Math.max(0, dot(flat(sub(at, a)), ab) / square)) : 0.5;
    const d = metric(sub(add(a, scale(boneVector(s, bone), share)), at));
    if (d < least) {
      least = d;
      best = { bone, share };
    }
  }
  return best;
}

/**
 * Adds a chain of bones through points. The first and the last point snap to a node, given by id, and
 * weld the chain to what is there; a weld that would close a loop is left out.
 */
export function addChain(s: Sketch, points: readonly Vec3[], from: number | null = null, to: number | null = null): Edit {
  if (points.length < 2) return { sketch: s, note: 'short' };
  if (s.nodes.length + points.length > NODES_MAX) return { sketch: s, note: 'full' };
  let next = s.next;
  const nodes: Node[] = [];
  const bones: Bone[] = [];
  const start = from !== null ? nodeOf(s, from) : null;
  const loop = to !== null && (to === from || (from !== null && component(s, from).has(to)));
  const end = to !== null && !loop ? nodeOf(s, to) : null;
  let previous: Node | null = null;
  points.forEach((at, i) => {
    let node = i === 0 ? start : i === points.length - 1 ? end : null;
    if (!node) {
      node = { id: next++, at, joint: presets.ball! };
      nodes.push(node);
    }
    if (previous && norm(sub(node.at, previous.at)) > 1e-6) bones.push(makeBone(next++, previous, node));
    previous = node;
  });
  if (bones.length !== points.length - 1) return { sketch: s, note: 'short' };
  const sketch = { ...s, next, nodes: [...s.nodes, ...nodes], bones: [...s.bones, ...bones] };
  return { sketch, made: bones.map((b) => b.id), ...(loop ? { note: 'loop' as const } : {}) };
}

/** Splits a bone at a share of its length; bodies stay with the half that they are nearer to. */
export function splitBone(s: Sketch, id: number, share: number): Edit {
  const bone = s.bones.find((b) => b.id === id);
  if (!bone) return { sketch: s, note: 'gone' };
  if (!(share > 0.02 && share < 0.98)) return { sketch: s, note: 'short' };
  if (s.nodes.length >= NODES_MAX) return { sketch: s, note: 'full' };
  const v = boneVector(s, bone);
  const middle: Node = { id: s.next, at: add(nodeOf(s, bone.a).at, scale(v, share)), joint: presets.hinge! };
  const offset = rotate(conjugate(bone.frame), scale(v, share));
  const along = dot(offset, offset);
  const second = (b: Body): boolean => dot(b.at, offset) > along;
  const first: Bone = { ...bone, b: middle.id, bodies: bone.bodies.filter((b) => !second(b)) };
  const { inertial: _inertial, joints: _joints, ...plain } = bone;
  const rest: Bone = {
    ...plain, id: s.next + 1, name: `bone_${s.next + 1}`, a: middle.id,
    bodies: bone.bodies.filter(second).map((b) => ({ ...b, at: sub(b.at, offset) })),
  };
  const bones = s.bones.flatMap((b) => (b.id === id ? [first, rest] : [b]));
  const keys = s.keys;
  return { sketch: { ...s, next: s.next + 2, nodes: [...s.nodes, middle], bones, keys }, made: [middle.id, rest.id] };
}

/** A bone whose ends have moved: its frame turns with it, its bodies keep their share of the length. */
function follow(before: Sketch, after: Sketch, bone: Bone): Bone {
  const v = boneVector(before, bone);
  const w = boneVector(after, bone);
  if (norm(sub(v, w)) === 0) return bone;
  const ratio = norm(w) / norm(v);
  const axis = rotate(conjugate(bone.frame), scale(v, 1 / norm(v)));
  const bodies = bone.bodies.map((b) => ({ ...b, at: add(b.at, scale(axis, dot(b.at, axis) * (ratio - 1))) }));
  return { ...bone, frame: unit(multiply(between(v, w), bone.frame)), bodies };
}

export function moveNode(s: Sketch, id: number, at: Vec3): Edit {
  if (!s.nodes.some((n) => n.id === id)) return { sketch: s, note: 'gone' };
  const moved = { ...s, nodes: s.nodes.map((n) => (n.id === id ? { ...n, at } : n)) };
  for (const b of s.bones) {
    if ((b.a === id || b.b === id) && norm(boneVector(moved, b)) < 1e-3) return { sketch: s, note: 'short' };
  }
  return { sketch: withBones(moved, (b) => follow(s, moved, b)) };
}

/** Welds a node to another one, which stays. */
export function weldNodes(s: Sketch, id: number, onto: number): Edit {
  if (id === onto || component(s, id).has(onto)) return { sketch: s, note: 'loop' };
  const moved = moveNode(s, id, nodeOf(s, onto).at);
  if (moved.note) return moved;
  const t = moved.sketch;
  const rename = (n: number): number => (n === id ? onto : n);
  return {
    sketch: {
      ...t, nodes: t.nodes.filter((n) => n.id !== id),
      bones: t.bones.map((b) => ({ ...b, a: rename(b.a), b: rename(b.b) })),
    },
  };
}

const withoutLoneNodes = (s: Sketch): Sketch => ({
  ...s, nodes: s.nodes.filter((n) => s.bones.some((b) => b.a === n.id || b.b === n.id)),
});

export function removeBone(s: Sketch, id: number): Edit {
  const keys = s.keys.map((k) => {
    const pose = { ...k.pose };
    delete (pose as { [bone: string]: Vec3 })[id];
    return { ...k, pose };
  });
  return { sketch: withoutLoneNodes({ ...s, bones: s.bones.filter((b) => b.id !== id), keys }) };
}

export function renameBone(s: Sketch, id: number, name: string): Edit {
  const clean = cleanName(name, s.bones.filter((b) => b.id !== id).map((b) => b.name));
  return { sketch: withBones(s, (b) => (b.id === id ? { ...b, name: clean } : b)) };
}

/** A name as files take it: printable, not empty, not too long, used once. */
export function cleanName(name: string, taken: readonly string[] = []): string {
  // eslint-disable-next-line no-control-regex
  const base = name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff\ud800-\udfff]/g, ' ').trim().slice(0, 60) || 'unnamed';
  const used = new Set(taken);
  let out = base;
  for (let i = 2; used.has(out); i++) out = `${base}_${i}`;
  return out;
}

/**
 * A sketch after an edit, without the masses of files of those bones whose bodies or length it changed, and their
 * names.
 */
export function dropMasses(before: Sketch, after: Sketch): { sketch: Sketch; names: string[] } {
  const old = new Map(before.bones.map((b) => [b.id, b]));
  const names: string[] = [];
  const bones = after.bones.map((b) => {
    const was = old.get(b.id);
    if (!b.inertial || b === was) return b;
    const same = was?.inertial && (was.bodies === b.bodies || JSON.stringify(was.bodies) === JSON.stringify(b.bodies)) &&
      Math.abs(norm(boneVector(before, was)) - norm(boneVector(after, b))) < 1e-9;
    if (same || !was) return b; // all of a file that was opened is new
    names.push(b.name);
    const { inertial: _inertial, ...rest } = b;
    return rest;
  });
  return names.length ? { sketch: { ...after, bones }, names } : { sketch: after, names };
}

/* ---- edits: joints ------------------------------------------------------------------------- */

export function clampRange(range: Range): Range {
  const n = (v: number): number => (Number.isFinite(v) ? v : 0);
  return [Math.max(-180, Math.min(0, n(range[0]))), Math.min(180, Math.max(0, n(range[1])))];
}

export function setJoint(s: Sketch, node: number, joint: Joint): Edit {
  const clean: Joint = { x: clampRange(joint.x), y: clampRange(joint.y), z: clampRange(joint.z) };
  const changed = { ...s, nodes: s.nodes.map((n) => (n.id === node ? { ...n, joint: clean } : n)) };
  return { sketch: { ...changed, keys: changed.keys.map((k) => ({ ...k, pose: clampPose(changed, k.pose) })) } };
}

/* ---- edits: bodies ------------------------------------------------------------------------- */

const clamp = (v: number, lo: number, hi: number): number => (Number.isFinite(v) ? Math.min(hi, Math.max(lo, v)) : lo);

/** A body within what the library takes. */
export function cleanBody(b: Body): Body {
  return {
    id: b.id,
    at: [clamp(b.at[0], -1e3, 1e3), clamp(b.at[1], -1e3, 1e3), clamp(b.at[2], -1e3, 1e3)],
    turn: unit(b.turn),
    size: [clamp(b.size[0], 1e-3, 100), clamp(b.size[1], 1e-3, 100), clamp(b.size[2], 1e-3, 100)],
    e: [clamp(b.e[0], 0.05, 2), clamp(b.e[1], 0.05, 2)],
    taper: [clamp(b.taper[0], -0.9, 0.9), clamp(b.taper[1], -0.9, 0.9)],
  };
}

const bodyCount = (s: Sketch): number => s.bones.reduce((n, b) => n + b.bodies.length, 0);

export function addBody(s: Sketch, bone: number, body: Omit<Body, 'id'>): Edit {
  if (bodyCount(s) >= BODIES_MAX) return { sketch: s, note: 'full' };
  const made = cleanBody({ ...body, id: s.next });
  const sketch = withBones({ ...s, next: s.next + 1 }, (b) => (b.id === bone ? { ...b, bodies: [...b.bodies, made] } : b));
  return { sketch, made: [made.id] };
}

export function changeBody(s: Sketch, id: number, change: (b: Body) => Body): Edit {
  return { sketch: withBones(s, (bone) => bone.bodies.some((b) => b.id === id)
    ? { ...bone, bodies: bone.bodies.map((b) => (b.id === id ? cleanBody({ ...change(b), id }) : b)) } : bone) };
}

export function removeBody(s: Sketch, id: number): Edit {
  return { sketch: withBones(s, (bone) => bone.bodies.some((b) => b.id === id)
    ? { ...bone, bodies: bone.bodies.filter((b) => b.id !== id) } : bone) };
}

/** Moves one face of a body, along its own axis: the face on the other side stays. */
export function dragFace(b: Body, axis: 0 | 1 | 2, side: 1 | -1, by: number): Body {
  const grow = Math.max(by / 2, 1e-3 - b.size[axis]);
  const size = b.size.map((v, i) => (i === axis ? v + grow : v)) as unknown as Vec3;
  const shift = [0, 0, 0].map((v, i) => (i === axis ? side * grow : v)) as unknown as Vec3;
  return { ...b, size, at: add(b.at, rotate(b.turn, shift)) };
}

/** A body of the same size on the other side of a plane of its bone's frame, across an axis. */
export function mirrorBody(s: Sketch, id: number, axis: 0 | 1 | 2): Edit {
  const found = bodyOf(s, id);
  if (!found) return { sketch: s, note: 'gone' };
  const { bone, body } = found;
  const flip = (v: Vec3): Vec3 => v.map((x, i) => (i === axis ? -x : x)) as unknown as Vec3;
  const q = body.turn;
  // a mirror image of a body that is symmetric in its own planes is a rotated body
  const turn: Quat = [q[0], ...(q.slice(1).map((x, i) => (i === axis ? x : -x)) as [number, number, number])];
  return addBody(s, bone.id, { ...body, at: flip(body.at), turn });
}

/** Mirrors everything across the plane x = 0: bones whose mirror image is missing are added. */
export function mirrorSketch(s: Sketch): Edit {
  const flip = (v: Vec3): Vec3 => [-v[0], v[1], v[2]];
  const images = new Map<number, number>();
  let t = s;
  for (const n of s.nodes) {
    const twin = nearestNode(t, flip(n.at), 0.02);
    if (twin) images.set(n.id, twin.id);
    else {
      images.set(n.id, t.next);
      t = { ...t, next: t.next + 1, nodes: [...t.nodes, { id: t.next, at: flip(n.at), joint: mirrorJoint(n.joint) }] };
    }
  }
  for (const b of s.bones) {
    const a = images.get(b.a)!, c = images.get(b.b)!;
    if (t.bones.some((o) => (o.a === a && o.b === c) || (o.a === c && o.b === a))) continue;
    const frame: Quat = [b.frame[0], b.frame[1], -b.frame[2], -b.frame[3]];
    // the frame of the image: mirrored, with its own x turned back so that it stays right-handed
    const turned = multiply(frame, [0, 0, 1, 0]);
    const bodies = b.bodies.map((o, i) => {
      const image: Quat = [o.turn[0], o.turn[1], -o.turn[2], -o.turn[3]];
      return { ...o, id: t.next + 1 + i, at: rotate([0, 0, -1, 0], flip(o.at)), turn: multiply([0, 0, -1, 0], image) };
    });
    const { inertial: _inertial, joints: _joints, ...plain } = b;
    const bone: Bone = { ...plain, id: t.next, name: cleanName(`${b.name}_mirror`, t.bones.map((o) => o.name)), a, b: c, frame: turned, bodies };
    t = { ...t, next: t.next + 1 + bodies.length, bones: [...t.bones, bone] };
  }
  if (t.nodes.length > NODES_MAX || bodyCount(t) > BODIES_MAX) return { sketch: s, note: 'full' };
  return { sketch: withoutLoneNodes(t) };
}

const negate = (r: Range): Range => [-r[1] || 0, -r[0] || 0];
/** A turn about an axis is reversed by a mirror; the frame of the image has its z axis reversed, too. */
const mirrorJoint = (j: Joint): Joint => ({ x: negate(j.x), y: negate(j.y), z: j.z });

/* ---- edits: key frames --------------------------------------------------------------------- */

/** A pose within the ranges of the joints. */
export function clampPose(s: Sketch, pose: Pose): Pose {
  const out: { [bone: string]: Vec3 } = {};
  const tree = treeOf(s);
  for (const link of tree) {
    const angles = pose[link.bone.id];
    if (!angles || link.parent < 0) continue;
    const j = nodeOf(s, link.node).joint;
    out[link.bone.id] = [clamp(angles[0], ...j.x), clamp(angles[1], ...j.y), clamp(angles[2], ...j.z)];
  }
  return out;
}

export function setKey(s: Sketch, time: number, pose: Pose): Edit {
  if (s.keys.length >= KEYS_MAX) return { sketch: s, note: 'full' };
  const at = Math.round(clamp(time, 0, 1e4) * 1000) / 1000;
  const keys = [...s.keys.filter((k) => k.time !== at), { time: at, pose: clampPose(s, pose) }];
  return { sketch: { ...s, keys: keys.sort((a, b) => a.time - b.time) } };
}

export const removeKey = (s: Sketch, index: number): Edit => ({ sketch: { ...s, keys: s.keys.filter((_, i) => i !== index) } });

/* ---- the tree ------------------------------------------------------------------------------ */

/** A bone in the order of the tree: the index of its parent (-1: a root), and the node between. */
export interface Link {
  readonly bone: Bone;
  readonly parent: number;
  readonly node: number;
}

/** All bones, parents before children, the first bone first. */
export function treeOf(s: Sketch): Link[] {
  const links: Link[] = [];
  const done = new Set<number>();
  for (const root of s.bones) {
    if (done.has(root.id)) continue;
    done.add(root.id);
    links.push({ bone: root, parent: -1, node: root.a });
    for (let i = links.length - 1; i < links.length; i++) {
      const { bone } = links[i]!;
      for (const node of [bone.b, bone.a]) {
        for (const child of s.bones) {
          if (!done.has(child.id) && (child.a === node || child.b === node)) {
            done.add(child.id);
            links.push({ bone: child, parent: i, node });
          }
        }
      }
    }
  }
  return links;
}
