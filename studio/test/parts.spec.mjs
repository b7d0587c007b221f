// The module's parts, and the numbers that it leaves to JavaScript, without a browser.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chances } from './pong-rallies.mjs';
import { source } from './source.mjs';

const { instantiate, shortest } = await source('core/parts.ts');
const read = (name) => readFileSync(new URL(`../public/${name}`, import.meta.url));
const wasi_snapshot_preview1 = new Proxy({}, { get: () => () => 8 });

async function start(fetchPart) {
  const { exports } = await instantiate(read('ovoid.wasm'), { wasi_snapshot_preview1 }, fetchPart);
  exports._initialize();
  return exports;
}

test('a part is fetched when it is first called, once, and works on the same memory', async () => {
  const fetched = [];
  const wasm = await start((name) => { fetched.push(name); return read(name); });
  assert.ok(wasm.terrain_create(4, 1) > 0);
  assert.deepEqual(fetched, []);
  const game = wasm.pong_create(7);
  wasm.pong_step(game, 1 / 60);
  assert.deepEqual(fetched, ['extras.wasm']);
  const state = new Float64Array(wasm.memory.buffer, wasm.pong_state(game), 28);
  assert.ok(state.some((x) => x !== 0) && state.every(Number.isFinite));
  assert.equal(wasm.studio_touch_make(2, 800), 0);
  const fault = wasm.studio_fit_fault();
  assert.equal(new Uint8Array(wasm.memory.buffer)[fault], 0);
  assert.deepEqual(fetched, ['extras.wasm', 'touch.wasm', 'fit.wasm']);
});

test('a part that cannot be had: a line that names it, the rest works, and the next call asks again', async () => {
  let there = false;
  const wasm = await start((name) => {
    if (!there) throw new Error('404');
    return read(name);
  });
  const stack = Object.values(wasm).filter((e) => e instanceof WebAssembly.Global), before = stack.map((s) => s.value);
  assert.equal(new Set(stack).size, 1);
  for (let i = 0; i < 2; i++) assert.throws(() => wasm.pong_create(1), { message: 'extras.wasm could not be loaded: 404' });
  assert.deepEqual(stack.map((s) => s.value), before);
  assert.ok(wasm.terrain_create(4, 1) > 0);
  there = true;
  assert.ok(wasm.pong_create(1) > 0);
});

test('a part that is damaged is a line too', async () => {
  const wasm = await start((name) => read(name).subarray(0, 1000));
  assert.throws(() => wasm.pong_create(1), { message: /^extras\.wasm could not be loaded: ./ });
});

test('shortest digits: they read back, and no fewer do', () => {
  const next = chances(26), bits = new DataView(new ArrayBuffer(8));
  const any = () => {
    for (;;) {
      bits.setUint32(0, next() * 2 ** 31);
      bits.setUint32(4, next() * 2 ** 32);
      const x = bits.getFloat64(0);
      if (x > 0 && Number.isFinite(x)) return x;
    }
  };
  const few = () => Number((next() * 10 ** (1 + 14 * next())).toFixed(Math.floor(8 * next()))) || 1;
  const power = () => 2 ** Math.floor(2098 * next() - 1074);
  const tiny = () => Math.ceil(next() * 2 ** (52 * next())) * 5e-324;
  let count = 0;
  for (const draw of [any, few, power, tiny]) {
    for (let i = 0; i < 20000; i++, count++) {
      const value = draw(), { digits, exponent } = shortest(value);
      assert.equal(Number(`${digits}e${exponent}`), value);
      assert.ok(digits < 10n ** 17n);
      // the two numbers around it that have a digit less: trailing zeros are no digits
      if (digits % 10n === 0n) assert.fail(`${value}: ${digits}e${exponent}`);
      if (digits < 10n) continue;
      for (const up of [0n, 1n]) assert.notEqual(Number(`${digits / 10n + up}e${exponent + 1}`), value, `${value}: ${digits}e${exponent}`);
    }
  }
  assert.equal(count, 80000);
});
