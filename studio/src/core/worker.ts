/**
 * The worker: everything that computes. It loads the module and answers {id, method, args} with
 * {id, value} or {id, error}; methods are named room.verb. A handler returns its value, or
 * {value, transfer} where buffers shall move instead of being copied.
 */
import { Ovoid } from './ovoid';
import type { PlayExports } from './play';
import { dressHandlers } from './handlers/dress';
import { playHandlers } from './handlers/play';
import { queryHandlers } from './handlers/query';
import { sketcherHandlers } from './handlers/sketcher';
import { touchHandlers } from './handlers/touch';

type Any = (args: never) => unknown;
interface Moved { value: unknown; transfer?: Transferable[] }

const prefixed = (room: string, handlers: object): [string, Any][] =>
  Object.entries(handlers).map(([name, run]) => [`${room}.${name}`, run as Any]);

const load = (name: string): Promise<Ovoid> =>
  Ovoid.load(fetch(new URL(`./${name}`, self.location.href.replace(/assets\/[^/]*$/, ''))));

/** A module on first use; where that failed, as without a network, the next use asks again. */
function onDemand(name: string): () => Promise<Ovoid> {
  let module: Promise<Ovoid> | null = null;
  return () => (module ??= load(name).catch((error: unknown) => {
    module = null;
    throw error;
  }));
}

async function start(): Promise<Map<string, Any>> {
  const module = await load('ovoid.wasm');
  return new Map<string, Any>([
    ...Object.entries(queryHandlers(module) as Record<string, Any>),
    ...Object.entries(touchHandlers(onDemand('touch.wasm')) as Record<string, Any>),
    ...Object.entries(playHandlers(module.exports as unknown as PlayExports) as unknown as Record<string, Any>),
    ...prefixed('dress', dressHandlers(module)),
    ...prefixed('sketcher', sketcherHandlers(module, onDemand('fit.wasm'))),
  ]);
}

const ready = start();
const isMoved = (v: unknown): v is Moved =>
  typeof v === 'object' && v !== null && 'value' in v && Object.keys(v).every((k) => k === 'value' || k === 'transfer');

self.addEventListener('message', (event: MessageEvent<{ id: number; method: string; args: never }>) => {
  const { id, method, args } = event.data;
  void (async () => {
    try {
      const run = (await ready).get(method);
      if (!run) throw new Error(`no method ${method}`);
      const answer = await run(args);
      const moved = isMoved(answer) ? answer : { value: answer };
      self.postMessage({ id, value: moved.value }, { transfer: moved.transfer ?? [] });
    } catch (error) {
      self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
  })();
});
