// What the built pages weigh. Each limit is what was reached, and two in a hundred of room: whoever adds more sees it.
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
  for (const [name, limit] of [['ovoid.wasm', 306], ['touch.wasm', 64], ['fit.wasm', 159]]) {
    const size = brotli(path.join(site, name));
    console.log(`${name} ${size.toFixed(0)} kB brotli`);
    assert.ok(size <= limit, `${name}: ${size.toFixed(1)} kB brotli, at most ${limit}`);
  }
});

// touch.wasm and fit.wasm: the pages start without them, the service worker fetches them for use without a network
test('sizes of the pages, with the module that they start with, and with all', () => {
  const files = readdirSync(site, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  const total = (list) => list.reduce((sum, f) => sum + gzip(path.join(f.parentPath, f.name)), 0);
  const pages = total(files.filter((f) => !f.name.endsWith('.wasm')));
  const start = total(files.filter((f) => !/^(touch|fit)\.wasm$/.test(f.name))), all = total(files);
  console.log(`pages ${pages.toFixed(0)} kB gzip, with ovoid.wasm ${start.toFixed(0)}, with touch.wasm and fit.wasm ${all.toFixed(0)}`);
  assert.ok(pages <= 248, `pages: ${pages.toFixed(1)} kB gzip, at most 248`);
  assert.ok(start <= 613, `start: ${start.toFixed(1)} kB gzip, at most 613`);
  assert.ok(all <= 877, `all: ${all.toFixed(1)} kB gzip, at most 877`);
});
