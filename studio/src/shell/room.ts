/** What a room is, and what the shell gives it. */
import type { CoreClient } from '../core/client';
import type { History } from '../core/history';

export type { CoreClient, History };

/** Something a person can do: a button, a key, and a line in the help. Every gesture has one. */
export interface Command {
  id: string;
  label: string;
  key?: string;
  /** Shown in the toolbar; the others are in the help overlay alone. True where it is not given. */
  button?: boolean;
  run(): void;
  enabled?(): boolean;
}

export interface Services {
  core: CoreClient;
  /** Says a text to screen readers. */
  announce(text: string): void;
  /** Shows a text for some seconds, and says it. */
  toast(text: string): void;
  openFile(accept: string): Promise<File | null>;
  saveFile(name: string, data: Blob): void;
  /** An autosaved document; undo and redo of the toolbar are about the latest one. `valid` refuses
   *  what an older studio saved. */
  history<T>(initial: T, key: string, valid?: (saved: unknown) => boolean): History<T>;
}

export interface Room {
  mount(host: HTMLElement, services: Services): Promise<void>;
  unmount(): void;
  state(): unknown;
  commands(): Command[];
  /** A file that was dropped on the page. */
  drop?(file: File): Promise<void>;
}
