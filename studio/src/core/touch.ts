/** The module's exports of the touch lab, typed: studio/wasm/touch.c. Metres and newtons. */
import type { Ovoid } from './ovoid';
import type { MeshArrays } from './query';

export type Vec3 = [number, number, number];
export const OBJECTS = ['egg', 'die', 'dumbbell', 'ring'] as const;
/** Seconds between two forces: 1 kHz, as haptic devices run. */
export const PERIOD = 1e-3;
const TRACE = 32, STEPS_MAX = 4000;

export interface Feel {
  stiffness: number;
  friction: number;
  radius: number;
}

export interface Made {
  mesh: MeshArrays;
  bytes: number;
  bricks: number;
  milliseconds: number;
}

export interface Felt {
  force: Vec3;
  normalForce: Vec3;
  friction: Vec3;
  ball: Vec3;
  normal: Vec3;
  depth: number;
  contact: boolean;
  sticking: boolean;
  /** The size of the force after each step. */
  trace: Float64Array;
}

export class Touch {
  constructor(private readonly module: Ovoid) {}

  private numbers(count: number): Float64Array {
    return this.module.f64(this.module.exports['studio_touch_numbers']!(), count);
  }

  make(object: number, vertices: number): Made {
    const start = performance.now(), m = this.module;
    m.check(m.exports['studio_touch_make']!(object, vertices));
    const [v, t, positions, normals, triangles, bytes, bricks] = this.numbers(7) as unknown as number[];
    return {
      mesh: {
        positions: Float32Array.from(m.f64(positions!, 3 * v!)), normals: Float32Array.from(m.f64(normals!, 3 * v!)),
        triangles: m.u32(triangles!, 3 * t!).slice(),
      },
      bytes: bytes!, bricks: bricks!, milliseconds: performance.now() - start,
    };
  }

  feel(f: Feel): void {
    this.numbers(6).set([f.stiffness, f.friction, 0.8 * f.friction, 0, 0, f.radius]);
    this.module.check(this.module.exports['studio_touch_feel']!());
  }

  lift(): void {
    this.module.exports['studio_touch_lift']!();
  }

  /** Leads the device evenly to a place, in so many steps. */
  lead(to: Vec3, steps: number): Felt {
    const count = Math.max(1, Math.min(STEPS_MAX, Math.floor(steps)));
    this.numbers(4).set([...to, PERIOD]);
    this.module.check(this.module.exports['studio_touch_lead']!(count));
    const n = this.numbers(TRACE + count);
    const at = (i: number): Vec3 => [n[i]!, n[i + 1]!, n[i + 2]!];
    return {
      force: at(0), normalForce: at(3), friction: at(6), ball: at(9), normal: at(12), depth: n[15]!,
      contact: n[16] === 1, sticking: n[17] === 1, trace: n.slice(TRACE),
    };
  }
}
