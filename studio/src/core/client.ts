/** The page's side of the worker: calls by name, and calls of which only the latest counts. */
export interface CoreClient {
  call<T>(method: string, args: unknown, transfer?: Transferable[]): Promise<T>;
  /** For drags: while one is under way the others wait, and of those only the last is made. */
  latest<T>(key: string, method: string, args: unknown): Promise<T | null>;
}

interface Waiting { resolve(value: unknown): void; reject(error: Error): void }

export class WorkerClient implements CoreClient {
  private readonly worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  private readonly waiting = new Map<number, Waiting>();
  private readonly busy = new Map<string, { next: (() => void) | null; drop: (() => void) | null }>();
  private id = 0;

  constructor() {
    this.worker.addEventListener('message', (event: MessageEvent<{ id: number; value?: unknown; error?: string }>) => {
      const entry = this.waiting.get(event.data.id);
      this.waiting.delete(event.data.id);
      if (event.data.error !== undefined) entry?.reject(new Error(event.data.error));
      else entry?.resolve(event.data.value);
    });
    this.worker.addEventListener('error', (event) => {
      for (const entry of this.waiting.values()) entry.reject(new Error(event.message || 'the worker stopped'));
      this.waiting.clear();
    });
  }

  /** How many calls were made. */
  get asked(): number {
    return this.id;
  }

  /** Whether the first `count` calls are answered. */
  answered(count: number): boolean {
    return [...this.waiting.keys()].every((id) => id > count);
  }

  call<T>(method: string, args: unknown, transfer: Transferable[] = []): Promise<T> {
    const id = ++this.id;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (v: unknown) => void, reject });
      this.worker.postMessage({ id, method, args }, transfer);
    });
  }

  latest<T>(key: string, method: string, args: unknown): Promise<T | null> {
    const running = this.busy.get(key);
    if (running) {
      running.drop?.();
      return new Promise<T | null>((resolve, reject) => {
        running.drop = () => resolve(null);
        running.next = () => void this.latest<T>(key, method, args).then(resolve, reject);
      });
    }
    const entry: { next: (() => void) | null; drop: (() => void) | null } = { next: null, drop: null };
    this.busy.set(key, entry);
    return this.call<T>(method, args).finally(() => {
      this.busy.delete(key);
      entry.next?.();
    });
  }
}
