// What the built pages weigh. Each limit is what was reached, and two in a hundred of room: whoever adds more sees it.
// That of ovoid.wasm, which has the library with cloth, simulation and the writers, is the goal itself, and that of all.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import path from 'node:path';
import { site } from './harness.mjs';

const gzip = (file) => gzipSync(readFileSync(file), { level: 9 }).length / 1000;
const brotli = (file) =>
  brotliCompressSync(readFileSync(file), { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length / 1000;

test('sizes of the modules', () => {
  for (const [name, limit] of [['ovoid.wasm', 250], ['lab.wasm', 15], ['touch.wasm', 26.1], ['fit.wasm', 55.6], ['extras.wasm', 41.1]]) {
    const size = brotli(path.join(site, name));
    console.log(`${name} ${size.toFixed(0)} kB brotli`);
    assert.ok(size <= limit, `${name}: ${size.toFixed(1)} kB brotli, at most ${limit}`);
  }
});

// the pages start with ovoid.wasm; the service worker fetches its parts for use without a network
test('sizes of the pages, with the module that they start with, and with all of its parts', () => {
  const files = readdirSync(site, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  const total = (list) => list.reduce((sum, f) => sum + gzip(path.join(f.parentPath, f.name)), 0);
  const pages = total(files.filter((f) => !f.name.endsWith('.wasm')));
  const start = total(files.filter((f) => f.name === 'ovoid.wasm' || !f.name.endsWith('.wasm'))), all = total(files);
  console.log(`pages ${pages.toFixed(0)} kB gzip, with ovoid.wasm ${start.toFixed(0)}, with all parts ${all.toFixed(0)}`);
  assert.ok(pages <= 160, `pages: ${pages.toFixed(1)} kB gzip, at most 160`);
  assert.ok(start <= 460, `start: ${start.toFixed(1)} kB gzip, at most 460`);
  assert.ok(all <= 600, `all: ${all.toFixed(1)} kB gzip, at most 600`);
});
