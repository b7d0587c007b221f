/** Documents in localStorage. A browser without it, or with it full, loses the autosave only. */
const PREFIX = 'ovoid-studio/';
const pending = new Map<string, unknown>();
let timer = 0;
/** ms until a change is saved: longer for documents that take long, such as large meshes, so that a drag stays smooth. */
let wait = 250;

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
  if (timer === 0) timer = self.setTimeout(flush, wait);
}

export function flush(): void {
  clearTimeout(timer);
  timer = 0;
  const start = performance.now();
  for (const [key, value] of pending) {
    try {
      localStorage.setItem(PREFIX + key, JSON.stringify(value));
    } catch {
      // full or forbidden: the document is still on the screen
    }
  }
  pending.clear();
  wait = Math.max(250, 60 * (performance.now() - start));
}

if (typeof addEventListener === 'function') addEventListener('pagehide', flush);
