// A module of the pages' own source, for a spec to test by itself.
import { readFile } from 'node:fs/promises';
import { transformWithOxc } from 'vite';

/** `name`: under studio/src, without imports of its own. */
export async function source(name) {
  const file = new URL(`../src/${name}`, import.meta.url);
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file.pathname);
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}
