/**
 * The superovoid nearest to the vertices of a mesh whose axes are those of its file, as the meshes are that
 * stand in for superovoids where a format has none. The box of the vertices gives its centre and its half
 * length along z; half widths, exponents and tapers minimise the sum of squares of r = (m^(2/e2) +
 * |z|^(2/e2))^(e2/2) - 1, m = (|x|^(2/e1) + |y|^(2/e1))^(e1/2), with coordinates as shares of the half
 * lengths, by steps of Levenberg and Marquardt. A mesh of any other form gets what comes near; `error` says
 * how near, as a share of the size.
 */
import type { Vec3 } from '../rooms/sketcher/document';

const SAMPLES = 240;
const LOW = [0, 0, 0.05, 0.05, -0.9, -0.9];
const HIGH = [Infinity, Infinity, 2, 2, 0.9, 0.9];

export interface MeshBody {
  at: Vec3;
  size: Vec3;
  e: [number, number];
  taper: [number, number];
  error: number;
}

/** Solves a small system of equations in place, whose matrix has the right side as its last column. */
function solve(m: number[][]): number[] {
  const n = m.length;
  for (let i = 0; i < n; i++) {
    const pivot = m.slice(i).reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(m[best]![i]!) ? i + k : best), i);
    [m[i], m[pivot]] = [m[pivot]!, m[i]!];
    for (let k = 0; k < n; k++) {
      if (k === i) continue;
      const f = m[k]![i]! / (m[i]![i]! || 1e-300);
      for (let c = i; c <= n; c++) m[k]![c]! -= f * m[i]![c]!;
    }
  }
  return m.map((row, i) => row[n]! / (row[i]! || 1e-300));
}

export function bodyOfMesh(points: ArrayLike<number>): MeshBody {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    lo[i % 3] = Math.min(lo[i % 3]!, points[i]!);
    hi[i % 3] = Math.max(hi[i % 3]!, points[i]!);
  }
  const at = lo.map((l, k) => (l + hi[k]!) / 2), half = lo.map((l, k) => Math.max(1e-4, (hi[k]! - l) / 2));
  const step = 3 * Math.max(1, Math.floor(points.length / 3 / SAMPLES));
  const samples: number[][] = [];
  for (let i = 0; i + 2 < points.length; i += step) samples.push([0, 1, 2].map((k) => (points[i + k]! - at[k]!) / half[k]!));
  const residuals = ([a, b, e1, e2, s, t]: number[]): number[] => samples.map(([x, y, z]) => {
    const m = (Math.abs(x! / (a! * (1 + s! * z!))) ** (2 / e1!) + Math.abs(y! / (b! * (1 + t! * z!))) ** (2 / e1!)) ** (e1! / 2);
    return (m ** (2 / e2!) + Math.abs(z!) ** (2 / e2!)) ** (e2! / 2) - 1;
  });
  const sum = (r: number[]): number => r.reduce((n, v) => n + v * v, 0);
  let p = [1, 1, 1, 1, 0, 0], r = residuals(p), cost = sum(r), damping = 1e-2;
  for (let i = 0; i < 60 && damping < 1e8 && cost > 1e-14 * samples.length; i++) {
    const columns = p.map((v, k) => {
      const h = v + 1e-6 > HIGH[k]! ? -1e-6 : 1e-6;
      return residuals(p.map((w, j) => (j === k ? w + h : w))).map((q, j) => (q - r[j]!) / h);
    });
    const dot = (u: number[], v: number[]): number => u.reduce((n, x, j) => n + x * v[j]!, 0);
    const by = solve(columns.map((c, k) => [...columns.map((d, j) => dot(c, d) * (j === k ? 1 + damping : 1) + (j === k ? 1e-12 : 0)), -dot(c, r)]));
    const next = p.map((v, k) => Math.min(HIGH[k]!, Math.max(LOW[k]! || 0.2 * v, v + by[k]!)));
    const trial = residuals(next), now = sum(trial);
    damping = now < cost ? damping / 5 : damping * 4;
    if (now < cost) [p, r, cost] = [next, trial, now];
  }
  const round = (v: number): number => Math.round(v * 1e5) / 1e5;
  return {
    at: at as unknown as Vec3, size: [half[0]! * p[0]!, half[1]! * p[1]!, half[2]!], e: [round(p[2]!), round(p[3]!)], taper: [round(p[4]!), round(p[5]!)],
    error: Math.sqrt(cost / samples.length),
  };
}
