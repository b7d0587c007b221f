/**
 * A sketch as the flat description of studio/wasm/model.c: what becomes a link, a joint, a part.
 *
 * The link of a root bone has the frame of the world, so that exported models stand upright; every
 * other link has its bone's frame, at the node where the bone hangs on its parent. A node with two or
 * three free axes becomes a chain of revolute joints about z, y and x with small links in between,
 * since no robot format has ranges for a ball joint. For a puppet, nodes with three free axes become ball
 * joints with a range of twist and a cone of swing instead: a third of the bodies to simulate. Bones that
 * share a node may overlap.
 */
import {
  conjugate, multiply, nodeOf, norm, placeInertial, rotate, sub, treeOf, boneVector,
  type Body, type Bone, type Inertial, type Joint, type Link, type Pose, type Quat, type Sketch, type Vec3,
} from './document';

export interface Frame {
  at: Vec3;
  turn: Quat;
}

export const compose = (a: Frame, b: Frame): Frame => {
  const r = rotate(a.turn, b.at);
  return { at: [a.at[0] + r[0], a.at[1] + r[1], a.at[2] + r[2]], turn: multiply(a.turn, b.turn) };
};
export const inverse = (a: Frame): Frame => {
  const turn = conjugate(a.turn);
  return { turn, at: rotate(turn, [-a.at[0], -a.at[1], -a.at[2]]) };
};

export interface Coordinate {
  bone: number;
  axis: 'x' | 'y' | 'z';
  joint: number;
}

export interface Description {
  numbers: Float64Array;
  names: string[];
  /** Of each bone, in the order of the tree: its id, its link, and the bone's frame in that link. */
  bones: { id: number; link: number; inLink: Frame }[];
  /** The bone of each link, by id; small links between joints have that of the bone they carry. */
  owners: number[];
  /** Ids of the bodies in the order of each link's parts. */
  parts: { [link: number]: number[] };
  coordinates: Coordinate[];
}

const KIND = { fixed: 0, revolute: 1, continuous: 2, spherical: 5, floating: 6 };
const AXES = ['z', 'y', 'x'] as const;
const UNIT = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] } as const;
const RAD = Math.PI / 180;
/** What a joint may do where nothing is known of it. */
const VELOCITY = 10, EFFORT = 100;
const NO_MASS = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

export const boneFrameOf = (s: Sketch, b: Bone): Frame => ({ at: nodeOf(s, b.a).at, turn: b.frame });

const linkFrame = (s: Sketch, l: Link): Frame =>
  l.parent < 0 ? { at: [0, 0, 0], turn: [1, 0, 0, 0] } : { at: nodeOf(s, l.node).at, turn: l.bone.frame };

const estimate = (b: Body): number => 4200 * b.size[0] * b.size[1] * b.size[2];

/** Mass, inertia and centroid of a link without bodies: a thin rod along its bone. */
function rodRow(s: Sketch, l: Link, toLink: Frame): number[] {
  const length = norm(boneVector(s, l.bone));
  const mass = Math.max(0.05, 4 * length);
  const inertia = (mass * length * length) / 12;
  const middle = compose(toLink, { at: [length / 2, 0, 0], turn: [1, 0, 0, 0] }).at;
  return [mass, inertia, 0, 0, inertia, 0, inertia, ...middle];
}

/** A mass that came with a file. */
function keptRow(m: Inertial, toLink: Frame): number[] {
  const { mass, inertia, at } = placeInertial(m, toLink.at, toLink.turn);
  return [mass, ...inertia, ...at];
}

/** A link between two axes of a joint: light against what it carries, but not without weight. */
function smallRow(bone: Bone, length: number): number[] {
  const carried = bone.bodies.reduce((m, b) => m + estimate(b), 0) || Math.max(0.05, 4 * length);
  const mass = 0.03 * carried;
  const inertia = mass * (0.25 * length) ** 2;
  return [mass, inertia, 0, 0, inertia, 0, inertia, 0, 0, 0];
}

const partRow = (link: number, inLink: Frame, b: Body): number[] => {
  const f = compose(inLink, { at: b.at, turn: b.turn });
  return [link, ...f.at, ...f.turn, ...b.size, ...b.e, ...b.taper];
};

const freeAxes = (j: Joint): ('x' | 'y' | 'z')[] => AXES.filter((a) => j[a][1] > j[a][0]);

interface Tables {
  links: number[][];
  joints: number[][];
  parts: number[][];
  linkNames: string[];
  jointNames: string[];
}

/** The joints, and links between them, from a parent to the link of a bone, whose index is returned. */
function hang(s: Sketch, l: Link, parentLink: number, origin: Frame, inLink: Frame, t: Tables, d: Description, puppet: boolean): number {
  const { joint } = nodeOf(s, l.node);
  const free = l.parent < 0 ? [] : freeAxes(joint);
  const ball = puppet && free.length === 3;
  const axes = ball ? [] : free;
  const length = norm(boneVector(s, l.bone));
  let from = parentLink;
  let at: Frame = origin;
  const steps = axes.length ? axes : [null];
  const names = Object.values(l.bone.joints ?? {});
  steps.forEach((axis, i) => {
    const last = i === steps.length - 1;
    const child = t.links.length;
    // the one joint of a file keeps its name when it turns about another axis
    const kept = ball ? undefined : (l.bone.joints?.[axis ?? 'fixed'] ?? (steps.length === 1 && names.length === 1 ? names[0] : undefined));
    t.links.push(last ? NO_MASS : kept?.inertial ? keptRow(kept.inertial, inLink) : smallRow(l.bone, length));
    t.linkNames.push(last ? l.bone.name : kept?.link ?? `${l.bone.name}_${axis}`);
    d.owners.push(l.bone.id);
    const range = axis ? joint[axis] : ([0, 0] as const);
    const round = axes.length === 1 && range[1] - range[0] >= 360;
    const kind = axis ? (round ? KIND.continuous : KIND.revolute) : ball ? KIND.spherical : l.parent < 0 ? KIND.floating : KIND.fixed;
    const limits = ball ? joint.x : range;
    const swing = ball ? Math.max(-joint.y[0], joint.y[1], -joint.z[0], joint.z[1]) * RAD : 0;
    if (axis) d.coordinates.push({ bone: l.bone.id, axis, joint: t.joints.length });
    t.joints.push([kind, from, child, ...at.at, ...at.turn, ...UNIT[axis ?? 'x'],
      round ? 0 : limits[0] * RAD, round ? 0 : limits[1] * RAD, Math.min(swing, Math.PI), kept?.velocity ?? VELOCITY, kept?.effort ?? EFFORT]);
    t.jointNames.push(kept?.name ?? `${l.bone.name}_joint${axis && axes.length > 1 ? `_${axis}` : ''}`);
    from = child;
    at = { at: [0, 0, 0], turn: [1, 0, 0, 0] };
  });
  return from;
}

/** Names as the library wants them: each used once. */
function unique(names: string[]): string[] {
  const used = new Set<string>();
  return names.map((n) => {
    let out = n;
    for (let i = 2; used.has(out); i++) out = `${n}_${i}`;
    used.add(out);
    return out;
  });
}

export function describe(s: Sketch, puppet = false): Description {
  const tree = treeOf(s);
  const t: Tables = { links: [], joints: [], parts: [], linkNames: [], jointNames: [] };
  const d: Description = { numbers: new Float64Array(0), names: [], bones: [], owners: [], parts: {}, coordinates: [] };
  const linkOf: number[] = [];
  tree.forEach((l, i) => {
    const frame = linkFrame(s, l);
    const inLink = compose(inverse(frame), boneFrameOf(s, l.bone));
    let link = t.links.length;
    if (i === 0) {
      t.links.push(NO_MASS);
      t.linkNames.push(l.bone.name);
      d.owners.push(l.bone.id);
    } else {
      const up = tree[Math.max(0, l.parent)]!;
      link = hang(s, l, linkOf[Math.max(0, l.parent)]!, compose(inverse(linkFrame(s, up)), frame), inLink, t, d, puppet);
    }
    if (l.bone.inertial) t.links[link] = keptRow(l.bone.inertial, inLink);
    else if (!l.bone.bodies.length) t.links[link] = rodRow(s, l, inLink);
    linkOf.push(link);
    d.parts[link] = l.bone.bodies.map((b) => b.id);
    l.bone.bodies.forEach((b) => t.parts.push(partRow(link, inLink, b)));
    d.bones.push({ id: l.bone.id, link, inLink });
  });
  const pairs: number[] = [];
  let pairCount = 0;
  tree.forEach((p, i) => tree.forEach((q, k) => {
    const meet = [p.bone.a, p.bone.b].some((n) => n === q.bone.a || n === q.bone.b);
    if (k > i && meet) {
      pairs.push(linkOf[i]!, linkOf[k]!);
      pairCount++;
    }
  }));
  d.numbers = Float64Array.from([t.links.length, t.joints.length, t.parts.length, pairCount,
    ...t.links.flat(), ...t.joints.flat(), ...t.parts.flat(), ...pairs]);
  d.names = [s.name || 'sketch', ...unique(t.linkNames), ...unique(t.jointNames)];
  return d;
}

/** Angles of a pose in the order of the description's coordinates, in radians. */
export const anglesOf = (d: Description, pose: Pose): number[] =>
  d.coordinates.map((c) => (pose[c.bone]?.[{ x: 0, y: 1, z: 2 }[c.axis]] ?? 0) * RAD);

/** A point of the world in the frame of a bone at rest. */
export const toBone = (s: Sketch, bone: Bone, p: Vec3): Vec3 => rotate(conjugate(bone.frame), sub(p, nodeOf(s, bone.a).at));
