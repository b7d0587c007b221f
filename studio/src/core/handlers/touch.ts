/** What the worker does for the touch lab: it builds maps, and is the device's servo loop. */
import type { Ovoid } from '../ovoid';
import { Touch, type Feel, type Felt, type Vec3 } from '../touch';

export function touchHandlers(module: Ovoid) {
  const touch = new Touch(module);
  let steps = 0, milliseconds = 0;
  /** A step of the loop, and how many of them a second there could be. */
  const lead = (a: { to: Vec3; steps: number }): Felt & { rate: number } => {
    const start = performance.now();
    const felt = touch.lead(a.to, a.steps);
    milliseconds += performance.now() - start;
    steps += felt.trace.length;
    return { ...felt, rate: milliseconds > 0 ? (1000 * steps) / milliseconds : 0 };
  };
  return {
    'touch.make': (a: { object: number; vertices: number }) => touch.make(a.object, a.vertices),
    'touch.feel': (a: Feel) => touch.feel(a),
    'touch.lift': () => touch.lift(),
    'touch.lead': lead,
  };
}
