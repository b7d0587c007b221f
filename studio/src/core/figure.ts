/**
 * The mannequin: a figure of superovoids, 1.8 m tall, its poses, and where each of its parts is. z is
 * up, the figure looks along -y, and its joints turn as a sketch of a person does.
 */
import type { Vec3 } from './play';

export type Quat = [number, number, number, number]; // w first
export type Angles = Vec3[]; // degrees about x, y, z, of each part's joint

interface Part {
  name: string;
  parent: number;
  /** In the parent's frame, and the part's middle in its own. */
  joint: Vec3;
  middle: Vec3;
  size: Vec3;
  exponents: [number, number];
  taper: [number, number];
}

const limb = (name: string, parent: number, joint: Vec3, middle: Vec3, size: Vec3, taper: [number, number] = [0, 0]): Part =>
  ({ name, parent, joint, middle, size, exponents: [0.9, 0.9], taper });

/** Arm and leg of a side: 1 is +x. */
function side(s: 1 | -1, first: number): Part[] {
  const name = s > 0 ? 'left' : 'right';
  return [
    limb(`${name} upper arm`, 2, [0.185 * s, 0, 0.22], [0, 0, -0.14], [0.048, 0.05, 0.165], [0.15, 0.15]),
    limb(`${name} forearm`, first, [0, 0, -0.28], [0, 0, -0.125], [0.038, 0.04, 0.15], [0.2, 0.2]),
    limb(`${name} hand`, first + 1, [0, 0, -0.25], [0, 0, -0.075], [0.024, 0.04, 0.085]),
    limb(`${name} thigh`, 0, [0.09 * s, 0, -0.05], [0, 0, -0.2], [0.078, 0.085, 0.24], [0.2, 0.2]),
    limb(`${name} shin`, first + 3, [0, 0, -0.42], [0, 0, -0.19], [0.05, 0.055, 0.22], [0.2, 0.2]),
    limb(`${name} foot`, first + 4, [0, 0, -0.4], [0, -0.06, -0.03], [0.045, 0.12, 0.045]),
  ];
}

export const PARTS: readonly Part[] = [
  { name: 'hips', parent: -1, joint: [0, 0, 0], middle: [0, 0, 0], size: [0.165, 0.115, 0.13], exponents: [0.8, 0.9], taper: [0, 0] },
  { name: 'waist', parent: 0, joint: [0, 0, 0.08], middle: [0, 0, 0.1], size: [0.135, 0.1, 0.14], exponents: [0.85, 0.9], taper: [0, 0] },
  { name: 'chest', parent: 1, joint: [0, 0, 0.17], middle: [0, 0, 0.13], size: [0.16, 0.112, 0.17], exponents: [0.8, 0.85], taper: [0.15, 0.05] },
  { name: 'neck', parent: 2, joint: [0, 0, 0.28], middle: [0, 0, 0.05], size: [0.052, 0.055, 0.09], exponents: [1, 0.9], taper: [0, 0] },
  { name: 'head', parent: 3, joint: [0, 0, 0.1], middle: [0, -0.01, 0.11], size: [0.076, 0.094, 0.125], exponents: [1, 1], taper: [0.15, 0.1] },
  ...side(1, 5), ...side(-1, 11),
];
const LEFT = 5, RIGHT = 11, FEET = [LEFT + 5, RIGHT + 5];
export const CHEST = 2;

export const POSES = ['stand', 'cross', 'walk', 'reach', 'bow'] as const;
export type Pose = (typeof POSES)[number];

/** Angles of both arms: lifted sideways, swung to the back, elbow; of legs: swung, knee. */
function arms(a: Angles, lift: number, swing: readonly [number, number], elbow: number): void {
  for (const [k, first, s] of [[0, LEFT, 1], [1, RIGHT, -1]] as const) {
    a[first] = [swing[k], -lift * s, 0];
    a[first + 1] = [-elbow, 0, 0];
  }
}
function legs(a: Angles, swing: readonly [number, number], knee: readonly [number, number]): void {
  for (const [k, first] of [[0, LEFT], [1, RIGHT]] as const) {
    a[first + 3] = [swing[k], 0, 0];
    a[first + 4] = [knee[k], 0, 0];
    a[first + 5] = [-swing[k] - knee[k], 0, 0];
  }
}

export function anglesOf(pose: Pose): Angles {
  const a: Angles = PARTS.map(() => [0, 0, 0]);
  arms(a, 26, [0, 0], 6);
  if (pose === 'cross') arms(a, 85, [0, 0], 0);
  if (pose === 'reach') arms(a, 150, [0, 0], 10);
  if (pose === 'walk') {
    arms(a, 24, [28, -28], 18);
    legs(a, [-24, 20], [4, 16]);
  }
  if (pose === 'bow') {
    a[1] = a[2] = [24, 0, 0];
    arms(a, 40, [-20, -20], 10);
  }
  return a;
}

const times = (a: Quat, b: Quat): Quat => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];
const about = (axis: 1 | 2 | 3, degrees: number): Quat => {
  const q: Quat = [Math.cos((degrees * Math.PI) / 360), 0, 0, 0];
  q[axis] = Math.sin((degrees * Math.PI) / 360);
  return q;
};
export function rotate(q: Quat, v: Vec3): Vec3 {
  const [, x, y, z] = times(times(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]);
  return [x, y, z];
}
const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

export interface Placed { position: Vec3; rotation: Quat }

/** How far an ellipsoid of the part's size reaches below its middle. */
function below(part: Part, q: Quat): number {
  const up = rotate([q[0], -q[1], -q[2], -q[3]], [0, 0, 1]);
  return Math.hypot(...part.size.map((a, i) => a * up[i]!));
}

/** All parts; the lower foot stands on the ground. */
export function place(angles: Angles): Placed[] {
  const joints: Vec3[] = [], turns: Quat[] = [];
  const placed = PARTS.map((part, i): Placed => {
    const [x, y, z] = angles[i]!, parent = part.parent;
    const own = times(times(about(2, y), about(1, x)), about(3, z));
    turns.push(parent < 0 ? own : times(turns[parent]!, own));
    joints.push(parent < 0 ? part.joint : add(joints[parent]!, rotate(turns[parent]!, part.joint)));
    return { position: add(joints[i]!, rotate(turns[i]!, part.middle)), rotation: turns[i]! };
  });
  const least = Math.min(...FEET.map((i) => placed[i]!.position[2] - below(PARTS[i]!, placed[i]!.rotation)));
  return placed.map((p) => ({ ...p, position: add(p.position, [0, 0, -least]) }));
}

/** A pin holds a vertex to a point of a part, wherever that goes. */
export interface PartPin { vertex: number; part: number; at: Vec3 }

/** The part that a point is nearest to, and the point in its frame. */
export function attach(parts: readonly Placed[], vertex: number, point: Vec3): PartPin {
  let best: PartPin = { vertex, part: 0, at: [0, 0, 0] }, least = Infinity;
  parts.forEach(({ position: p, rotation: q }, part) => {
    const at = rotate([q[0], -q[1], -q[2], -q[3]], [point[0] - p[0], point[1] - p[1], point[2] - p[2]]);
    const off = Math.hypot(...at.map((x, i) => x / PARTS[part]!.size[i]!));
    if (off < least) [best, least] = [{ vertex, part, at: at.map((x) => Math.round(x * 1e6) / 1e6) as Vec3 }, off];
  });
  return best;
}
export const pinnedAt = (parts: readonly Placed[], pin: PartPin): Vec3 => add(parts[pin.part]!.position, rotate(parts[pin.part]!.rotation, pin.at));
