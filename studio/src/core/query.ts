/** The query lab's side of studio/wasm/query.c: shapes, contacts, derivatives and meshes. */
import type { Ovoid } from './ovoid';

export const KINDS = ['sphere', 'ellipsoid', 'superellipsoid', 'superovoid', 'halfspace', 'box', 'capsule', 'cylinder', 'cone'] as const;
export type Kind = (typeof KINDS)[number];
export const RELATIONS = ['undecided', 'separated', 'touching', 'overlapping'] as const;

/** A body of a scene. Of the sizes a capsule, cylinder and cone use the first and the third. */
export interface Body {
  name: string;
  kind: Kind;
  size: [number, number, number];
  exponents: [number, number];
  taper: [number, number];
  position: [number, number, number];
  rotation: [number, number, number, number];
}

export interface Contact {
  a: number;
  b: number;
  gap: number;
  lower: number;
  upper: number;
  pointA: [number, number, number];
  pointB: [number, number, number];
  normal: [number, number, number];
  relation: number;
  status: number;
  message: string;
  iterations: number;
}

export interface Derivatives {
  gap: number[][];
  shape: number[][];
  gapSmooth: boolean;
  contactSmooth: boolean;
}

export interface MeshArrays {
  positions: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
}

const ROW = 15;
const triple = (n: Float64Array, at: number): [number, number, number] => [n[at]!, n[at + 1]!, n[at + 2]!];

export class Query {
  constructor(private readonly m: Ovoid) {}

  private numbers(count: number): Float64Array {
    return this.m.f64(this.m.exports['studio_query_numbers']!(), count);
  }

  /** Makes a body; its dent, or an error with the library's reason. */
  shape(index: number, body: Body): number {
    const normal = body.kind === 'halfspace' ? [0, 0, 1] : [0, 0, 0];
    this.numbers(12).set([KINDS.indexOf(body.kind) + 1, ...body.size, ...body.exponents, ...body.taper, ...normal, 0]);
    this.m.check(this.m.exports['studio_query_shape']!(index));
    const dent = this.numbers(1)[0]!;
    this.pose(index, body);
    return dent;
  }

  pose(index: number, body: Pick<Body, 'position' | 'rotation'>): void {
    this.numbers(7).set([...body.position, ...body.rotation]);
    this.m.check(this.m.exports['studio_query_pose']!(index));
  }

  contacts(count: number): Contact[] {
    const rows = this.m.exports['studio_query_contacts']!(count);
    const n = this.numbers(ROW * rows).slice();
    const out: Contact[] = [];
    let row = 0;
    for (let b = 1; b < count; b++) {
      for (let a = 0; a < b && row < rows; a++, row++) {
        const at = row * ROW;
        const status = n[at + 13]!;
        out.push({
          a, b, gap: n[at]!, lower: n[at + 1]!, upper: n[at + 2]!, pointA: triple(n, at + 3), pointB: triple(n, at + 6),
          normal: triple(n, at + 9), relation: n[at + 12]!, status, message: this.m.message(status), iterations: n[at + 14]!,
        });
      }
    }
    return out;
  }

  derivatives(a: number, b: number): Derivatives {
    this.m.check(this.m.exports['studio_query_derivatives']!(a, b));
    const n = [...this.numbers(28)];
    return {
      gap: [n.slice(0, 6), n.slice(6, 12)], shape: [n.slice(12, 19), n.slice(19, 26)],
      gapSmooth: n[26] === 1, contactSmooth: n[27] === 1,
    };
  }

  drag(a: number, b: number, way: readonly number[], count: number): Float64Array {
    this.numbers(3).set(way);
    this.m.check(this.m.exports['studio_query_drag']!(a, b, count));
    return this.numbers(count).slice();
  }

  mesh(index: number, vertices: number): MeshArrays {
    this.m.check(this.m.exports['studio_query_mesh']!(index, vertices));
    const [v, t, at, normals, triangles] = this.numbers(5).slice() as unknown as [number, number, number, number, number];
    return {
      positions: Float32Array.from(this.m.f64(at, 3 * v)), normals: Float32Array.from(this.m.f64(normals, 3 * v)),
      triangles: this.m.u32(triangles, 3 * t).slice(),
    };
  }

  /** Places of the Newton iteration on both bodies, a pair of points for each step. */
  path(a: number, b: number): Float64Array {
    const steps = this.m.exports['studio_query_path']!(a, b);
    return this.numbers(6 * Math.max(0, steps)).slice();
  }
}
