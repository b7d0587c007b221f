/** Scenes of the query lab: documents, the library's JSON, and links. Nothing here touches the page. */
import { KINDS, type Body, type Kind, type Surface } from '../../core/query';
import { formOf, formsOf } from './forms';
import { query as texts } from '../../texts/query';

export interface SceneDocument {
  bodies: Body[];
  /** The body that is worked on, and the pair that is looked at. */
  selected: number;
  pair: [number, number];
}

export const BODIES_MAX = 24;
export const PARTS_MAX = 500;
/** Of all polyhedra and meshes together, so that a drag stays one and the autosave holds them. */
export const CORNERS_MAX = 30_000;
export const TRIANGLES_MAX = 50_000;
/** Longer addresses are cut off by some programs that pass them on. */
const LINK_MAX = 16_000;
/** Bytes of a name in the library's scenes, less a number behind it. */
const NAME_BYTES = 58;
const identity: Body['rotation'] = [1, 0, 0, 0];

export const start: SceneDocument = {
  bodies: [
    { name: 'egg', kind: 'superovoid', size: [1, 1, 1.35], exponents: [1, 1], taper: [-0.2, -0.2], position: [-1.5, 0, 0], rotation: [0.95, 0.2, 0.22, 0] },
    { name: 'die', kind: 'superellipsoid', size: [0.9, 0.9, 0.9], exponents: [0.35, 0.35], taper: [0, 0], position: [1.4, 0.3, 0.2], rotation: [0.9, 0.25, 0.2, 0.3] },
  ],
  selected: 1,
  pair: [0, 1],
};

/** A name that the library takes: printable, of few bytes, and not one of those that are taken. */
export function named(wanted: string, taken: readonly string[]): string {
  // eslint-disable-next-line no-control-regex
  const letters = [...wanted.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').replace(/\p{Surrogate}/gu, ' ').trim()];
  while (new TextEncoder().encode(letters.join('')).length > NAME_BYTES) letters.pop();
  const base = letters.join('').trim() || 'body';
  let out = base;
  for (let i = 2; taken.includes(out); i++) out = `${base} ${i}`;
  return out;
}

export function fresh(kind: Kind, count: number, taken: readonly string[] = []): Body {
  const form = formsOf(kind)[0];
  if (form) return { ...fresh('sphere', count), name: named(`${kind} ${count + 1}`, taken), kind, size: [1, 1, 1], surface: formOf(form) };
  return {
    name: named(`${kind} ${count + 1}`, taken), kind, size: kind === 'sphere' ? [0.8, 0.8, 0.8] : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [0.6, 0.6, 0.9] : [0.9, 0.7, 0.6],
    exponents: kind === 'superellipsoid' || kind === 'superovoid' ? [0.6, 0.8] : [1, 1], taper: kind === 'superovoid' ? [0.15, 0.1] : [0, 0],
    position: kind === 'halfspace' ? [0, 0, -2] : [((count * 7) % 5) - 2, ((count * 3) % 4) - 1.5, ((count * 5) % 3) - 0.5], rotation: identity,
  };
}

/** The same body of another kind, with what that kind has. */
export function asKind(from: Body, kind: Kind): Body {
  const { surface, parts: _, ...body } = from;
  const rough = surface !== undefined || from.kind === 'compound';
  const [x, y, z] = rough ? [0.9, 0.7, 0.6] : body.size;
  const form = formsOf(kind)[0];
  if (form) {
    // a mesh as its hull, and a polyhedron as the mesh of its faces
    const kept = surface && (kind === 'polyhedron' || surface.triangles) ? { vertices: surface.vertices, ...(kind === 'mesh' ? { triangles: surface.triangles! } : {}) } : null;
    return { ...body, kind, size: kept ? body.size : [1, 1, 1], exponents: [1, 1], taper: [0, 0], surface: kept ?? formOf(form) };
  }
  const size: Body['size'] = kind === 'sphere' ? [x, x, x] : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [x, x, z] : [x, y, z];
  return {
    ...body, kind, size, exponents: kind === 'superellipsoid' || kind === 'superovoid' ? (body.exponents[0] === 1 && body.exponents[1] === 1 ? [0.6, 0.8] : body.exponents) : [1, 1],
    taper: kind === 'superovoid' ? (body.taper[0] === 0 && body.taper[1] === 0 ? [0.2, 0.2] : body.taper) : [0, 0],
  };
}

type Json = Record<string, unknown>;

/** Rows of three, each number by the factor of its axis: as the worker has them. */
function rows(flat: readonly number[], size: readonly number[]): number[][] {
  return Array.from({ length: flat.length / 3 }, (_, i) => [0, 1, 2].map((k) => flat[3 * i + k]! * size[k]!));
}

function shapeJson(b: Body): Json {
  switch (b.kind) {
    case 'sphere': return { radius: b.size[0] };
    case 'ellipsoid': return { semi_axes: b.size };
    case 'superellipsoid': return { semi_axes: b.size, exponents: b.exponents };
    case 'superovoid': return { semi_axes: b.size, exponents: b.exponents, taper: b.taper, dent_tolerance: 1 };
    case 'box': return { half_extents: b.size };
    case 'halfspace': return { normal: [0, 0, 1], offset: 0 };
    case 'compound': return { parts: b.parts!.map((p) => ({ kind: p.kind, ...shapeJson(p), position: p.position, rotation: p.rotation })) };
    case 'polyhedron': case 'mesh': {
      const { vertices, triangles, open } = b.surface!;
      return { vertices: rows(vertices, b.size), ...(triangles ? { triangles: rows(triangles, [1, 1, 1]) } : {}), ...(open ? { surface: true } : {}) };
    }
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

const text = (v: unknown): string => String(v).slice(0, 40);

/** Lists of corners and faces in one row each, all numbers checked. */
function surfaceOf(o: Json, kind: Kind, budget: Budget): Surface {
  const { vertices: v, triangles: t } = o;
  if (o['file'] !== undefined) {
    const found = budget.file(text(o['file']), kind);
    const factors = numbers<number[]>(o['scale'], 3, [1, 1, 1]);
    take(budget, found.vertices.length / 3, (found.triangles?.length ?? 0) / 3);
    return { ...found, vertices: found.vertices.map((x, i) => x * factors[i % 3]!), ...(o['surface'] === true ? { open: true } : {}) };
  }
  if (!Array.isArray(v) || (t !== undefined ? !Array.isArray(t) : kind === 'mesh')) throw new Error(texts.badSurface(kind));
  take(budget, v.length, Array.isArray(t) ? t.length : 0);
  const factors = kind === 'mesh' ? numbers<number[]>(o['scale'], 3, [1, 1, 1]) : [1, 1, 1];
  const vertices = v.flatMap((p) => numbers<number[]>(p, 3).map((x, k) => x * factors[k]!));
  const index = (i: number): number => {
    if (!Number.isInteger(i) || i < 0 || i >= v.length) throw new Error(texts.badSurface(kind));
    return i;
  };
  return { vertices, ...(Array.isArray(t) ? { triangles: t.flatMap((p) => numbers<number[]>(p, 3).map(index)) } : {}), ...(o['surface'] === true ? { open: true } : {}) };
}

/** What a scene may still have, and where the files are that it names. */
interface Budget {
  parts: number;
  corners: number;
  triangles: number;
  file(name: string, kind: Kind): Surface;
}
function take(budget: Budget, corners: number, triangles: number): void {
  if ((budget.corners -= corners) < 0 || (budget.triangles -= triangles) < 0) throw new Error(texts.tooFine(CORNERS_MAX, TRIANGLES_MAX));
}

function bodyOf(o: Json, name: string, budget: Budget, part = false): Body {
  const kind = text(o?.['kind']) as Kind;
  if (!KINDS.includes(kind) || (part && kind === 'compound')) throw new Error(texts.badKind(kind));
  if (--budget.parts < 0) throw new Error(texts.tooManyParts(PARTS_MAX));
  if (o['parameters'] !== undefined) throw new Error(texts.parameters);
  const r = (): number => size(o['radius']);
  const axes = (key: string): Body['size'] => numbers<Body['size']>(o[key], 3).map(size) as Body['size'];
  const round = kind === 'superellipsoid' || kind === 'superovoid';
  const sizes: Body['size'] = kind === 'sphere' ? [r(), r(), r()] : kind === 'box' ? axes('half_extents') : kind === 'capsule' || kind === 'cylinder' || kind === 'cone' ? [r(), r(), size(o['half_length'])]
    : round || kind === 'ellipsoid' ? axes('semi_axes') : [1, 1, 1];
  let position = numbers<Body['position']>(o['position'], 3, [0, 0, 0]), rotation = rotationOf(o['rotation']);
  if (kind === 'halfspace') [position, rotation] = halfspacePose(o, position, rotation);
  const made: Body = {
    name, kind, size: sizes, exponents: round ? numbers<[number, number]>(o['exponents'], 2, [1, 1]) : [1, 1], taper: kind === 'superovoid' ? numbers<[number, number]>(o['taper'], 2, [0, 0]) : [0, 0], position, rotation,
  };
  if (kind === 'polyhedron' || kind === 'mesh') made.surface = surfaceOf(o, kind, budget);
  if (kind === 'compound') {
    if (!Array.isArray(o['parts']) || o['parts'].length === 0) throw new Error(texts.noParts);
    made.parts = o['parts'].map((p) => bodyOf(p as Json, '', budget, true));
  }
  return made;
}

/** The lab's half-spaces have the normal z and the offset 0: the pose has the rest. */
function halfspacePose(o: Json, position: Body['position'], rotation: Body['rotation']): [Body['position'], Body['rotation']] {
  const n = numbers<[number, number, number]>(o['normal'], 3), length = Math.hypot(...n), offset = o['offset'];
  if (!isNumber(offset) || length === 0 || rotation.slice(1).some((v) => v !== 0)) throw new Error(texts.badNumbers);
  const [x, y, z] = n.map((v) => v / length) as [number, number, number];
  const turn: Body['rotation'] = z < -0.999999 ? [0, 1, 0, 0] : [1 + z, -y, x, 0];
  return [[position[0] + x * offset, position[1] + y * offset, position[2] + z * offset], turn];
}

/** A scene of the library. `file` finds the files that it names; without it there are none. */
export function fromJson(json: string, file: Budget['file'] = (name) => { throw new Error(texts.noFile(name)); }): SceneDocument {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new Error(texts.notJson);
  }
  const list = (parsed as Json | null)?.['bodies'];
  if (!Array.isArray(list) || list.length === 0) throw new Error(texts.noBodies);
  if (list.length > BODIES_MAX) throw new Error(texts.tooMany);
  const budget: Budget = { parts: PARTS_MAX, corners: CORNERS_MAX, triangles: TRIANGLES_MAX, file };
  const bodies: Body[] = [];
  list.forEach((o: Json | null, i) => {
    const wanted = o?.['name'];
    bodies.push(bodyOf(o as Json, named(typeof wanted === 'string' ? wanted : `body ${i + 1}`, bodies.map((b) => b.name)), budget));
  });
  return { bodies, selected: 0, pair: [0, Math.min(1, bodies.length - 1)] };
}

/** Null where the scene is too large for an address. */
export function toLink(d: SceneDocument): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(JSON.parse(toJson(d))));
  if (bytes.length > 0.75 * LINK_MAX) return null;
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function fromLink(code: string): SceneDocument {
  let text = '';
  try {
    text = atob(code.replace(/-/g, '+').replace(/_/g, '/'));
  } catch {
    throw new Error(texts.badLink);
  }
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
