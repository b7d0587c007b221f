/** Scenes of the query lab: documents, the library's JSON, and links. Nothing here touches the page. */
import { KINDS, type Body, type Kind } from '../../core/query';
import { query as texts } from '../../texts/query';

export interface SceneDocument {
  bodies: Body[];
  /** The body that is worked on, and the pair that is looked at. */
  selected: number;
  pair: [number, number];
}

export const BODIES_MAX = 24;
const identity: Body['rotation'] = [1, 0, 0, 0];

export const start: SceneDocument = {
  bodies: [
    { name: 'egg', kind: 'superovoid', size: [1, 1, 1.35], exponents: [1, 1], taper: [-0.2, -0.2], position: [-1.5, 0, 0], rotation: [0.95, 0.2, 0.22, 0] },
    { name: 'die', kind: 'superellipsoid', size: [0.9, 0.9, 0.9], exponents: [0.35, 0.35], taper: [0, 0], position: [1.4, 0.3, 0.2], rotation: [0.9, 0.25, 0.2, 0.3] },
  ],
  selected: 1,
  pair: [0, 1],
};

export function fresh(kind: Kind, count: number): Body {
  return {
    name: `${kind} ${count + 1}`, kind, size: kind === 'sphere' ? [0.8, 0.8, 0.8] : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [0.6, 0.6, 0.9] : [0.9, 0.7, 0.6],
    exponents: kind === 'superellipsoid' || kind === 'superovoid' ? [0.6, 0.8] : [1, 1], taper: kind === 'superovoid' ? [0.15, 0.1] : [0, 0],
    position: kind === 'halfspace' ? [0, 0, -2] : [((count * 7) % 5) - 2, ((count * 3) % 4) - 1.5, ((count * 5) % 3) - 0.5], rotation: identity,
  };
}

/** The same body of another kind, with what that kind has. */
export function asKind(body: Body, kind: Kind): Body {
  const [x, y, z] = body.size;
  const size: Body['size'] = kind === 'sphere' ? [x, x, x] : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [x, x, z] : [x, y, z];
  return {
    ...body, kind, size, exponents: kind === 'superellipsoid' || kind === 'superovoid' ? (body.exponents[0] === 1 && body.exponents[1] === 1 ? [0.6, 0.8] : body.exponents) : [1, 1],
    taper: kind === 'superovoid' ? (body.taper[0] === 0 && body.taper[1] === 0 ? [0.2, 0.2] : body.taper) : [0, 0],
  };
}

type Json = Record<string, unknown>;

function shapeJson(b: Body): Json {
  switch (b.kind) {
    case 'sphere': return { radius: b.size[0] };
    case 'ellipsoid': return { semi_axes: b.size };
    case 'superellipsoid': return { semi_axes: b.size, exponents: b.exponents };
    case 'superovoid': return { semi_axes: b.size, exponents: b.exponents, taper: b.taper };
    case 'box': return { half_extents: b.size };
    case 'halfspace': return { normal: [0, 0, 1], offset: 0 };
    default: return { radius: b.size[0], half_length: b.size[2] };
  }
}

/** The library's scene format, in full precision. */
export function toJson(d: SceneDocument): string {
  const bodies = d.bodies.map((b) => ({ name: b.name, kind: b.kind, ...shapeJson(b), position: b.position, rotation: b.rotation }));
  return JSON.stringify({ title: 'From the query lab', bodies }, null, 1) + '\n';
}

const isNumber = (v: unknown): v is number => typeof v === 'number' && Number.isFinite(v) && Math.abs(v) <= 1e6;
function numbers<T extends number[]>(v: unknown, count: number, otherwise?: T): T {
  if (v === undefined && otherwise) return otherwise;
  if (!Array.isArray(v) || v.length !== count || !v.every(isNumber)) throw new Error(texts.badNumbers);
  return [...v] as T;
}
const size = (v: unknown): number => {
  if (!isNumber(v) || v <= 0) throw new Error(texts.badNumbers);
  return v;
};

function rotationOf(v: unknown): Body['rotation'] {
  if (v === undefined) return identity;
  if (Array.isArray(v)) {
    const q = numbers<Body['rotation']>(v, 4);
    if (Math.hypot(...q) === 0) throw new Error(texts.badNumbers);
    return q;
  }
  const o = v as Json;
  const axis = numbers<[number, number, number]>(o?.['axis'], 3);
  const angle = o['angle_deg'], length = Math.hypot(...axis);
  if (!isNumber(angle) || length === 0) throw new Error(texts.badNumbers);
  const half = (angle * Math.PI) / 360, s = Math.sin(half) / length;
  return [Math.cos(half), axis[0] * s, axis[1] * s, axis[2] * s];
}

function bodyOf(o: Json, index: number): Body {
  const kind = String(o?.['kind']).slice(0, 40) as Kind;
  if (!KINDS.includes(kind)) throw new Error(texts.badKind(kind));
  const r = (): number => size(o['radius']);
  const axes = (key: string): Body['size'] => numbers<Body['size']>(o[key], 3).map(size) as Body['size'];
  const sizes: Body['size'] = kind === 'sphere' ? [r(), r(), r()] : kind === 'box' ? axes('half_extents') : kind === 'halfspace' ? [1, 1, 1]
    : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [r(), r(), size(o['half_length'])] : axes('semi_axes');
  let position = numbers<Body['position']>(o['position'], 3, [0, 0, 0]), rotation = rotationOf(o['rotation']);
  if (kind === 'halfspace') [position, rotation] = halfspacePose(o, position, rotation);
  return {
    name: typeof o['name'] === 'string' ? o['name'].slice(0, 80) : `body ${index + 1}`, kind, size: sizes,
    exponents: numbers<[number, number]>(o['exponents'], 2, [1, 1]), taper: numbers<[number, number]>(o['taper'], 2, [0, 0]), position, rotation,
  };
}

/** The lab's half-spaces have the normal z and the offset 0: the pose has the rest. */
function halfspacePose(o: Json, position: Body['position'], rotation: Body['rotation']): [Body['position'], Body['rotation']] {
  const n = numbers<[number, number, number]>(o['normal'], 3), length = Math.hypot(...n), offset = o['offset'];
  if (!isNumber(offset) || length === 0 || rotation.slice(1).some((v) => v !== 0)) throw new Error(texts.badNumbers);
  const [x, y, z] = n.map((v) => v / length) as [number, number, number];
  const turn: Body['rotation'] = z < -0.999999 ? [0, 1, 0, 0] : [1 + z, -y, x, 0];
  return [[position[0] + x * offset, position[1] + y * offset, position[2] + z * offset], turn];
}

export function fromJson(text: string): SceneDocument {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error(texts.notJson);
  }
  const list = (parsed as Json | null)?.['bodies'];
  if (!Array.isArray(list) || list.length === 0) throw new Error(texts.noBodies);
  if (list.length > BODIES_MAX) throw new Error(texts.tooMany);
  const bodies = list.map((o, i) => bodyOf(o as Json, i));
  return { bodies, selected: 0, pair: [0, Math.min(1, bodies.length - 1)] };
}

export function toLink(d: SceneDocument): string {
  const bytes = new TextEncoder().encode(JSON.stringify(JSON.parse(toJson(d))));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function fromLink(code: string): SceneDocument {
  const text = atob(code.replace(/-/g, '+').replace(/_/g, '/'));
  return fromJson(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
}

/** Is a saved document one of these? */
export function isScene(v: unknown): boolean {
  try {
    const d = v as SceneDocument;
    return d.bodies.length > 0 && fromJson(toJson(d)).bodies.length === d.bodies.length && d.selected < d.bodies.length && d.pair.every((i) => i < d.bodies.length);
  } catch {
    return false;
  }
}
