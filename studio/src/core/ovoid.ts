/**
 * The WebAssembly module: loaded once per worker, its memory as typed arrays, statuses as text.
 * One class per C file of studio/wasm stands on this (query.ts, model.ts, play.ts, touch.ts).
 */
import { MemoryFiles } from './memory-files';
import { instantiate } from './parts';

export type Exports = Record<string, (...args: number[]) => number>;

export class Ovoid {
  readonly exports: Exports;
  readonly memory: WebAssembly.Memory;

  private constructor(instance: WebAssembly.Instance, readonly files: MemoryFiles) {
    this.exports = instance.exports as unknown as Exports;
    this.memory = instance.exports['memory'] as WebAssembly.Memory;
    files.attach(this.memory);
    this.exports['_initialize']?.();
  }

  /** `fetchPart` gets the bytes of a part at once, or throws; it is called when the part is first needed. */
  static async load(source: BufferSource, fetchPart: (name: string) => BufferSource): Promise<Ovoid> {
    const files = new MemoryFiles();
    const system = { wasi_snapshot_preview1: files.imports() as unknown as WebAssembly.ModuleImports };
    return new Ovoid(await instantiate(source, system, fetchPart), files);
  }

  /** A view of doubles in the module's memory, valid until the memory grows. */
  f64(at: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, count);
  }

  u32(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, count);
  }

  alloc(bytes: number): number {
    const at = this.exports['malloc']!(Math.max(8, bytes));
    if (at === 0) throw new Error('out of memory');
    return at;
  }

  free(at: number): void {
    this.exports['free']!(at);
  }

  message(status: number): string {
    const at = this.exports['studio_status_message']!(status);
    const bytes = new Uint8Array(this.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /** Throws what the library says about a negative status. */
  check(status: number): number {
    if (status < 0) throw new Error(this.message(status));
    return status;
  }
}
