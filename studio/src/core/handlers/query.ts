/** What the worker does for the query lab: it keeps the shapes, and remakes only those that changed. */
import { convexHull, type Hull } from '../hull';
import { Query, type Body, type Contact, type Derivatives, type MeshArrays, type Surface } from '../query';
import type { Ovoid } from '../ovoid';

/** A body on its way to the worker: what it has of corners is named by a number, and sent once. */
export interface Sent extends Omit<Body, 'surface' | 'parts'> {
  surface?: number;
  parts?: Sent[];
}
export type Surfaces = [number, Surface][];

export interface Solved {
  contacts: Contact[];
  /** Why a body could not be made; the body stays as it was. */
  faults: string[];
  dents: number[];
  /** Dents that can be drawn: `query.dents` has them, which takes longer than all the rest. */
  hollow: boolean[];
  meshes: (MeshArrays | null)[];
  path: Float64Array;
  derivatives: Derivatives | null;
  microseconds: number;
}

/** A body drawn with its dent, and its deepest place: vertex, and the way to the hull. */
export interface Hollow { index: number; mesh: MeshArrays; depth: number; vertex: number[]; way: number[] }

const signature = (b: Sent): string => JSON.stringify([b.kind, b.size, b.exponents, b.taper, b.surface, b.parts]);
/** Dents below this share of the body are told, not drawn: as deep as rounding of the drawn coordinates. */
const DRAWN = 1e-6;
/** The place where bodies are tried. */
const SPARE = 63;

interface Part { body: Body; vertices: Float64Array; triangles: Uint32Array }

const turn = ([w, x, y, z]: Body['rotation']) => {
  const n = w * w + x * x + y * y + z * z, s = 2 / (n || 1);
  return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
};

/** Rows of three numbers turned, and moved where they are places. */
function placed(rows: Float32Array, { position, rotation }: Body, move: boolean): Float32Array {
  const m = turn(rotation), out = new Float32Array(rows.length), [px, py, pz] = move ? position : [0, 0, 0];
  for (let i = 0; i < rows.length; i += 3) {
    const [x, y, z] = [rows[i]!, rows[i + 1]!, rows[i + 2]!];
    out[i] = m[0]! * x + m[1]! * y + m[2]! * z + px;
    out[i + 1] = m[3]! * x + m[4]! * y + m[5]! * z + py;
    out[i + 2] = m[6]! * x + m[7]! * y + m[8]! * z + pz;
  }
  return out;
}

function joined(lists: Float32Array[]): Float32Array {
  const out = new Float32Array(lists.reduce((n, l) => n + l.length, 0));
  lists.reduce((at, l) => (out.set(l, at), at + l.length), 0);
  return out;
}

/** The meshes of a body's parts as one, in the body's frame. */
function together(parts: { body: Body; mesh: MeshArrays }[]): MeshArrays {
  let base = 0;
  const triangles = parts.flatMap(({ mesh }) => {
    const moved = mesh.triangles.map((v) => v + base);
    base += mesh.positions.length / 3;
    return [moved];
  });
  const corners = new Uint32Array(triangles.reduce((n, t) => n + t.length, 0));
  triangles.reduce((at, t) => (corners.set(t, at), at + t.length), 0);
  return {
    positions: joined(parts.map((p) => placed(p.mesh.positions, p.body, true))), normals: joined(parts.map((p) => placed(p.mesh.normals, p.body, false))), triangles: corners,
    flat: parts.some((p) => p.mesh.flat),
    ...(parts.some((p) => p.mesh.dent) ? { dent: joined(parts.map((p) => placed(p.mesh.dent ?? new Float32Array(p.mesh.positions.length), p.body, false))) } : {}),
  };
}

/** A piece of a plane from both sides, for the half-spaces of compounds. */
const PLANE: MeshArrays = {
  positions: Float32Array.from([-7, -7, 0, 7, -7, 0, 7, 7, 0, -7, 7, 0]), normals: Float32Array.from([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
  triangles: Uint32Array.from([0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2]),
};

/** Microseconds of a pair: all pairs are solved again until the browser's coarse clock can tell. */
function timeOfPair(solveAll: () => number): number {
  const start = performance.now();
  let pairs = 0, passed = 0;
  do {
    const solved = solveAll();
    if (solved === 0) return 0;
    pairs += solved;
    passed = performance.now() - start;
  } while (passed < 4);
  return (1000 * passed) / pairs;
}

export function queryHandlers(module: Ovoid) {
  const query = new Query(module);
  const made: string[] = [];
  const dents: number[] = [];
  const hollow: boolean[] = [];
  const kept: Part[][] = [];
  const surfaces = new Map<number, Surface>();
  const hulls = new Map<number, Hull>();

  const hullOf = (id: number): Hull => {
    let hull = hulls.get(id);
    if (!hull) hulls.set(id, (hull = convexHull(surfaces.get(id)!.vertices)));
    return hull;
  };
  /** What a body is made of, with its corners and faces at their size. */
  const partsOf = (b: Sent): Part[] => {
    const one = (p: Sent): Part => {
      const { surface: id, parts: _, ...rest } = p;
      const surface = id === undefined ? undefined : surfaces.get(id);
      const { vertices, triangles } = !surface ? { vertices: [], triangles: [] } : surface.triangles ? { vertices: surface.vertices, triangles: surface.triangles } : hullOf(id!);
      return { body: { ...rest, ...(surface ? { surface } : {}) }, vertices: Float64Array.from(vertices, (v, i) => v * p.size[i % 3]!), triangles: Uint32Array.from(triangles) };
    };
    return b.kind === 'compound' ? b.parts!.map(one) : [one({ ...b, position: [0, 0, 0], rotation: [1, 0, 0, 0] })];
  };
  const meshOf = (index: number, parts: Part[], vertices: number, hollow: boolean): MeshArrays => together(parts.map(({ body, vertices: v, triangles }, i) => ({
    body, mesh: body.kind === 'halfspace' ? PLANE
      : v.length ? { positions: Float32Array.from(v), normals: new Float32Array(v.length), triangles, flat: true }
        : query.mesh(index, i, Math.max(100, Math.floor(vertices / parts.length)), hollow && body.kind === 'superovoid'),
  })));
  const make = (index: number, b: Sent, vertices: number): MeshArrays | null => {
    const parts = partsOf(b);
    const dent = query.body(index, parts);
    query.pose(index, b);
    dents[index] = dent;
    hollow[index] = dent > DRAWN * Math.max(...parts.flatMap((p) => p.body.size));
    kept[index] = parts;
    return b.kind === 'halfspace' || vertices === 0 ? null : meshOf(index, parts, vertices, false);
  };
  /** A point query for each vertex. */
  const hollowOf = (index: number, vertices: number): Hollow => {
    const mesh = meshOf(index, kept[index]!, vertices, true), ways = mesh.dent!;
    const found: Hollow = { index, mesh, depth: 0, vertex: [], way: [] };
    for (let i = 0; i < ways.length; i += 3) {
      const way = [...ways.subarray(i, i + 3)], depth = Math.hypot(...way);
      if (depth > found.depth) Object.assign(found, { depth, way, vertex: [...mesh.positions.subarray(i, i + 3)] });
    }
    return found;
  };

  const solve = (a: { bodies: Sent[]; surfaces: Surfaces; pair: [number, number]; vertices: number; fresh: boolean; details: boolean }): Solved => {
    const faults: string[] = [];
    for (const [id, surface] of a.surfaces) surfaces.set(id, surface);
    if (a.fresh) made.length = 0;
    const meshes = a.bodies.map((body, i): MeshArrays | null => {
      const now = signature(body);
      faults[i] = '';
      if (made[i] === now) {
        query.pose(i, body);
        return null;
      }
      try {
        const mesh = make(i, body, a.vertices);
        made[i] = now;
        return mesh;
      } catch (error) {
        faults[i] = (error as Error).message;
        if (made[i] !== undefined) query.pose(i, body);
        return null;
      }
    });
    // a body that could not be made leaves what was in its place before: nobody's contact
    const contacts = query.contacts(a.bodies.length).map((c) => (made[c.a] === undefined || made[c.b] === undefined ? { ...c, status: -1, message: faults[c.a] || faults[c.b]! } : c));
    const microseconds = timeOfPair(() => query.contacts(a.bodies.length).length);
    let derivatives: Derivatives | null = null;
    // in the order of the contacts, whichever was chosen last
    const p = Math.min(...a.pair), q = Math.max(...a.pair);
    const pair = p < a.bodies.length && q < a.bodies.length && p !== q;
    try {
      derivatives = a.details && pair ? query.derivatives(p, q) : null;
    } catch {
      // of meshes and compounds the gap alone: where the contact is unique, it grows as B moves along the normal
      const c = contacts.find((o) => o.a === p && o.b === q && o.status >= 0);
      derivatives = c ? { gap: [c.normal.map((v) => -v), [...c.normal]], shape: [], gapSmooth: false, contactSmooth: false } : null;
    }
    return { contacts, faults, dents: dents.slice(0, a.bodies.length), hollow: hollow.slice(0, a.bodies.length), meshes, microseconds, derivatives,
      path: a.details && pair ? query.path(p, q) : new Float64Array() };
  };
  return {
    'query.solve': solve,
    'query.drag': (a: { pair: [number, number]; way: number[]; count: number }) => query.drag(...a.pair, a.way, a.count),
    'query.dents': (a: { indices: number[]; vertices: number }): Hollow[] => a.indices.filter((i) => made[i] !== undefined && hollow[i]).map((i) => hollowOf(i, a.vertices)),
    /** The corners of the hull of points. */
    'query.hull': (points: number[]) => convexHull(points).vertices,
    /** Whether the library takes all bodies: an error with the name of one that it refuses. */
    'query.try': (a: { bodies: Sent[]; surfaces: Surfaces }) => {
      for (const [id, surface] of a.surfaces) surfaces.set(id, surface);
      for (const b of a.bodies) {
        try {
          make(SPARE, b, 0);
        } catch (error) {
          throw new Error(`${b.name}: ${(error as Error).message}`);
        }
      }
    },
  };
}
