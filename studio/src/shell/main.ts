/** The shell: start page, the way to a room by its address, toolbar, undo, help, files and theme. */
import './theme.css';
import { WorkerClient } from '../core/client';
import { History } from '../core/history';
import { load, save } from '../core/autosave';
import { helpOf, shell as texts } from '../texts';
import { button, element } from './dom';
import type { Command, Room, Services } from './room';

type Entry = { createRoom(): Room } | { default(): Room };
/** Loaded when they are first visited. */
const entries = import.meta.glob<Entry>('../rooms/*/room.ts');
const rooms: Record<string, () => Promise<Entry>> = Object.fromEntries(
  Object.entries(entries).map(([path, load]) => [path.split('/')[2]!, load]));

const ICONS: Record<string, string> = { undo: '↶', redo: '↷', help: '?', theme: '◐', home: '⌂' };

class Shell {
  readonly core = new WorkerClient();
  private readonly bar = element('header', { className: 'bar' });
  private readonly title = element('h1', { className: 'title' });
  private readonly tools = element('nav', { className: 'tools', 'aria-label': texts.tools });
  private readonly host = element('main', { className: 'host', id: 'host' });
  private readonly live = element('div', { className: 'live', role: 'status', 'aria-live': 'polite' });
  private readonly bubble = element('div', { className: 'toast' });
  private help: HTMLDialogElement | null = null;
  private name = '';
  private room: Room | null = null;
  private document: History<unknown> | null = null;
  private visit = 0;
  private timer = 0;
  ready = false;

  start(app: HTMLElement): void {
    this.bar.append(
      button(texts.home, () => (location.hash = '#/'), 'icon', ICONS['home']), this.title, this.tools,
      element('span', { className: 'fill' }),
      button(texts.undo, () => this.undo(), 'icon undo', ICONS['undo']), button(texts.redo, () => this.redo(), 'icon redo', ICONS['redo']),
      button(texts.theme, () => this.turnTheme(), 'icon', ICONS['theme']), button(texts.help, () => this.toggleHelp(), 'icon', ICONS['help']),
    );
    this.bubble.hidden = true;
    app.append(this.bar, this.host, this.bubble, this.live);
    const theme = load('theme');
    if (theme === 'dark' || theme === 'light') document.documentElement.dataset['theme'] = theme;
    window.addEventListener('hashchange', () => void this.go());
    window.addEventListener('keydown', (e) => this.key(e));
    window.addEventListener('dragover', (e) => e.preventDefault());
    window.addEventListener('drop', (e) => {
      e.preventDefault();
      const file = e.dataTransfer?.files[0];
      if (file) void this.take(file);
    });
    // what no room looks at, as a part of the module that could not be loaded
    window.addEventListener('unhandledrejection', (e) => this.toast((e.reason as Error).message));
    void this.go();
  }

  /** The address is #/room or #/room?what, of which the room reads the rest itself. */
  private async go(): Promise<void> {
    const wanted = /^#\/([a-z]*)/.exec(location.hash)?.[1] ?? '';
    const name = wanted in rooms ? wanted : '';
    if (name === this.name && this.visit > 0) return;
    const visit = ++this.visit;
    this.leave();
    this.name = name;
    this.bar.classList.toggle('at-home', name === '');
    const title = texts.rooms[name]?.[0] ?? texts.benches[name];
    this.title.textContent = title ?? texts.name;
    document.title = title ? `${title} · ${texts.name}` : texts.name;
    if (!name) {
      this.showHome();
      this.ready = true;
      return;
    }
    this.host.replaceChildren(element('p', { className: 'loading', text: texts.loading }));
    try {
      const entry = await rooms[name]!();
      const room = 'createRoom' in entry ? entry.createRoom() : entry.default();
      if (visit !== this.visit) return;
      this.host.replaceChildren();
      this.room = room;
      await room.mount(this.host, this.services());
      if (visit !== this.visit) return;
      this.drawTools();
      this.ready = true;
    } catch (error) {
      this.host.replaceChildren(element('p', { className: 'loading', text: texts.failed((error as Error).message) }));
    }
  }

  private leave(): void {
    this.ready = false;
    this.help?.close();
    this.room?.unmount();
    this.room = null;
    this.document = null;
    this.tools.replaceChildren();
    this.host.replaceChildren();
    this.host.className = 'host';
  }

  private showHome(): void {
    const cards = Object.entries(texts.rooms).map(([name, [title, what]]) =>
      element('a', { className: `card card-${name}`, href: `#/${name}` },
        element('span', { className: 'card-picture', 'aria-hidden': 'true' }),
        element('h2', { text: title }), element('p', { text: what })));
    this.host.append(element('section', { className: 'home' }, element('p', { className: 'intro', text: texts.intro }),
      element('div', { className: 'cards' }, ...cards)));
  }

  private services(): Services {
    return {
      core: this.core,
      announce: (text) => this.announce(text),
      toast: (text) => this.toast(text),
      openFile: (accept) => new Promise((resolve) => {
        const input = element('input', { type: 'file', accept });
        input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
        input.addEventListener('cancel', () => resolve(null));
        input.click();
      }),
      saveFile: (name, data) => {
        const link = element('a', { href: URL.createObjectURL(data), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      },
      history: <T>(initial: T, key: string, valid?: (saved: unknown) => boolean): History<T> => {
        const made = new History<T>(initial, key, valid);
        this.document = made as unknown as History<unknown>;
        return made;
      },
    };
  }

  private announce(text: string): void {
    this.live.textContent = text;
  }

  private toast(text: string): void {
    this.announce(text);
    this.bubble.textContent = text;
    this.bubble.hidden = false;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => (this.bubble.hidden = true), 4000);
  }

  async take(file: File): Promise<void> {
    if (!this.room?.drop) return this.toast(texts.noDrop);
    try {
      await this.room.drop(file);
    } catch (error) {
      this.toast(texts.badFile(file.name.slice(0, 60), (error as Error).message.slice(0, 200)));
    }
  }

  undo(): void {
    if (!this.document?.undo()) this.toast(texts.nothingToUndo);
  }
  redo(): void {
    if (!this.document?.redo()) this.toast(texts.nothingToRedo);
  }

  private turnTheme(): void {
    const root = document.documentElement;
    const dark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset['theme'] = dark ? 'light' : 'dark';
    save('theme', root.dataset['theme']);
  }

  private drawTools(): void {
    const shown = (this.room?.commands() ?? []).filter((c) => c.button !== false);
    this.tools.replaceChildren(...shown.map((c) => {
      const made = button(c.key ? `${c.label} (${c.key === ' ' ? 'Space' : c.key})` : c.label, () => this.run(c), 'tool', c.label);
      made.dataset['command'] = c.id;
      return made;
    }));
  }

  private run(command: Command): void {
    if (command.enabled && !command.enabled()) return;
    command.run();
  }

  command(id: string): boolean {
    const found = this.room?.commands().find((c) => c.id === id);
    if (found) this.run(found);
    return found !== undefined;
  }

  private key(e: KeyboardEvent): void {
    const field = e.target instanceof HTMLElement && (/^(SELECT|TEXTAREA)$/.test(e.target.tagName) ||
      (e.target instanceof HTMLInputElement && e.target.type !== 'checkbox'));
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z' && !field) {
      e.preventDefault();
      return e.shiftKey ? this.redo() : this.undo();
    }
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'y' && !field) {
      e.preventDefault();
      return this.redo();
    }
    if (e.ctrlKey || e.metaKey || e.altKey || field) return;
    if (e.key === '?' || e.key.toLowerCase() === 'h') return this.toggleHelp();
    if (this.help?.open || (e.key === ' ' && e.target instanceof HTMLButtonElement) || (e.key === 'Enter' && e.target instanceof HTMLButtonElement)) return;
    const command = this.room?.commands().find((c) => c.key === e.key || (c.key?.length === 1 && c.key.toLowerCase() === e.key.toLowerCase()));
    if (command && !e.defaultPrevented) {
      e.preventDefault();
      this.run(command);
    }
  }

  private toggleHelp(): void {
    if (this.help?.open) return this.help.close();
    const lines = this.name ? helpOf(this.name) : [texts.intro];
    const list = element('dl', { className: 'keys' });
    for (const c of [...(this.room?.commands() ?? [])]) {
      list.append(element('dt', {}, button(c.label, () => { this.help?.close(); this.run(c); }, 'tool')),
        element('dd', {}, element('kbd', { text: c.key === ' ' ? 'Space' : (c.key ?? '') })));
    }
    const keys = list.childElementCount ? [element('h3', { text: texts.keys }), list] : [];
    const dialog = element('dialog', { className: 'help', 'aria-label': texts.help },
      element('h2', { text: this.title.textContent ?? '' }), ...lines.map((text) => element('p', { text })),
      ...keys, button(texts.close, () => dialog.close(), 'tool close'));
    dialog.addEventListener('close', () => { dialog.remove(); this.help = null; });
    document.body.append(dialog);
    this.help = dialog;
    dialog.showModal();
  }

  get roomName(): string {
    return this.name;
  }
  state(): unknown {
    return this.room?.state();
  }
}

const shell = new Shell();
shell.start(document.getElementById('app')!);
Object.defineProperty(window, 'studio', {
  value: {
    get room() { return shell.roomName; },
    get ready() { return shell.ready; },
    state: () => shell.state(),
    get asked() { return shell.core.asked; },
    answered: (count: number) => shell.core.answered(count),
    command: (id: string) => shell.command(id),
    undo: () => shell.undo(),
    redo: () => shell.redo(),
    drop: (file: File) => shell.take(file),
  },
});
if ('serviceWorker' in navigator && import.meta.env.PROD) {
  void navigator.serviceWorker.register('./sw.js').catch(() => undefined); // e.g. from a file: no offline then
}
