/** What the worker does for the query lab: it keeps the shapes, and remakes only those that changed. */
import { Query, type Body, type Contact, type Derivatives, type MeshArrays } from '../query';
import type { Ovoid } from '../ovoid';

export interface Solved {
  contacts: Contact[];
  /** Why a body could not be made; the body stays as it was. */
  faults: string[];
  dents: number[];
  meshes: (MeshArrays | null)[];
  path: Float64Array;
  derivatives: Derivatives | null;
  microseconds: number;
}

const signature = (b: Body): string => JSON.stringify([b.kind, b.size, b.exponents, b.taper]);

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

  const solve = (a: { bodies: Body[]; pair: [number, number]; vertices: number; fresh: boolean; details: boolean }): Solved => {
    const faults: string[] = [];
    if (a.fresh) made.length = 0;
    const meshes = a.bodies.map((body, i): MeshArrays | null => {
      const now = signature(body);
      faults[i] = '';
      if (made[i] === now) {
        query.pose(i, body);
        return null;
      }
      try {
        dents[i] = query.shape(i, body);
        made[i] = now;
        return body.kind === 'halfspace' ? null : query.mesh(i, a.vertices);
      } catch (error) {
        faults[i] = (error as Error).message;
        if (made[i] !== undefined) query.pose(i, body);
        return null;
      }
    });
    const contacts = query.contacts(a.bodies.length);
    const microseconds = timeOfPair(() => query.contacts(a.bodies.length).length);
    let derivatives: Derivatives | null = null;
    const [p, q] = a.pair;
    const pair = p < a.bodies.length && q < a.bodies.length && p !== q;
    try {
      derivatives = a.details && pair ? query.derivatives(p, q) : null;
    } catch {
      derivatives = null;
    }
    return { contacts, faults, dents: dents.slice(0, a.bodies.length), meshes, microseconds, derivatives,
      path: a.details && pair ? query.path(p, q) : new Float64Array() };
  };
  return {
    'query.solve': solve,
    'query.drag': (a: { pair: [number, number]; way: number[]; count: number }) => query.drag(...a.pair, a.way, a.count),
    'query.mesh': (a: { body: Body; vertices: number }) => {
      query.shape(63, a.body);
      return query.mesh(63, a.vertices);
    },
  };
}
