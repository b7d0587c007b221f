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

const address = (name: string): URL => new URL(`./${name}`, self.location.href.replace(/assets\/[^/]*$/, ''));

async function fetchModule(): Promise<ArrayBuffer> {
  const answer = await fetch(address('ovoid.wasm'));
  if (!answer.ok) throw new Error(`ovoid.wasm could not be loaded: ${answer.status}`);
  return answer.arrayBuffer();
}

/** A part of the module, at once: the call that needs it waits inside WebAssembly. Where that fails, as
 *  without a network, the next call asks again. */
function fetchPart(name: string): ArrayBuffer {
  const request = new XMLHttpRequest();
  request.open('GET', address(name), false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status !== 200) throw new Error(String(request.status));
  return request.response as ArrayBuffer;
}

async function start(): Promise<Map<string, Any>> {
  const module = await Ovoid.load(await fetchModule(), fetchPart);
  return new Map<string, Any>([
    ...Object.entries(queryHandlers(module) as Record<string, Any>),
    ...Object.entries(touchHandlers(module) as Record<string, Any>),
    ...Object.entries(playHandlers(module.exports as unknown as PlayExports) as unknown as Record<string, Any>),
    ...prefixed('dress', dressHandlers(module)),
    ...prefixed('sketcher', sketcherHandlers(module)),
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
