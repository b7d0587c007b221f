/** Polyhedra and meshes to begin with. */
import type { Kind, Surface } from '../../core/query';

const GOLDEN = (1 + Math.sqrt(5)) / 2;
const SIGNS = [-1, 1];

/** All points with any signs of three coordinates, and these in cyclic order. */
function around(x: number, y: number, z: number): number[] {
  const out = new Set<string>();
  for (const [a, b, c] of [[x, y, z], [y, z, x], [z, x, y]] as const) {
    for (const p of SIGNS) for (const q of SIGNS) for (const r of SIGNS) out.add(JSON.stringify([p * a + 0, q * b + 0, r * c + 0]));
  }
  return [...out].flatMap((t) => JSON.parse(t) as number[]);
}

/** A mesh over a grid that closes in both directions, or ends in the second one. */
function grid(around1: number, around2: number, closed: boolean, at: (u: number, v: number) => number[]): Surface {
  const vertices: number[] = [], triangles: number[] = [];
  const rows = closed ? around2 : around2 + 1;
  for (let j = 0; j < rows; j++) for (let i = 0; i < around1; i++) vertices.push(...at(i / around1, j / around2));
  const corner = (i: number, j: number): number => (j % rows) * around1 + (i % around1);
  for (let j = 0; j < around2; j++) {
    for (let i = 0; i < around1; i++) triangles.push(corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j), corner(i + 1, j + 1), corner(i, j + 1));
  }
  return { vertices, triangles };
}

const TURN = 2 * Math.PI;
/** A bent L: the outline of an angle iron, pulled straight. */
function angle(): Surface {
  const outline = [[-0.8, -0.8], [0.8, -0.8], [0.8, -0.3], [-0.3, -0.3], [-0.3, 0.8], [-0.8, 0.8]];
  const vertices = SIGNS.flatMap((s) => outline.flatMap(([x, y]) => [x!, y!, 0.6 * s]));
  const cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
  const triangles = [...cap.flatMap(([a, b, c]) => [a!, c!, b!]), ...cap.flatMap((t) => t.map((i) => i + 6)),
    ...outline.flatMap((_, i) => { const k = (i + 1) % 6; return [i, k, k + 6, i, k + 6, i + 6]; })];
  return { vertices, triangles };
}

const made: Record<string, () => Surface> = {
  tetrahedron: () => ({ vertices: [1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1].map((v) => 0.7 * v) }),
  octahedron: () => ({ vertices: around(1, 0, 0) }),
  icosahedron: () => ({ vertices: around(0, 1, GOLDEN).map((v) => 0.55 * v) }),
  dodecahedron: () => ({ vertices: [...around(1, 1, 1), ...around(0, 1 / GOLDEN, GOLDEN)].map((v) => 0.6 * v) }),
  ring: () => grid(40, 20, true, (u, v) => {
    const r = 0.75 + 0.3 * Math.cos(TURN * v);
    return [r * Math.cos(TURN * u), r * Math.sin(TURN * u), 0.3 * Math.sin(TURN * v)];
  }),
  angle,
  bowl: () => grid(40, 12, false, (u, v) => {
    const a = 0.06 * Math.PI + 0.54 * Math.PI * v;
    return [Math.sin(a) * Math.cos(TURN * u), Math.sin(a) * Math.sin(TURN * u), -Math.cos(a)];
  }),
};
export type Form = string;
const forms: Partial<Record<Kind, readonly Form[]>> = { polyhedron: ['dodecahedron', 'tetrahedron', 'octahedron', 'icosahedron'], mesh: ['ring', 'angle', 'bowl'] };

export const formsOf = (kind: Kind): readonly Form[] => forms[kind] ?? [];

const kept = new Map<Form, Surface>();
/** The same object each time, by which it is known again. */
export function formOf(form: Form): Surface {
  let surface = kept.get(form);
  if (!surface) kept.set(form, (surface = made[form]!()));
  return surface;
}
/** Which of the forms a surface is; null for one of a file. */
export function nameOf(kind: Kind, surface: Surface | undefined): Form | null {
  const same = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((v, i) => v === b[i]);
  return formsOf(kind).find((f) => surface && (formOf(f) === surface || same(formOf(f).vertices, surface.vertices))) ?? null;
}
