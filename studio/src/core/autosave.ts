/** Documents in localStorage. A browser without it, or with it full, loses the autosave only. */
const PREFIX = 'ovoid-studio/';
const pending = new Map<string, unknown>();
let timer = 0;

export function load(key: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Saved a little later, so that a drag writes once. */
export function save(key: string, value: unknown): void {
  pending.set(key, value);
  if (timer === 0) timer = self.setTimeout(flush, 250);
}

export function flush(): void {
  clearTimeout(timer);
  timer = 0;
  for (const [key, value] of pending) {
    try {
      localStorage.setItem(PREFIX + key, JSON.stringify(value));
    } catch {
      // full or forbidden: the document is still on the screen
    }
  }
  pending.clear();
}

if (typeof addEventListener === 'function') addEventListener('pagehide', flush);
