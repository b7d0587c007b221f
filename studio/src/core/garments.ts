/** Garments as they are cut: rings of vertices around the figure, which has its arms spread then. What
 *  would slide off has pins: a collar, a belt, straps. */
import { anglesOf, attach, CHEST, place, type PartPin } from './figure';
import type { Vec3 } from './play';

export const GARMENTS = ['poncho', 'cape', 'skirt', 'tube'] as const;
export type Garment = (typeof GARMENTS)[number];
/** Factors of length and width that a cut can have. */
export const CUTS = { length: [0.5, 1.5, 0.05], width: [0.8, 1.6, 0.05] } as const;

export interface Cut {
  positions: Float64Array;
  triangles: Uint32Array;
  pins: PartPin[];
}

const AROUND = 56;

/** Rows of a ring from its first angle to its last; `closed`: they are the same. */
function rings(rows: number, from: number, to: number, closed: boolean, at: (angle: number, t: number) => Vec3): { positions: Float64Array; triangles: Uint32Array; columns: number } {
  const columns = closed ? AROUND : AROUND + 1, points: number[] = [], triangles: number[] = [];
  for (let j = 0; j <= rows; j++) {
    for (let i = 0; i < columns; i++) points.push(...at(from + ((to - from) * i) / AROUND, j / rows));
  }
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < AROUND; i++) {
      const a = j * columns + i, b = j * columns + ((i + 1) % columns), c = a + columns, d = b + columns;
      // diagonals in turn, so that the cloth is as stiff to both sides
      if ((i + j) % 2) triangles.push(a, b, d, a, d, c);
      else triangles.push(a, b, c, b, d, c);
    }
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(triangles), columns };
}

/** An ellipse of the semi-axes rx and ry at a height. */
const ellipse = (angle: number, rx: number, ry: number, z: number): Vec3 => [rx * Math.cos(angle), ry * Math.sin(angle), z];

export function cut(garment: Garment, length: number, width: number): Cut {
  const turn = 2 * Math.PI, parts = place(anglesOf('cross'));
  const shoulders = parts[CHEST]!.position[2] + 0.2, waist = parts[1]!.position[2] + 0.03, arms = parts[CHEST]!.position[2] + 0.03;
  let made: ReturnType<typeof rings>, held: number[] = [];
  if (garment === 'poncho') {
    const reach = 0.5 * length;
    made = rings(Math.max(8, Math.round(reach / 0.028)), 0, turn, true, (a, t) => ellipse(a, 0.1 + width * t * reach, 0.1 + t * reach, shoulders));
  } else if (garment === 'cape') {
    const reach = 0.75 * length, open = 0.5 / width;
    made = rings(Math.max(8, Math.round(reach / 0.03)), open - 0.9, Math.PI - open + 0.9, false, (a, t) => ellipse(a, 0.1 + t * reach, 0.1 + t * reach, shoulders));
    held = Array.from({ length: 9 }, (_, k) => Math.round((k * AROUND) / 8));
  } else if (garment === 'skirt') {
    const drop = 0.55 * length, flare = 0.3 * width;
    made = rings(Math.max(8, Math.round(drop / 0.026)), 0, turn, true, (a, t) => ellipse(a, 0.148 + flare * t, 0.116 + flare * t, waist - drop * t));
    held = Array.from({ length: 8 }, (_, k) => (k * AROUND) / 8);
  } else {
    const drop = 0.8 * length, ease = 0.035 * width;
    made = rings(Math.max(8, Math.round(drop / 0.03)), 0, turn, true, (a, t) => ellipse(a, 0.185 + ease + 0.1 * t * width, 0.13 + ease + 0.1 * t * width, arms - drop * t));
    held = [6, 22, 34, 50].map((k) => Math.round((k * AROUND) / 56));
  }
  const pins = held.map((vertex) => attach(parts, vertex, [...made.positions.subarray(3 * vertex, 3 * vertex + 3)] as Vec3));
  return { positions: made.positions, triangles: made.triangles, pins };
}
