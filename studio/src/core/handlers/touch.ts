/** What the worker does for the touch lab: it builds maps, and is the device's servo loop. */
import type { Ovoid } from '../ovoid';
import { Touch, type Feel, type Felt, type Vec3 } from '../touch';

export function touchHandlers(load: () => Promise<Ovoid>) {
  let loading: Promise<Touch> | null = null;
  const touch = (): Promise<Touch> => (loading ??= load().then((module) => new Touch(module)).catch((error: unknown) => {
    loading = null;
    throw error;
  }));
  let steps = 0, milliseconds = 0;
  /** A step of the loop, and how many of them a second there could be. */
  const lead = async (a: { to: Vec3; steps: number }): Promise<Felt & { rate: number }> => {
    const lab = await touch(), start = performance.now();
    const felt = lab.lead(a.to, a.steps);
    milliseconds += performance.now() - start;
    steps += felt.trace.length;
    return { ...felt, rate: milliseconds > 0 ? (1000 * steps) / milliseconds : 0 };
  };
  return {
    'touch.make': (a: { object: number; vertices: number }) => touch().then((t) => t.make(a.object, a.vertices)),
    'touch.feel': (a: Feel) => touch().then((t) => t.feel(a)),
    'touch.lift': () => touch().then((t) => t.lift()),
    'touch.lead': lead,
  };
}
