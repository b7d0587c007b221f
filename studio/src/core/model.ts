/**
 * Models of the sketcher over studio/wasm/model.c: made from a description, posed, checked, swept,
 * simulated and written. A status below zero is thrown as an Error with the library's own line.
 */
import type { MemoryFiles } from './memory-files';

/** What this needs of a loaded module. */
export interface ModelModule {
  readonly exports: Record<string, (...args: number[]) => number>;
  readonly memory: WebAssembly.Memory;
  readonly files: MemoryFiles;
}

export type Answer = 'free' | 'contact' | 'undecided';

export interface SelfContact {
  linkA: number;
  partA: number;
  linkB: number;
  partB: number;
  gap: number;
  lower: number;
  upper: number;
  relation: number;
  pointA: number[];
  pointB: number[];
  normal: number[];
}

export interface Sweep {
  answer: Answer;
  lower: number;
  upper: number;
  linkA: number;
  linkB: number;
  intervals: number;
}

export type Format = 'urdf' | 'mjcf' | 'sdf' | 'dae' | 'gltf' | 'glb' | 'json';
const FORMATS: { readonly [f in Format]: [number, string] } = {
  urdf: [1, 'urdf'], mjcf: [2, 'xml'], sdf: [3, 'sdf'], dae: [4, 'dae'], gltf: [5, 'gltf'], glb: [6, 'glb'], json: [7, 'json'],
};

const CONTACT_ROW = 17;
const CONTACTS_MAX = 512;
const PART_ROW = 15;

/** Memory of the module for the time of a call. */
class Scratch {
  private readonly blocks: number[] = [];

  constructor(private readonly m: ModelModule) {}

  private room(bytes: number): number {
    const at = this.m.exports['malloc']!(Math.max(8, bytes));
    if (at === 0) throw new Error('out of memory');
    this.blocks.push(at);
    return at;
  }
  doubles(values: ArrayLike<number> | number): number {
    const length = typeof values === 'number' ? values : values.length;
    const at = this.room(8 * length);
    if (typeof values !== 'number') new Float64Array(this.m.memory.buffer, at, length).set(values);
    return at;
  }
  integers(values: Uint32Array): number {
    const at = this.room(4 * values.length);
    new Uint32Array(this.m.memory.buffer, at, values.length).set(values);
    return at;
  }
  text(text: string): [number, number] {
    const bytes = new TextEncoder().encode(text);
    const at = this.room(bytes.length + 1);
    const to = new Uint8Array(this.m.memory.buffer, at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return [at, bytes.length];
  }
  read(at: number, length: number): Float64Array {
    return new Float64Array(this.m.memory.buffer, at, length).slice();
  }
  free(): void {
    for (const at of this.blocks) this.m.exports['free']!(at);
  }
}

function fault(m: ModelModule, name = 'studio_model_fault'): Error {
  const at = m.exports[name]!();
  const bytes = new Uint8Array(m.memory.buffer, at, 256);
  return new Error(new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0))) || 'the library refused it');
}

function within<T>(m: ModelModule, f: (s: Scratch) => T): T {
  const s = new Scratch(m);
  try {
    return f(s);
  } finally {
    s.free();
  }
}

export class Model {
  private handle: number;
  private puppet = 0;
  readonly positionCount: number;

  constructor(private readonly m: ModelModule, numbers: Float64Array, names: readonly string[]) {
    this.handle = within(m, (s) => {
      const [at, length] = s.text(names.map((n) => n.replace(/\0/g, ' ') + '\0').join(''));
      return m.exports['studio_model_create']!(s.doubles(numbers), numbers.length, at, length);
    });
    if (this.handle === 0) throw fault(m);
    this.positionCount = m.exports['studio_model_position_count']!(this.handle);
    this.links = numbers[0]!;
  }

  readonly links: number;

  destroy(): void {
    this.stopPuppet();
    this.m.exports['studio_model_destroy']!(this.handle);
    this.handle = 0;
  }

  private check(status: number): number {
    if (status < 0) throw fault(this.m);
    return status;
  }

  /** Positions for angles of joints, in the order of `joints`; everything else at rest. */
  positions(joints: readonly number[], angles: ArrayLike<number>): Float64Array {
    return within(this.m, (s) => {
      const at = s.doubles(this.positionCount);
      this.m.exports['studio_model_rest']!(this.handle, at);
      const out = s.read(at, this.positionCount);
      joints.forEach((j, i) => (out[this.m.exports['studio_model_joint_position']!(this.handle, j)] = angles[i]!));
      return out;
    });
  }

  /** Seven numbers per link. */
  poses(positions: Float64Array): Float64Array {
    return within(this.m, (s) => {
      const out = s.doubles(7 * this.links);
      this.check(this.m.exports['studio_model_poses']!(this.handle, s.doubles(positions), out));
      return s.read(out, 7 * this.links);
    });
  }

  contacts(positions: Float64Array, limit: number): SelfContact[] {
    return within(this.m, (s) => {
      const out = s.doubles(CONTACT_ROW * CONTACTS_MAX);
      const count = this.check(this.m.exports['studio_model_contacts']!(this.handle, s.doubles(positions), limit, out, CONTACTS_MAX));
      return Array.from({ length: Math.min(count, CONTACTS_MAX) }, (_, i) => {
        const r = [...s.read(out + 8 * CONTACT_ROW * i, CONTACT_ROW)];
        return {
          linkA: r[0]!, partA: r[1]!, linkB: r[2]!, partB: r[3]!, gap: r[4]!, lower: r[5]!, upper: r[6]!, relation: r[7]!,
          pointA: r.slice(8, 11), pointB: r.slice(11, 14), normal: r.slice(14, 17),
        };
      });
    });
  }

  /** Positions at equal steps of time between key frames. */
  play(times: number[], rows: Float64Array, samples: number, cubic: boolean): Float64Array {
    return within(this.m, (s) => {
      const out = s.doubles(samples * this.positionCount);
      this.check(this.m.exports['studio_model_play']!(this.handle, s.doubles(times), s.doubles(rows), times.length, cubic ? 1 : 0, samples, out));
      return s.read(out, samples * this.positionCount);
    });
  }

  sweep(times: number[], rows: Float64Array, cubic: boolean, clearance = 0): Sweep {
    return within(this.m, (s) => {
      const out = s.doubles(6);
      this.check(this.m.exports['studio_model_sweep']!(this.handle, s.doubles(times), s.doubles(rows), times.length, cubic ? 1 : 0, clearance, out));
      const r = s.read(out, 6);
      return { answer: (['free', 'contact', 'undecided'] as const)[r[0]!]!, lower: r[1]!, upper: r[2]!, linkA: r[3]!, linkB: r[4]!, intervals: r[5]! };
    });
  }

  startPuppet(positions: Float64Array, fixed: boolean, gravity: number, ground: number): void {
    this.stopPuppet();
    this.puppet = within(this.m, (s) => this.m.exports['studio_puppet_create']!(this.handle, s.doubles(positions), fixed ? 1 : 0, gravity, ground));
    if (this.puppet === 0) throw fault(this.m);
  }
  stopPuppet(): void {
    if (this.puppet) this.m.exports['studio_puppet_destroy']!(this.puppet);
    this.puppet = 0;
  }
  /** Poses of the links after some frames, and the largest error of a joint at the end. */
  step(dt: number, frames = 1): Float64Array {
    if (!this.puppet) throw new Error('no puppet');
    return within(this.m, (s) => {
      const out = s.doubles(7 * this.links + 1);
      for (let i = 0; i < frames; i++) this.check(this.m.exports['studio_puppet_step']!(this.puppet, dt, out));
      return s.read(out, 7 * this.links + 1);
    });
  }
  pull(link: number, point: ArrayLike<number>, target: ArrayLike<number>): void {
    if (this.puppet) within(this.m, (s) => this.check(this.m.exports['studio_puppet_pull']!(this.puppet, link, s.doubles(point), s.doubles(target))));
  }
  twist(link: number, axis: ArrayLike<number>, angle: number): void {
    if (this.puppet) within(this.m, (s) => this.check(this.m.exports['studio_puppet_twist']!(this.puppet, link, s.doubles(axis), angle)));
  }
  release(): void {
    if (this.puppet) this.m.exports['studio_puppet_release']!(this.puppet);
  }

  /** The files of a format: the model's own first, then its meshes. */
  write(name: string, format: Format, positions: Float64Array): { name: string; data: Uint8Array }[] {
    const [code, ending] = FORMATS[format];
    const path = `${name}.${ending}`;
    return within(this.m, (s) => {
      this.m.files.take();
      this.check(this.m.exports['studio_model_write']!(this.handle, s.text('/' + path)[0], code, s.doubles(positions)));
      const files = this.m.files.take();
      return [...files.filter((f) => f.name === path), ...files.filter((f) => f.name !== path)];
    });
  }
}

export interface FittedPart {
  bone: number;
  at: number[];
  turn: number[];
  size: number[];
  e: number[];
  taper: number[];
}

/** Bodies for bones, from a mesh; everything in the world. */
export function fitBones(m: ModelModule, points: Float64Array, triangles: Uint32Array, bones: Float64Array, parts: number): FittedPart[] {
  return within(m, (s) => {
    const count = bones.length / 6;
    const out = s.doubles(PART_ROW * count * Math.max(1, parts));
    const made = m.exports['studio_fit']!(s.doubles(points), points.length / 3, s.integers(triangles), triangles.length / 3, s.doubles(bones), count, parts, out);
    if (made < 0) throw fault(m, 'studio_fit_fault');
    return Array.from({ length: made }, (_, i) => {
      const r = [...s.read(out + 8 * PART_ROW * i, PART_ROW)];
      return { bone: r[0]!, at: r.slice(1, 4), turn: r.slice(4, 8), size: r.slice(8, 11), e: r.slice(11, 13), taper: r.slice(13, 15) };
    });
  });
}
