/**
 * Robots that are read as sketches: URDF, MJCF, the trees of COLLADA and glTF, scenes, and the sketch's own
 * JSON. Every joint becomes a node, every link a bone from its joint to that of its child; the shapes that a
 * sketch has no body for become the superovoid that is nearest to them, and what is left out is told.
 */
import {
  about, add, between, BODIES_MAX, boneFrame, cleanBody, cleanName, clampRange, conjugate, cross, dot, empty, fromAxes, isInertial, KEYS_MAX, multiply, NODES_MAX, norm,
  placeInertial, presets, rotate, scale, sub, unit, type Body, type Bone, type Inertial, type Joint, type KeptJoint, type KeyFrame, type Moved, type Node, type Pose, type Quat,
  type Range, type Sketch, type Vec3,
} from '../rooms/sketcher/document';
import { bodyOfMesh } from './body-of-mesh';
import { IDENTITY, meshOf, meshOfFile, numbers, placed, times, xmlOf, type M4, type TreeNode } from './read';

export interface ReadRobot {
  sketch: Sketch;
  notes: string[];
  /** It has a skin, to which bodies are to be fitted. */
  skinned?: boolean;
}
/** Files that came with the one that is read, by their paths. */
export type Assets = ReadonlyMap<string, Uint8Array>;

interface Frame {
  at: Vec3;
  turn: Quat;
}
type Shape = Omit<Body, 'id'>;
interface RobotLink {
  name: string;
  bodies: Shape[];
  /** In the link's frame. */
  inertial?: Inertial;
  /** Only the end of the link above. */
  tip?: boolean;
}
interface RobotJoint {
  parent: string;
  child: string;
  origin: Frame;
  name?: string;
  /** Axes with ranges in degrees, in the joint's frame, one after the other. */
  axes: Axis[];
}
interface Axis {
  axis: Vec3;
  range: Range;
  name?: string;
  velocity?: number;
  effort?: number;
}

const compose = (a: Frame, b: Frame): Frame => ({ at: add(a.at, rotate(a.turn, b.at)), turn: multiply(a.turn, b.turn) });
const inverse = (a: Frame): Frame => ({ at: rotate(conjugate(a.turn), scale(a.at, -1)), turn: conjugate(a.turn) });
const ORIGIN: Frame = { at: [0, 0, 0], turn: [1, 0, 0, 0] };
const v3 = (n: number[]): Vec3 => [n[0]!, n[1]!, n[2]!];
const child = (e: Element | null | undefined, name: string): Element | null => [...(e?.children ?? [])].find((c) => c.localName === name) ?? null;
const DEG = 180 / Math.PI;
const short = (text: string | null): string => (text ?? '').slice(0, 40);

function originOf(e: Element | null): Frame {
  const o = child(e, 'origin');
  const [r, p, y] = numbers(o?.getAttribute('rpy'), 3, [0, 0, 0]) as [number, number, number];
  const turn = multiply(multiply(about([0, 0, 1], y), about([0, 1, 0], p)), about([1, 0, 0], r));
  return { at: v3(numbers(o?.getAttribute('xyz'), 3, [0, 0, 0])), turn };
}

const plain = (frame: Frame, size: Vec3, e: readonly [number, number] = [1, 1], taper: readonly [number, number] = [0, 0]): Shape => ({ ...frame, size, e, taper });
/** Boxes, cylinders and capsules as superellipsoids, by radius or half extents and half length. */
const box = (f: Frame, half: Vec3): Shape => plain(f, half, [0.1, 0.1]);
const cylinder = (f: Frame, radius: number, half: number): Shape => plain(f, [radius, radius, half], [1, 0.1]);
const capsule = (f: Frame, radius: number, half: number): Shape => plain(f, [radius, radius, half + radius], [1, 0.6]);

/** A mesh in a frame. */
function meshBody(f: Frame, points: ArrayLike<number>, notes: Set<string>): Shape {
  const b = bodyOfMesh(points);
  if (b.error > 0.02) notes.add('meshes that are no superovoids became what comes near: drop them alone to fit them');
  return plain(compose(f, { at: b.at, turn: [1, 0, 0, 0] }), b.size, b.e, b.taper);
}

/** The mesh of an asset, or null with a note. */
function assetBody(f: Frame, name: string | null, factor: readonly number[], assets: Assets, notes: Set<string>): Shape | null {
  const tail = (name ?? '').replace(/.*[/\\]/, '');
  const key = [...assets.keys()].find((k) => k === name) ?? [...assets.keys()].find((k) => k === tail || k.endsWith(`/${tail}`));
  if (!key || !tail) {
    notes.add('meshes in files beside it are left out: pack them with it in a ZIP archive');
    return null;
  }
  return meshBody(f, meshOfFile(key, assets.get(key)!).points.map((v, i) => v * factor[i % 3]!), notes);
}

/* ---- URDF ---------------------------------------------------------------------------------------- */

function urdfBody(c: Element, assets: Assets, notes: Set<string>): Shape | null {
  const frame = originOf(c);
  const g = child(c, 'geometry');
  const exact = child(g, 'superovoid');
  if (exact) {
    const e = numbers(exact.getAttribute('exponents'), 2, [1, 1]) as [number, number];
    return plain(frame, v3(numbers(exact.getAttribute('size'), 3, [1, 1, 1])), e, numbers(exact.getAttribute('taper'), 2, [0, 0]) as [number, number]);
  }
  const s = g?.children[0];
  const one = (name: string): number => numbers(s?.getAttribute(name), 1, [0.1])[0]!;
  if (s?.localName === 'sphere') return plain(frame, [one('radius'), one('radius'), one('radius')]);
  if (s?.localName === 'box') return box(frame, scale(v3(numbers(s.getAttribute('size'), 3, [1, 1, 1])), 0.5));
  if (s?.localName === 'cylinder') return cylinder(frame, one('radius'), one('length') / 2);
  if (s?.localName === 'capsule') return capsule(frame, one('radius'), one('length') / 2);
  if (s?.localName === 'mesh') return assetBody(frame, s.getAttribute('filename'), numbers(s.getAttribute('scale'), 3, [1, 1, 1]), assets, notes);
  notes.add(`a shape of type "${short(s?.localName ?? '')}" is left out`);
  return null;
}

const withInertial = (inertial: Inertial | undefined): { inertial?: Inertial } => (inertial ? { inertial } : {});

/** Mass and inertia of a link; what no body can have is left out, and told. */
function inertialOf(m: Inertial, name: string, notes: Set<string>): Inertial | undefined {
  if (isInertial(m)) return m;
  if (m.mass !== 0) notes.add(`masses that no body can have are left out, as that of ${short(name)}`);
  return undefined;
}

function urdfInertial(link: Element, notes: Set<string>): Inertial | undefined {
  const e = child(link, 'inertial');
  if (!e) return undefined;
  const [mass] = numbers(child(e, 'mass')?.getAttribute('value'), 1, [0]) as [number];
  const tensor = child(e, 'inertia'), f = originOf(e);
  const inertia = ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'].map((k) => numbers(tensor?.getAttribute(k), 1, [0])[0]!);
  return inertialOf(placeInertial({ mass, at: [0, 0, 0], inertia }, f.at, f.turn), link.getAttribute('name') ?? '', notes);
}

/** What else a URDF says that a sketch has no place for. */
function tellUrdf(root: Element, notes: Set<string>): void {
  const inside = (e: Element, names: readonly string[]): boolean => [...e.children].some((c) => names.includes(c.localName));
  const kids = [...root.children];
  if (kids.some((e) => e.localName === 'link' && inside(e, ['visual']) && inside(e, ['collision']))) notes.add('pictures (visual) are not kept beside collision shapes');
  if (kids.some((e) => e.localName === 'joint' && inside(e, ['dynamics', 'safety_controller', 'calibration'])) || kids.some((e) => !['link', 'joint', 'material'].includes(e.localName))) {
    notes.add('friction, calibration, and what is for other programs is not kept');
  }
}

export function urdfOf(text: string, assets: Assets = new Map()): ReadRobot {
  const root = xmlOf(text);
  if (root.localName !== 'robot') throw new Error('the file is not URDF: its first element is not <robot>');
  const notes = new Set<string>();
  const links: RobotLink[] = [];
  const joints: RobotJoint[] = [];
  for (const e of root.children) {
    if (e.localName === 'link') {
      const kids = [...e.children];
      const hits = kids.filter((c) => c.localName === 'collision');
      const seen = kids.filter((c) => c.localName === 'visual');
      if (!hits.length && seen.length) notes.add('links without collision shapes take their visual ones');
      links.push({ name: e.getAttribute('name') ?? '', bodies: (hits.length ? hits : seen).map((c) => urdfBody(c, assets, notes)).filter((b) => b !== null), ...withInertial(urdfInertial(e, notes)) });
    } else if (e.localName === 'joint') {
      const type = e.getAttribute('type') ?? '';
      const limit = child(e, 'limit');
      const axis = v3(numbers(child(e, 'axis')?.getAttribute('xyz'), 3, [1, 0, 0]));
      const end = (name: string): number => numbers(limit?.getAttribute(name), 1, [0])[0]! * DEG;
      const range: Range = type === 'continuous' ? [-180, 180] : [end('lower'), end('upper')];
      const turns = type === 'revolute' || type === 'continuous';
      if (!turns && type !== 'fixed') notes.add(`a joint of type "${short(type)}" is held fixed`);
      if (child(e, 'mimic')) notes.add('joints that mimic others move by themselves');
      const name = e.getAttribute('name') ?? '';
      const most = (key: string): { [k: string]: number } => (limit?.hasAttribute(key) ? { [key]: Math.max(0, numbers(limit.getAttribute(key), 1, [0])[0]!) } : {});
      joints.push({
        parent: child(e, 'parent')?.getAttribute('link') ?? '', child: child(e, 'child')?.getAttribute('link') ?? '', origin: originOf(e), name,
        axes: turns ? [{ axis, range, name, ...most('velocity'), ...most('effort') }] : [],
      });
    }
  }
  tellUrdf(root, notes);
  return { sketch: sketchOf(root.getAttribute('name') ?? 'robot', links, joints, notes), notes: [...notes] };
}

/* ---- MJCF ---------------------------------------------------------------------------------------- */

/** What an element says of itself, or its class for it: classes hold attributes by element. */
function mjcfAttributes(root: Element): (e: Element, name: string) => string | null {
  const classes = new Map<string, Map<string, string>>();
  const collect = (e: Element, above: Map<string, string>, name: string): void => {
    const own = new Map(above);
    for (const c of e.children) if (c.localName !== 'default') for (const a of c.attributes) own.set(`${c.localName} ${a.name}`, a.value);
    classes.set(name, own);
    for (const c of e.children) if (c.localName === 'default') collect(c, own, c.getAttribute('class') ?? '');
  };
  for (const e of root.children) if (e.localName === 'default') collect(e, new Map(), e.getAttribute('class') ?? 'main');
  return (e, name) => {
    let own = e.getAttribute('class');
    for (let p = e.parentElement; p && own === null; p = p.parentElement) own = p.getAttribute('childclass');
    return e.getAttribute(name) ?? classes.get(own ?? 'main')?.get(`${e.localName} ${name}`) ?? null;
  };
}

/** Where an element is, by any of the ways in which MJCF turns it. */
function mjcfFrames(compiler: Element | null, factor: number, of: (e: Element, name: string) => string | null): (e: Element) => Frame {
  const asked = compiler?.getAttribute('eulerseq') ?? '';
  const sequence = /^[xyz]{3}$/i.test(asked) ? asked : 'xyz';
  const axis = (c: string): Vec3 => [+(c === 'x'), +(c === 'y'), +(c === 'z')];
  return (e) => {
    let turn = unit(numbers(of(e, 'quat'), 4, [1, 0, 0, 0]) as unknown as Quat);
    const euler = of(e, 'euler'), angle = of(e, 'axisangle'), two = of(e, 'xyaxes'), z = of(e, 'zaxis');
    if (euler) {
      numbers(euler, 3, []).forEach((v, i) => {
        const by = about(axis(sequence[i]!.toLowerCase()), (v * factor) / DEG);
        turn = sequence[i]! >= 'a' ? multiply(turn, by) : multiply(by, turn);
      });
    } else if (angle) {
      const n = numbers(angle, 4, []);
      turn = about(v3(n), (n[3]! * factor) / DEG);
    } else if (two) {
      const n = numbers(two, 6, []);
      const x = scale(v3(n), 1 / norm(v3(n))), y0 = v3(n.slice(3)), y1 = sub(y0, scale(x, dot(x, y0))), y = scale(y1, 1 / norm(y1));
      turn = fromAxes(x, y, cross(x, y));
    } else if (z) turn = between([0, 0, 1], v3(numbers(z, 3, [])));
    return { at: v3(numbers(of(e, 'pos'), 3, [0, 0, 0])), turn };
  };
}

export function mjcfOf(text: string, assets: Assets = new Map()): ReadRobot {
  const root = xmlOf(text);
  if (root.localName !== 'mujoco') throw new Error('the file is not MJCF: its first element is not <mujoco>');
  const notes = new Set<string>();
  const links: RobotLink[] = [];
  const joints: RobotJoint[] = [];
  const compiler = child(root, 'compiler');
  const factor = compiler?.getAttribute('angle') === 'radian' ? DEG : 1;
  const of = mjcfAttributes(root);
  const frameOf = mjcfFrames(compiler, factor, of);
  const meshes = new Map([...(child(root, 'asset')?.children ?? [])].filter((e) => e.localName === 'mesh')
    .map((e) => [e.getAttribute('name') ?? (e.getAttribute('file') ?? '').replace(/.*[/\\]|\.\w+$/g, ''), e]));
  const geom = (g: Element): Shape | null => {
    if (of(g, 'contype') === '0' && of(g, 'conaffinity') === '0') {
      notes.add('shapes that touch nothing are left out');
      return null;
    }
    const s = (of(g, 'size') ?? '').trim().split(/\s+/).map(Number);
    const type = of(g, 'type') ?? 'sphere';
    let f = frameOf(g);
    if (!s.every((v) => Number.isFinite(v))) throw new Error('a geom has sizes that are not numbers');
    const ends = of(g, 'fromto');
    if (ends) {
      const n = numbers(ends, 6, []), p = v3(n), q = v3(n.slice(3)), along = sub(q, p);
      f = { at: scale(add(p, q), 0.5), turn: between([0, 0, 1], along) };
      if (type === 'capsule' || type === 'cylinder') s[1] = norm(along) / 2;
      else [s[1], s[2]] = [s[0]!, norm(along) / 2];
    }
    if (type === 'sphere') return plain(f, [s[0]!, s[0]!, s[0]!]);
    if (type === 'ellipsoid') return plain(f, v3(s));
    if (type === 'box') return box(f, v3(s));
    if (type === 'cylinder') return cylinder(f, s[0]!, s[1]!);
    if (type === 'capsule') return capsule(f, s[0]!, s[1]!);
    const mesh = meshes.get(of(g, 'mesh') ?? '');
    if (type === 'mesh' && mesh) return assetBody(f, mesh.getAttribute('file'), numbers(of(mesh, 'scale'), 3, [1, 1, 1]), assets, notes);
    notes.add(`a geom of type "${short(type)}" is left out`);
    return null;
  };
  const inertialOfBody = (e: Element): Inertial | undefined => {
    const m = child(e, 'inertial');
    if (!m) return undefined;
    const f = frameOf(m), full = of(m, 'fullinertia');
    const [xx, yy, zz, xy, xz, yz] = (full ? numbers(full, 6, []) : [...numbers(of(m, 'diaginertia'), 3, [0, 0, 0]), 0, 0, 0]) as [number, number, number, number, number, number];
    const mass = numbers(of(m, 'mass'), 1, [0])[0]!;
    return inertialOf(placeInertial({ mass, at: [0, 0, 0], inertia: [xx, xy, xz, yy, yz, zz] }, f.at, f.turn), e.getAttribute('name') ?? '', notes);
  };
  const axesOf = (c: Element): RobotJoint['axes'] => {
    const type = of(c, 'type') ?? 'hinge';
    const range = of(c, 'limited') === 'false' ? null : of(c, 'range');
    const [lo, hi] = numbers(range, 2, [-180 / factor, 180 / factor]).map((v) => v * factor) as [number, number];
    const named = c.hasAttribute('name') ? { name: c.getAttribute('name')! } : {};
    if (['damping', 'stiffness', 'armature', 'frictionloss', 'springref'].some((k) => of(c, k) !== null)) notes.add('springs, damping and friction of joints are not kept');
    if (type === 'hinge') return [{ ...named, axis: v3(numbers(of(c, 'axis'), 3, [0, 0, 1])), range: [lo, hi] }];
    if (type === 'ball') return BALL.map((a, i) => ({ ...a, range: range ? [-hi, hi] : i < 2 ? presets.ball!.z : presets.ball!.x }));
    notes.add(`a joint of type "${short(type)}" is held fixed`);
    return [];
  };
  const visit = (e: Element, parent: string, origin: Vec3, depth: number): void => {
    if (depth > 64) throw new Error('the bodies of the file are nested too deeply');
    const name = `${e.getAttribute('name') || 'body'}\u0001${links.length}`;
    const kids = [...e.children];
    const own = kids.filter((c) => c.localName === 'joint');
    // a link begins where its joint is
    const at = own.length && parent ? v3(numbers(of(own[0]!, 'pos'), 3, [0, 0, 0])) : ORIGIN.at;
    const from = (f: Frame, o: Vec3): Frame => ({ ...f, at: sub(f.at, o) });
    const mass = inertialOfBody(e);
    const geoms = kids.filter((c) => c.localName === 'geom');
    if (!mass && geoms.some((g) => of(g, 'mass') !== null || of(g, 'density') !== null)) notes.add('masses and densities of geoms are not kept: their bodies weigh as water');
    links.push({ name, bodies: geoms.map(geom).filter((b) => b !== null).map((b) => ({ ...b, ...from(b, at) })), ...withInertial(mass && { ...mass, at: sub(mass.at, at) }) });
    if (own.some((c) => norm(sub(v3(numbers(of(c, 'pos'), 3, [0, 0, 0])), at)) > 1e-9)) notes.add('joints of one body at several places are put at the first one');
    if (!parent && own.some((c) => of(c, 'type') !== 'free')) notes.add('the first body is free: its joints are left out');
    if (parent) joints.push({ parent, child: name, origin: from(compose(frameOf(e), { at, turn: [1, 0, 0, 0] }), origin), axes: own.flatMap(axesOf) });
    for (const c of kids) if (c.localName === 'body') visit(c, name, at, depth + 1);
  };
  const top = [...(child(root, 'worldbody')?.children ?? [])].filter((c) => c.localName === 'body');
  if (top.length === 0) throw new Error('the file has no bodies');
  visit(top[0]!, '', ORIGIN.at, 0);
  if ([...root.children].some((e) => ['actuator', 'sensor', 'tendon', 'equality', 'keyframe'].includes(e.localName))) notes.add('actuators, sensors, tendons and what else MJCF has are not kept');
  if (top.length > 1) notes.add(`of ${top.length} bodies on top the first is read`);
  return { sketch: sketchOf(root.getAttribute('model') ?? 'model', links, joints, notes, frameOf(top[0]!)), notes: [...notes] };
}

/** The axes of a joint that turns every way. */
const BALL: RobotJoint['axes'] = [
  { axis: [0, 0, 1], range: presets.ball!.z }, { axis: [0, 1, 0], range: presets.ball!.y }, { axis: [1, 0, 0], range: presets.ball!.x },
];

/* ---- COLLADA and glTF ---------------------------------------------------------------------------- */

/** Where the axes of a place point, without its scale. */
function frameOfPlace(m: M4): Frame {
  const column = (i: number): Vec3 => [m[4 * i]!, m[4 * i + 1]!, m[4 * i + 2]!];
  const x = scale(column(0), 1 / (norm(column(0)) || 1)), y0 = column(1), y1 = sub(y0, scale(x, dot(x, y0)));
  const y = scale(y1, 1 / (norm(y1) || 1));
  return { at: column(3), turn: unit(fromAxes(x, y, cross(x, y))) };
}

/**
 * The nodes of a scene as bones. A node without children that shows something is a body of the node above;
 * the files know no joints, so that every one turns as those of drawn bones do.
 */
export function treeOfScene(tree: TreeNode, title: string): ReadRobot {
  const notes = new Set(['the file has no joints: each turns every way until it is set']);
  const links: RobotLink[] = [];
  const joints: RobotJoint[] = [];
  const part = (n: TreeNode): boolean => n.points.length > 0 && n.children.length === 0;
  const isSkin = (n: TreeNode): boolean => n.skin === true;
  const skinned = (function has(n: TreeNode): boolean { return isSkin(n) || n.children.some(has); })(tree);
  const visit = (n: TreeNode, place: M4, frame: Frame, parent: string): void => {
    const name = `${n.name || 'node'}\u0001${links.length}`;
    const bodies: Shape[] = [];
    const show = (o: TreeNode, m: M4): void => {
      if (isSkin(o) || !o.points.length) return;
      // in the axes of its own node, at its true size
      const own = frameOfPlace(m), back = inverse(own);
      const points: number[] = [];
      for (let i = 0; i + 2 < o.points.length; i += 3) points.push(...compose(back, { ...ORIGIN, at: placed(m, o.points[i]!, o.points[i + 1]!, o.points[i + 2]!) }).at);
      bodies.push(meshBody(compose(inverse(frame), own), meshOf(points, o.triangles).points, notes));
    };
    show(n, place);
    links.push({ name, bodies, tip: skinned && !bodies.length && !n.children.length });
    if (parent) joints.push({ parent, child: name, origin: ORIGIN, axes: BALL });
    const index = joints.length - 1;
    for (const c of n.children) {
      const m = times(place, c.place);
      if (part(c)) {
        show(c, m);
        continue;
      }
      const f = frameOfPlace(m), count = joints.length;
      visit(c, m, f, name);
      joints[count] = { ...joints[count]!, origin: compose(inverse(frame), f) };
    }
    // nodes at one place are the axes of one joint, as they are written
    if (index >= 0 && !bodies.length && n.children.length === 1 && joints[index + 1] && norm(joints[index + 1]!.origin.at) < 1e-9) joints[index] = { ...joints[index]!, axes: [] };
  };
  let top = tree, place = times(IDENTITY, tree.place);
  for (;;) {
    const next = top.children.filter((c) => !isSkin(c));
    if (top.points.length || next.length !== 1 || part(next[0]!)) break;
    if (top !== tree && norm(frameOfPlace(next[0]!.place).at) > 1e-9) break; // a bone of its own
    top = next[0]!;
    place = times(place, top.place);
  }
  const frame = frameOfPlace(place);
  visit(top, place, frame, '');
  return { sketch: sketchOf(title, links, joints, notes, frame), notes: [...notes], skinned };
}

/* ---- scenes -------------------------------------------------------------------------------------- */

/** The bodies of a scene of the library, each as a bone along its longest part. */
export function sketchOfScene(value: unknown): ReadRobot {
  const scene = record(value);
  const notes = new Set(['a scene has no joints: each body became a bone of its own']);
  let s: Sketch = { ...empty, name: cleanName(typeof scene['title'] === 'string' ? scene['title'] : 'scene') };
  const frameOf = (o: Record<string, unknown>): Frame => {
    const r = o['rotation'] as unknown;
    const turned = Array.isArray(r) || r === undefined ? unit(fixed(r ?? [1, 0, 0, 0], 4) as unknown as Quat) : about(v3(fixed(record(r)['axis'], 3)), fixed([record(r)['angle_deg']], 1)[0]! / DEG);
    return { at: v3(fixed(o['position'] ?? [0, 0, 0], 3)), turn: turned };
  };
  const shapes = (o: Record<string, unknown>, above: Frame): Shape[] => {
    const f = compose(above, frameOf(o));
    const one = (name: string): number => fixed([o[name]], 1)[0]!, three = (name: string): Vec3 => v3(fixed(o[name], 3));
    const two = (name: string, otherwise: number): [number, number] => fixed(o[name] ?? [otherwise, otherwise], 2) as [number, number];
    switch (o['kind']) {
      case 'compound': return above === ORIGIN ? list(o['parts'], 'parts', BODIES_MAX).flatMap((p) => shapes(record(p), f)) : [];
      case 'sphere': return [plain(f, [one('radius'), one('radius'), one('radius')])];
      case 'ellipsoid': case 'superellipsoid': case 'superovoid': return [plain(f, three('semi_axes'), two('exponents', 1), two('taper', 0))];
      case 'box': return [box(f, three('half_extents'))];
      case 'cylinder': return [cylinder(f, one('radius'), one('half_length'))];
      case 'capsule': return [capsule(f, one('radius'), one('half_length'))];
    }
    notes.add(`a body of kind "${short(String(o['kind']))}" is left out`);
    return [];
  };
  for (const v of list(scene['bodies'], 'bodies', NODES_MAX / 2)) {
    const o = record(v), found = shapes(o, ORIGIN);
    if (!found.length) continue;
    const longest = found.reduce((a, b) => (Math.max(...b.size) > Math.max(...a.size) ? b : a));
    const i = longest.size.indexOf(Math.max(...longest.size)), axis: Vec3 = [+(i === 0), +(i === 1), +(i === 2)];
    const half = scale(rotate(unit(longest.turn), axis), Math.max(1e-3, longest.size[i]!));
    const [a, b] = [sub(longest.at, half), add(longest.at, half)], frame = boneFrame(sub(b, a)), back = conjugate(frame);
    let next = s.next + 3;
    const bodies = found.map((p) => cleanBody({ ...p, id: next++, at: rotate(back, sub(p.at, a)), turn: multiply(back, p.turn) }));
    const nodes = [a, b].map((at, k) => ({ id: s.next + k, at, joint: presets.ball! }));
    const name = cleanName(typeof o['name'] === 'string' ? o['name'] : '', s.bones.map((q) => q.name));
    s = { ...s, next, nodes: [...s.nodes, ...nodes], bones: [...s.bones, { id: s.next + 2, name, a: s.next, b: s.next + 1, frame, bodies }] };
  }
  if (!s.bones.length) throw new Error('the scene has no bodies that a sketch can have');
  if (s.bones.reduce((n, b) => n + b.bodies.length, 0) > BODIES_MAX) throw new Error(`the scene has more than ${BODIES_MAX} parts`);
  return { sketch: s, notes: [...notes] };
}

/* ---- links and joints as bones and nodes --------------------------------------------------------- */

/** The tree of links and joints as bones and nodes. */
function sketchOf(title: string, links: RobotLink[], joints: RobotJoint[], notes: Set<string>, place: Frame = ORIGIN): Sketch {
  if (links.length === 0) throw new Error('the file has no links');
  if (links.length > NODES_MAX) throw new Error(`the file has ${links.length} links; a sketch has at most ${NODES_MAX}`);
  if (links.reduce((n, l) => n + l.bodies.length, 0) > BODIES_MAX) throw new Error(`the file has more than ${BODIES_MAX} bodies`);
  const byName = new Map(links.map((l) => [l.name, l]));
  const above = new Map(joints.map((j) => [j.child, j]));
  const below = new Map<string, RobotJoint[]>();
  if (links.some((l) => l.inertial) && links.some((l) => !l.inertial && l.bodies.length)) notes.add('links without a mass get that of their bodies');
  for (const j of joints) {
    if (!byName.has(j.parent) || !byName.has(j.child)) throw new Error('a joint names a link that does not exist');
    below.set(j.parent, [...(below.get(j.parent) ?? []), j]);
  }
  const roots = links.filter((l) => !above.has(l.name));
  if (above.size !== joints.length || roots.length !== 1) throw new Error('the links of the file do not form one tree');
  const nodes: Node[] = [];
  const bones: Bone[] = [];
  let next = 1;
  const node = (at: Vec3, joint: Joint): Node => {
    const made = { id: next++, at, joint };
    nodes.push(made);
    return made;
  };
  const bone = (name: string, a: Node, b: Node, frame: Quat, bodies: { frame: Frame; body: Shape }[], kept: Pick<Bone, 'inertial' | 'joints'> = {}): void => {
    const toBone = conjugate(frame);
    bones.push({
      ...kept, id: next++, name: cleanName(name.split('\u0001')[0]!, bones.map((o) => o.name)), a: a.id, b: b.id, frame,
      bodies: bodies.map(({ frame: f, body }) => {
        const w = compose(f, body);
        return cleanBody({ ...body, id: next++, at: rotate(toBone, sub(w.at, a.at)), turn: multiply(toBone, w.turn) });
      }),
    });
  };
  const seen = new Set<string>();
  const shown = (name: string): string => name.split('\u0001')[0]!;
  /** `between`: links without bodies that stand behind all axes but the last, seen from the world; `carried`: masses
   *  of such links behind fixed joints, which go with this one. */
  const visit = (name: string, frame: Frame, start: Node | null, by: Pick<RobotJoint, 'axes' | 'name'>, depth: number, between: { name: string; inertial?: Inertial }[] = [], carried: Inertial[] = []): void => {
    const { axes } = by;
    if (seen.has(name) || depth > 500) throw new Error('the links of the file do not form one tree');
    seen.add(name);
    const link = byName.get(name)!;
    const kids = below.get(name) ?? [];
    const only = kids.length === 1 ? kids[0]! : null;
    // links without bodies at the same place are the axes of one joint
    if (start && link.bodies.length === 0 && only && norm(only.origin.at) < 1e-9 && axes.length + only.axes.length <= 3) {
      const turn = conjugate(only.origin.turn);
      const turned = axes.map((a) => ({ ...a, axis: rotate(turn, a.axis) }));
      const mass = link.inertial && placeInertial(link.inertial, frame.at, frame.turn);
      const moves = axes.length > 0 && only.axes.length > 0;
      if (!moves) notes.add(`links without bodies at fixed joints are left out, as ${short(shown(name))}${mass && axes.length === 0 ? ', with their masses' : ''}`);
      visit(only.child, compose(frame, only.origin), start, { axes: [...turned, ...only.axes], ...(only.axes.length || !axes.length ? { name: only.name } : { name: by.name }) }, depth + 1,
        moves ? [...between, { name: shown(name), ...withInertial(mass) }] : between, mass && !moves && axes.length > 0 ? [...carried, mass] : carried);
      return;
    }
    const ends = kids.map((j) => compose(frame, j.origin));
    const from = start ?? node(rootStart(link, frame, ends[0]?.at, ends), presets.fixed!);
    const distinct = ends.filter((e) => norm(sub(e.at, from.at)) > 1e-6);
    let end = distinct[0]?.at;
    if (!end) {
      const far = link.bodies.map((b) => compose(frame, b)).sort((p, q) => norm(sub(q.at, from.at)) - norm(sub(p.at, from.at)))[0];
      const out = far ? scale(sub(far.at, from.at), 2) : rotate(frame.turn, [0.1, 0, 0]);
      end = add(from.at, norm(out) > 1e-3 ? out : rotate(frame.turn, [0.1, 0, 0]));
    }
    const { turn, joint, about: moved } = jointFrame(axes, frame.turn, sub(end, from.at), notes);
    const inBone = (m: Inertial): Inertial => placeInertial(placeInertial(m, scale(from.at, -1), [1, 0, 0, 0]), [0, 0, 0], conjugate(turn));
    const own = link.inertial ? [placeInertial(link.inertial, frame.at, frame.turn), ...carried] : carried;
    const joints: { [axis in Moved]?: KeptJoint } = {};
    moved.forEach((axis, i) => {
      const { name: called, velocity, effort } = axes[i]!, next = i + 1 < moved.length ? between[i] : undefined;
      if (axis && called) joints[axis] = { name: cleanName(called), ...(velocity === undefined ? {} : { velocity }), ...(effort === undefined ? {} : { effort }), ...(next ? { link: cleanName(next.name), ...withInertial(next.inertial && inBone(next.inertial)) } : {}) };
    });
    if (start && axes.length === 0 && by.name) joints.fixed = { name: cleanName(by.name) };
    const kept: Pick<Bone, 'inertial' | 'joints'> = { ...withInertial(own.length ? inBone(own.reduce(joined)) : undefined), ...(Object.keys(joints).length ? { joints } : {}) };
    if (start) {
      if (start.joint !== presets.fixed && JSON.stringify(start.joint) !== JSON.stringify(joint)) notes.add('joints at one place have the ranges of the last one');
      nodes[nodes.findIndex((n) => n.id === start.id)] = { ...start, joint };
    }
    const to = node(end, presets.fixed!);
    bone(link.name, from, to, turn, link.bodies.map((body) => ({ frame, body })), kept);
    kids.forEach((j, i) => {
      const e = ends[i]!;
      let at = [to, from].find((n) => norm(sub(e.at, n.at)) < 1e-6);
      if (!at) {
        at = node(e.at, presets.fixed!);
        notes.add(`a link with several ends became bones that turn apart${kept.inertial ? ', of which the first has the mass' : ''}`);
        const length = norm(sub(e.at, from.at)), mass = 1e-3 * (kept.inertial?.mass ?? 0), thin = (mass * length * length) / 12;
        bone(`${shown(link.name)}_to`, from, at, boneFrame(sub(e.at, from.at)), [], mass > 0 ? { inertial: { mass, at: [length / 2, 0, 0], inertia: [thin, 0, 0, thin, 0, thin] } } : {});
      }
      if (!byName.get(j.child)!.tip) visit(j.child, e, nodes.find((n) => n.id === at!.id)!, j, depth + 1);
    });
  };
  visit(roots[0]!.name, place, null, { axes: [] }, 0);
  return { ...empty, name: cleanName(title), next, nodes, bones };
}

/** Two masses, seen from one frame, as one. */
function joined(a: Inertial, b: Inertial): Inertial {
  const mass = a.mass + b.mass, at = scale(add(scale(a.at, a.mass), scale(b.at, b.mass)), 1 / mass);
  const inertia = [0, 0, 0, 0, 0, 0];
  for (const m of [a, b]) {
    const [x, y, z] = sub(m.at, at);
    [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y].forEach((v, i) => (inertia[i]! += m.inertia[i]! + m.mass * v));
  }
  return { mass, at, inertia };
}

/** Where the first bone begins, of which files say nothing: across its bodies from its end. */
function rootStart(link: RobotLink, frame: Frame, end: Vec3 | undefined, ends: Frame[]): Vec3 {
  if (!link.bodies.length) return frame.at;
  const middle = scale(link.bodies.map((b) => compose(frame, b).at).reduce(add), 1 / link.bodies.length);
  const longest = link.bodies.reduce((a, b) => (Math.max(...b.size) > Math.max(...a.size) ? b : a));
  const axis = longest.size.indexOf(Math.max(...longest.size));
  const along = rotate(compose(frame, longest).turn, [+(axis === 0), +(axis === 1), +(axis === 2)]);
  const start = end && norm(sub(end, middle)) > 1e-3 ? sub(scale(middle, 2), end) : sub(middle, scale(along, longest.size[axis]!));
  const near = ends.find((e) => e.at !== end && norm(sub(e.at, start)) < 0.1 * norm(sub(start, middle)));
  if (near) return near.at;
  // with several ends there is no such axis: where the link itself is, if that is within it
  const within = link.bodies.some((b) => norm(sub(compose(frame, b).at, frame.at)) < Math.max(...b.size));
  return within && ends.length > 1 ? frame.at : start;
}

/** A frame whose axes are those of a joint, its ranges about them, and which of them each axis is. */
function jointFrame(axes: RobotJoint['axes'], link: Quat, along: Vec3, notes: Set<string>): { turn: Quat; joint: Joint; about: (Moved | null)[] } {
  const joint: { -readonly [k in keyof Joint]: Joint[k] } = { ...presets.fixed! };
  const range = (r: Range): Range => {
    const c = clampRange(r.map((v) => Math.round(v * 1e9) / 1e9) as unknown as Range);
    if (c[0] > r[0] + 1e-9 || c[1] < r[1] - 1e-9 || c[0] < r[0] - 1e-9 || c[1] > r[1] + 1e-9) notes.add('ranges are brought to what a sketch has: zero within, half a turn at most');
    return c;
  };
  const fits = axes.map((a) => (['x', 'y', 'z'] as const).find((_, i) => a.axis[i]! > 0.999999 * norm(a.axis)) ?? null);
  const order = fits.map((f) => 'zyx'.indexOf(f ?? '?'));
  if (fits.every((f) => f !== null) && order.every((o, i) => i === 0 || o > order[i - 1]!)) {
    axes.forEach((a, i) => (joint[fits[i]!] = range(a.range)));
    return { turn: link, joint, about: fits };
  }
  const unitAxis = (i: number): Vec3 => {
    const v = rotate(link, axes[i]!.axis);
    if (!(norm(v) > 0)) throw new Error('a joint has an axis without a direction');
    return scale(v, 1 / norm(v));
  };
  if (axes.length > 1 && Math.abs(dot(unitAxis(0), unitAxis(1))) < 1e-6) {
    // axes at right angles, in any order: the frame is turned, so that they are its z, y and x
    const z = unitAxis(0), y = unitAxis(1), x = cross(y, z);
    joint.z = range(axes[0]!.range);
    joint.y = range(axes[1]!.range);
    const third = axes[2] ? dot(unitAxis(2), x) : 0;
    if (axes[2] && Math.abs(third) > 0.999999) joint.x = range(third > 0 ? axes[2].range : [-axes[2].range[1], -axes[2].range[0]]);
    else if (axes[2]) notes.add('a third axis that is not at right angles is held fixed');
    return { turn: fromAxes(x, y, z), joint, about: ['z', 'y', ...(axes[2] ? [Math.abs(third) > 0.999999 ? 'x' as const : null] : [])] };
  }
  if (axes.length > 1) notes.add('of axes that are not at right angles the first one is kept');
  const y = unitAxis(0);
  const z0 = cross(along, y);
  const z1 = norm(z0) > 1e-6 * norm(along) ? z0 : cross(Math.abs(y[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1], y);
  const z = scale(z1, 1 / norm(z1));
  return { turn: fromAxes(cross(y, z), y, z), joint: { ...joint, y: range(axes[0]!.range) }, about: ['y', ...axes.slice(1).map(() => null)] };
}

/* ---- the sketch's own JSON ----------------------------------------------------------------------- */

const record = (v: unknown): Record<string, unknown> => (v && typeof v === 'object' ? (v as Record<string, unknown>) : {});
function list(v: unknown, what: string, most: number): unknown[] {
  if (!Array.isArray(v)) throw new Error(`the sketch has no ${what}`);
  if (v.length > most) throw new Error(`the sketch has ${v.length} ${what}; at most ${most} are read`);
  return v;
}
function fixed(v: unknown, count: number): number[] {
  if (!Array.isArray(v) || v.length !== count || !v.every((x) => typeof x === 'number' && Number.isFinite(x) && Math.abs(x) < 1e6)) {
    throw new Error(`the sketch has a list that is not ${count} numbers`);
  }
  return v as number[];
}
function idOf(v: unknown): number {
  if (!Number.isSafeInteger(v) || (v as number) < 0) throw new Error('the sketch has an id that is no number');
  return v as number;
}

/** What a sketch's bone has of a file: masses that a body can have, and names. */
function keptOf(b: Record<string, unknown>): Pick<Bone, 'inertial' | 'joints'> {
  const mass = (v: unknown): { inertial?: Inertial } => {
    if (v === undefined) return {};
    const m = record(v), inertial = { mass: fixed([m['mass']], 1)[0]!, at: v3(fixed(m['at'], 3)), inertia: fixed(m['inertia'], 6) };
    if (!isInertial(inertial)) throw new Error('the sketch has a mass that no body can have');
    return { inertial };
  };
  const joints: { [axis in Moved]?: KeptJoint } = {};
  const name = (v: unknown): string => cleanName(typeof v === 'string' ? v : '');
  for (const axis of ['x', 'y', 'z', 'fixed'] as const) {
    const found = record(b['joints'])[axis];
    if (found === undefined) continue;
    const j = record(found), most = (key: string): { [k: string]: number } => (j[key] === undefined ? {} : { [key]: Math.max(0, fixed([j[key]], 1)[0]!) });
    joints[axis] = { name: name(j['name']), ...most('velocity'), ...most('effort'), ...(j['link'] === undefined ? {} : { link: name(j['link']) }), ...mass(j['inertial']) };
  }
  return { ...mass(b['inertial']), ...(Object.keys(joints).length ? { joints } : {}) };
}

/** A sketch from anybody's JSON: every field is checked and copied, unknown ones are dropped. */
export function sketchFromJson(value: unknown): Sketch {
  const r = record(value);
  if (r['format'] !== 'ovoid-sketch') throw new Error('the file is neither a sketch nor a scene');
  const range = (v: unknown): Range => clampRange(fixed(v, 2) as unknown as Range);
  const nodes: Node[] = list(r['nodes'], 'nodes', NODES_MAX).map((v) => {
    const n = record(v), j = record(n['joint']);
    return { id: idOf(n['id']), at: v3(fixed(n['at'], 3)), joint: { x: range(j['x']), y: range(j['y']), z: range(j['z']) } };
  });
  const names: string[] = [];
  let count = 0;
  const bones: Bone[] = list(r['bones'], 'bones', NODES_MAX).map((v) => {
    const b = record(v);
    const name = cleanName(typeof b['name'] === 'string' ? b['name'] : '', names);
    names.push(name);
    const bodies = list(b['bodies'], 'bodies', BODIES_MAX).map((w) => {
      const o = record(w);
      return cleanBody({ id: idOf(o['id']), at: v3(fixed(o['at'], 3)), turn: fixed(o['turn'], 4) as unknown as Quat, size: v3(fixed(o['size'], 3)), e: fixed(o['e'], 2) as [number, number], taper: fixed(o['taper'], 2) as [number, number] });
    });
    count += bodies.length;
    return { id: idOf(b['id']), name, a: idOf(b['a']), b: idOf(b['b']), frame: unit(fixed(b['frame'], 4) as unknown as Quat), bodies, ...keptOf(b) };
  });
  if (count > BODIES_MAX) throw new Error(`the sketch has ${count} bodies; at most ${BODIES_MAX} are read`);
  const poseOf = (v: unknown): Pose => {
    const pose: { [bone: string]: Vec3 } = {};
    for (const b of bones) {
      const angles = record(v)[String(b.id)];
      if (angles !== undefined) pose[b.id] = v3(fixed(angles, 3));
    }
    return pose;
  };
  const keys: KeyFrame[] = list(r['keys'], 'keys', KEYS_MAX).map((v) => ({ time: fixed([record(v)['time']], 1)[0]!, pose: poseOf(record(v)['pose']) }));
  checkTree(nodes, bones);
  const ids = [...nodes, ...bones, ...bones.flatMap((b) => b.bodies)].map((o) => o.id);
  if (new Set(ids).size !== ids.length) throw new Error('the sketch uses an id twice');
  return { ...empty, name: cleanName(typeof r['name'] === 'string' ? r['name'] : ''), next: Math.max(0, ...ids) + 1, nodes, bones, keys: keys.sort((a, b) => a.time - b.time), pose: poseOf(r['pose']) };
}

/** Bones between nodes that exist, apart from each other, without loops. */
function checkTree(nodes: Node[], bones: Bone[]): void {
  const at = new Map(nodes.map((n) => [n.id, n.at]));
  const leader = new Map<number, number>();
  const find = (n: number): number => {
    let k = n;
    while (leader.has(k)) k = leader.get(k)!;
    return k;
  };
  for (const b of bones) {
    const p = at.get(b.a), q = at.get(b.b);
    if (!p || !q) throw new Error('a bone of the sketch ends at a node that does not exist');
    if (norm(sub(p, q)) < 1e-6) throw new Error('a bone of the sketch has no length');
    const i = find(b.a), k = find(b.b);
    if (i === k) throw new Error('the bones of the sketch form a loop');
    leader.set(i, k);
  }
}

/** A sketch or a scene. */
export function jsonOf(text: string): ReadRobot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the file is not JSON');
  }
  return record(value)['format'] === undefined && Array.isArray(record(value)['bodies']) ? sketchOfScene(value) : { sketch: sketchFromJson(value), notes: [] };
}
