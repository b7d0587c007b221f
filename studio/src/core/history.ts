/** Undo and redo without limit, over documents that are never changed in place. */
import { load, save } from './autosave';

export class History<T> {
  private past: T[] = [];
  private future: T[] = [];
  private now: T;
  private readonly listeners = new Set<(value: T) => void>();

  constructor(initial: T, private readonly key: string, valid: (saved: unknown) => boolean = () => true) {
    const kept = load(key);
    this.now = kept !== undefined && valid(kept) ? (kept as T) : initial;
  }

  get value(): T {
    return this.now;
  }
  get canUndo(): boolean {
    return this.past.length > 0;
  }
  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** A new state; with `merge` it replaces the present one, as within a drag. */
  push(value: T, merge = false): void {
    if (!merge) this.past.push(this.now);
    this.future = [];
    this.set(value);
  }
  undo(): boolean {
    const value = this.past.pop();
    if (value === undefined) return false;
    this.future.push(this.now);
    this.set(value);
    return true;
  }
  redo(): boolean {
    const value = this.future.pop();
    if (value === undefined) return false;
    this.past.push(this.now);
    this.set(value);
    return true;
  }
  subscribe(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  private set(value: T): void {
    this.now = value;
    save(this.key, value);
    for (const listener of this.listeners) listener(value);
  }
}
