/** The query lab's side of studio/wasm/query.c: bodies, contacts, derivatives and meshes. */
import type { Ovoid } from './ovoid';

/** Up to the polyhedron in the order of the library's numbers, which begin at 1. */
export const KINDS = ['sphere', 'ellipsoid', 'superellipsoid', 'superovoid', 'halfspace', 'box', 'capsule', 'cylinder', 'cone', 'polyhedron', 'mesh', 'compound'] as const;
export type Kind = (typeof KINDS)[number];
export const RELATIONS = ['undecided', 'separated', 'touching', 'overlapping'] as const;

/** Corners of a polyhedron or mesh, and its faces; a polyhedron without faces is the hull of its corners. Never changed
 *  in place: whoever has it knows it again. */
export interface Surface {
  vertices: number[];
  triangles?: number[];
  /** A closed mesh without an inside. */
  open?: boolean;
}

/** A body of a scene. Of the sizes a capsule, cylinder and cone use the first and the third; of a polyhedron or mesh
 *  they are factors of its corners' coordinates. */
export interface Body {
  surface?: Surface;
  /** Of a compound, placed in its frame. */
  parts?: Body[];
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
  /** Shaded face by face. */
  flat?: boolean;
  /** The way from each vertex to the hull of the surface, where there is a dent. */
  dent?: Float32Array;
}

const ROW = 15;
const triple = (n: Float64Array, at: number): [number, number, number] => [n[at]!, n[at + 1]!, n[at + 2]!];

export class Query {
  constructor(private readonly m: Ovoid) {}

  private numbers(count: number): Float64Array {
    return this.m.f64(this.m.exports['studio_query_numbers']!(), count);
  }

  private block(values: Float64Array | Uint32Array): number {
    const at = this.m.alloc(values.byteLength);
    if (values instanceof Float64Array) this.m.f64(at, values.length).set(values);
    else this.m.u32(at, values.length).set(values);
    return at;
  }

  /** Makes a body of parts; polyhedra and meshes come with their corners and faces. Its dent, or an error with the
   *  library's reason. */
  body(index: number, parts: readonly { body: Body; vertices: Float64Array; triangles: Uint32Array }[]): number {
    for (const { body, vertices, triangles } of parts) {
      const kind = (KINDS.indexOf(body.kind) + 1) % (KINDS.indexOf('polyhedron') + 2);
      const rough = kind === 0 || body.kind === 'polyhedron';
      const blocks = rough ? [this.block(vertices), vertices.length / 3, this.block(triangles), triangles.length / 3] : [];
      this.numbers(16).set([kind, ...body.size, ...body.exponents, ...body.taper, ...body.position, ...body.rotation, body.surface?.open ? 1 : 0]);
      this.m.check(this.m.exports[rough ? 'studio_query_surface' : 'studio_query_part']!(...blocks));
    }
    this.m.check(this.m.exports['studio_query_body']!(index));
    return this.numbers(1)[0]!;
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

  mesh(index: number, part: number, vertices: number, dent = false): MeshArrays {
    this.m.check(this.m.exports['studio_query_mesh']!(index, part, vertices));
    const [v, t, at, normals, triangles] = this.numbers(5).slice() as unknown as [number, number, number, number, number];
    const made: MeshArrays = {
      positions: Float32Array.from(this.m.f64(at, 3 * v)), normals: Float32Array.from(this.m.f64(normals, 3 * v)),
      triangles: this.m.u32(triangles, 3 * t).slice(),
    };
    if (!dent) return made;
    this.m.check(this.m.exports['studio_query_dent']!(index, part));
    return { ...made, dent: Float32Array.from(this.m.f64(normals, 3 * v)) };
  }

  /** Places of the Newton iteration on both bodies, a pair of points for each step. */
  path(a: number, b: number): Float64Array {
    const steps = this.m.exports['studio_query_path']!(a, b);
    return this.numbers(6 * Math.max(0, steps)).slice();
  }
}
