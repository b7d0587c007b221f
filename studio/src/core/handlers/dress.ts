/** What the worker does for the mannequin: it moves the figure, and the cloth over it. */
import { anglesOf, PARTS, pinnedAt, place, type Angles, type PartPin, type Placed, type Pose } from '../figure';
import { cut, type Garment } from '../garments';
import type { Ovoid } from '../ovoid';
import type { Vec3 } from '../play';

const STEP = 1 / 60, ROW = 14, FINGER = 0.1; // s; numbers of a part; m around the finger that it takes
const SPEED = 75; // degrees per second that a joint turns
const HASTE = 1; // m/s, of a hand that pulls
const FALL = 0.5; // s that a garment falls before the figure moves

export interface Dressed { triangles: Uint32Array; vertices: number }
/** Positions and normals of the cloth; position and rotation of each part; how fast the cloth is, by the
 *  mean square of its vertices: a few that are squeezed between two parts never rest. `still`: the figure is. */
export interface DressFrame { picture: Float32Array; parts: Float64Array; speed: number; still: boolean }
export interface DressPick { part: number; partHit: number[] | null; vertex: number; clothHit: number[] | null }

class DressWorker {
  private handle = 0;
  private angles: Angles = anglesOf('cross');
  private aim: Angles = this.angles;
  private wait = 0;
  private pinned: PartPin[] = [];
  private hand: Vec3 = [0, 0, 0];
  private shown = new Float32Array();
  private parts: Placed[] = place(this.angles);

  constructor(private readonly module: Ovoid) {}

  private run(name: string, ...args: number[]): number {
    return this.module.exports[`terrain_${name}`]!(...args);
  }

  /** A new garment on a figure with its arms spread, which goes to its pose once the cloth has fallen. */
  wear(a: { garment: Garment; length: number; width: number; pins: PartPin[]; pose: Pose }): Dressed {
    this.close();
    const m = this.module, made = cut(a.garment, a.length, a.width);
    const positions = m.alloc(made.positions.byteLength), corners = m.alloc(made.triangles.byteLength);
    m.f64(positions, made.positions.length).set(made.positions);
    m.u32(corners, made.triangles.length).set(made.triangles);
    this.handle = this.run('garment', made.positions.length / 3, positions, made.triangles.length / 3, corners);
    m.free(positions);
    m.free(corners);
    if (this.handle === 0) throw new Error('no memory for a garment');
    this.angles = anglesOf('cross');
    this.wait = FALL;
    this.move(0);
    this.pose(a);
    this.pins(a);
    return { triangles: made.triangles, vertices: made.positions.length / 3 };
  }

  close(): null {
    if (this.handle) this.run('destroy', this.handle);
    this.handle = 0;
    this.pinned = [];
    return null;
  }

  pose(a: { pose: Pose }): null {
    this.aim = anglesOf(a.pose);
    return null;
  }

  pins(a: { pins: PartPin[] }): null {
    const kept = new Set(a.pins.map((p) => p.vertex));
    for (const p of this.pinned) if (!kept.has(p.vertex)) this.run('unpin', this.handle, p.vertex);
    this.pinned = a.pins.filter((p) => PARTS[p.part]);
    return null;
  }

  /** The figure `dt` seconds later: joints turn evenly towards the pose; pins go along. */
  private move(dt: number): void {
    this.wait -= dt;
    if (this.wait <= 0) {
      const most = SPEED * dt;
      this.angles = this.angles.map((a, i) => a.map((x, k) => x + Math.min(most, Math.max(-most, this.aim[i]![k]! - x))) as Vec3);
    }
    this.parts = place(this.angles);
    const m = this.module, row = m.alloc(8 * ROW);
    this.parts.forEach(({ position, rotation }, i) => {
      const p = PARTS[i]!;
      m.f64(row, ROW).set([...position, ...rotation, ...p.size, ...p.exponents, ...p.taper]);
      if (!this.run('part', this.handle, i, row)) throw new Error(`the ${p.name} is no body`);
    });
    m.free(row);
    for (const pin of this.pinned) this.run('pin', this.handle, pin.vertex, ...pinnedAt(this.parts, pin));
  }

  /** By how far it has moved since the last picture. */
  private speed(picture: Float32Array, steps: number): number {
    const half = picture.length / 2, before = this.shown;
    this.shown = picture.slice(0, half);
    if (before.length !== half || steps === 0) return Infinity;
    let sum = 0;
    for (let i = 0; i < half; i++) sum += (picture[i]! - before[i]!) ** 2;
    return Math.sqrt((3 * sum) / half) / (steps * STEP);
  }

  frame(a: { steps: number; lead?: Vec3 | null }): { value: DressFrame; transfer: Transferable[] } {
    for (let i = 0; i < a.steps; i++) {
      if (a.lead) this.pull(a.lead);
      this.move(STEP);
      const status = this.run('step', this.handle, STEP);
      if (status < 0) throw new Error(`the cloth stopped (${status})`);
    }
    const count = 6 * this.run('vertex_count', this.handle);
    const picture = new Float32Array(this.module.memory.buffer, this.run('picture', this.handle), count).slice();
    const parts = Float64Array.from(this.parts.flatMap((p) => [...p.position, ...p.rotation]));
    return { value: { picture, parts, speed: this.speed(picture, a.steps), still: this.wait <= 0 && this.angles.every((x, i) => x.every((y, k) => y === this.aim[i]![k])) }, transfer: [picture.buffer, parts.buffer] };
  }

  pick(a: { origin: Vec3; direction: Vec3 }): DressPick {
    const hit = (): number[] => [...this.module.f64(this.run('hit', this.handle), 4)];
    const part = this.run('pick_body', this.handle, ...a.origin, ...a.direction), partHit = part >= 0 ? hit() : null;
    const vertex = this.run('pick_cloth', this.handle, ...a.origin, ...a.direction);
    return { part, partHit, vertex, clothHit: vertex >= 0 ? hit() : null };
  }

  private pull(to: Vec3): void {
    const way = to.map((x, i) => x - this.hand[i]!), part = Math.min(1, (HASTE * STEP) / Math.max(1e-9, Math.hypot(...way)));
    this.hand = this.hand.map((x, i) => x + part * way[i]!) as Vec3;
    this.run('lead', this.handle, ...this.hand);
  }

  grab(a: { vertex: number; at: Vec3 }): null {
    this.run('grab', this.handle, a.vertex, FINGER);
    this.hand = a.at;
    this.run('lead', this.handle, ...a.at);
    return null;
  }

  letGo(): null {
    this.run('let_go', this.handle);
    return null;
  }

  drape(): Float64Array {
    return this.module.f64(this.run('positions', this.handle), 3 * this.run('vertex_count', this.handle)).slice();
  }

  /** How deep the cloth is in the figure, by the certified query: an upper bound, in metres. */
  depth(): number {
    return this.run('depth', this.handle);
  }
}

export const dressHandlers = (module: Ovoid): object => {
  const d = new DressWorker(module);
  return Object.fromEntries((['wear', 'close', 'pose', 'pins', 'frame', 'pick', 'grab', 'letGo', 'drape', 'depth'] as const)
    .map((name) => [name, (args: never) => d[name](args)]));
};
