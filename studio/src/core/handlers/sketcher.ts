/**
 * What the worker does for the sketcher: it keeps the model of the sketch on screen, and the puppet of
 * the physics mode, and answers with plain arrays.
 */
import { fitBones, Model, type Format, type ModelModule, type FittedPart, type SelfContact, type Sweep } from '../model';

export interface BuildArgs {
  numbers: Float64Array;
  names: string[];
  joints: number[];
  angles: number[];
  limit: number;
}
export interface Built {
  poses: Float64Array;
  contacts: SelfContact[];
}
export interface KeysArgs {
  times: number[];
  rows: number[][];
  samples: number;
  cubic: boolean;
}
export interface StepArgs {
  dt: number;
  frames: number;
  pull: { link: number; point: number[]; target: number[] } | null;
  twist: { link: number; axis: number[]; angle: number } | null;
}

export function sketcherHandlers(module: ModelModule) {
  let model: Model | null = null;
  let joints: number[] = [];
  let pulled = false;

  const the = (): Model => {
    if (!model) throw new Error('no model');
    return model;
  };
  const build = (a: BuildArgs): Built => {
    const made = new Model(module, a.numbers, a.names);
    model?.destroy();
    model = made;
    joints = a.joints;
    return pose(a);
  };
  const pose = (a: { angles: number[]; limit: number }): Built => {
    const positions = the().positions(joints, a.angles);
    return { poses: the().poses(positions), contacts: a.limit >= 0 ? the().contacts(positions, a.limit) : [] };
  };
  const rows = (a: KeysArgs): Float64Array => {
    const out = new Float64Array(a.rows.length * the().positionCount);
    a.rows.forEach((r, i) => out.set(the().positions(joints, r), i * the().positionCount));
    return out;
  };
  const drop = (): null => {
    model?.destroy();
    model = null;
    return null;
  };
  return {
    build,
    pose,
    drop,
    play: (a: KeysArgs): Float64Array => {
      const positions = the().play(a.times, rows(a), a.samples, a.cubic);
      const out = new Float64Array(a.samples * 7 * the().links);
      for (let i = 0; i < a.samples; i++) {
        const width = the().positionCount;
        out.set(the().poses(positions.slice(i * width, (i + 1) * width)), i * 7 * the().links);
      }
      return out;
    },
    sweep: (a: KeysArgs): Sweep => the().sweep(a.times, rows(a), a.cubic),
    start: (a: { angles: number[]; fixed: boolean; gravity: number; ground: number }): null => {
      the().startPuppet(the().positions(joints, a.angles), a.fixed, a.gravity, a.ground);
      pulled = false;
      return null;
    },
    /** Poses, the largest error of a joint, and the milliseconds that it took. */
    step: (a: StepArgs): Float64Array => {
      if (pulled && !a.pull && !a.twist) the().release();
      pulled = Boolean(a.pull ?? a.twist);
      if (a.pull) the().pull(a.pull.link, a.pull.point, a.pull.target);
      if (a.twist) the().twist(a.twist.link, a.twist.axis, a.twist.angle);
      const start = performance.now();
      const out = the().step(a.dt, a.frames);
      return Float64Array.of(...out, performance.now() - start);
    },
    stop: (): null => {
      model?.stopPuppet();
      return null;
    },
    write: (a: { name: string; format: Format; angles: number[] }): { name: string; data: Uint8Array }[] =>
      the().write(a.name, a.format, the().positions(joints, a.angles)),
    fit: (a: { points: Float64Array; triangles: Uint32Array; bones: Float64Array; parts: number }): FittedPart[] =>
      fitBones(module, a.points, a.triangles, a.bones, a.parts),
  };
}
