// The shell and the query lab, driven as a person would, and checked against the native command.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cpuSeconds, enter, fingers, frames, native, open, poorTargets, root, run, shoot, state } from './harness.mjs';

let s;
before(async () => { s = await open({ width: 900, height: 620, touch: true }); });
after(async () => { await s?.close(); });

/** The state once the worker has answered for the document that is on the screen. */
async function settled(page = s.page) {
  await page.waitForFunction(() => window.studio.state()?.settled);
  await frames(page);
  return state(page);
}

/** Gaps of all pairs by the native command, from the scene that the page exports. */
function nativeContacts(json) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-'));
  const file = path.join(folder, 'scene.json');
  writeFileSync(file, json);
  return JSON.parse(native(['contact', file, '--json']));
}

function compare(st) {
  const told = nativeContacts(st.json);
  const pairs = told.contacts ?? told.pairs;
  assert.equal(pairs.length, st.contacts.length, 'all pairs');
  const names = st.document.bodies.map((b) => b.name);
  for (const c of st.contacts) {
    const other = pairs.find((p) => [p.a, p.b].includes(names[c.a]) && [p.a, p.b].includes(names[c.b]));
    assert.ok(other, `${names[c.a]} and ${names[c.b]} natively`);
    const size = Math.max(...st.document.bodies[c.a].size, ...st.document.bodies[c.b].size, 1);
    assert.ok(Math.abs(other.gap - c.gap) <= 1e-12 * size, `${names[c.a]} ${names[c.b]}: page ${c.gap}, native ${other.gap}`);
  }
  return pairs.length;
}

test('start page: five rooms, large enough targets, first picture', async () => {
  await s.page.goto('about:blank');
  await frames(s.page, 30); // what a browser does first
  const before = cpuSeconds();
  await enter(s, 'query');
  const spent = cpuSeconds() - before;
  console.log(`first picture: ${spent.toFixed(2)} s of CPU`);
  assert.ok(spent <= 1.5, `first picture after ${spent} s of CPU`);
  await s.page.goto(s.server.address);
  await s.page.waitForFunction(() => window.studio?.ready && window.studio.room === '');
  assert.equal(await s.page.locator('.card').count(), 5);
  assert.deepEqual(await poorTargets(s.page), []);
  await shoot(s.page, 'home');
});

test('gaps are those of the native library, to 1e-12', async () => {
  await enter(s, 'query');
  compare(await settled());
  for (let i = 0; i < 9; i++) await run(s.page, 'query.add');
  const st = await settled();
  assert.equal(st.document.bodies.length, 11);
  assert.ok(compare(st) >= 50);
  await shoot(s.page, 'query-many');
});

test('the path ends at the witness points, and the slopes are those of moved bodies', async () => {
  await run(s.page, 'query.fresh');
  const st = await settled();
  const c = st.contacts[0], rows = st.path.length / 6;
  assert.ok(rows >= 2 && rows <= 25, `rows ${rows}`);
  const end = st.path.slice(-6);
  [...c.pointA, ...c.pointB].forEach((v, i) => assert.ok(Math.abs(v - end[i]) < 1e-6, `${v} ${end[i]}`));
  const slope = st.derivatives.gap[1].slice(0, 3), before = c.gap, x = st.document.bodies[1].position;
  await s.page.locator('canvas').first().focus();
  await s.page.keyboard.press('ArrowRight');
  const then = await settled();
  const way = then.document.bodies[1].position.map((v, i) => v - x[i]);
  assert.ok(Math.hypot(...way) > 0.01);
  const predicted = way.reduce((t, v, i) => t + v * slope[i], 0);
  assert.ok(Math.abs(then.contacts[0].gap - before - predicted) < 0.5 * Math.hypot(...way) ** 2 * 4, 'first order');
});

test('a finger drags a body, the plot follows; two fingers turn and scale; hold turns', async () => {
  await run(s.page, 'query.fresh');
  let st = await settled();
  const canvas = await s.page.locator('canvas').first().boundingBox();
  const at = () => [canvas.x + st.screen[1].x, canvas.y + st.screen[1].y];
  await fingers(s, [at()], [[at()[0] - 60, at()[1] + 30]]);
  st = await settled();
  assert.ok(Math.hypot(...st.document.bodies[1].position.map((v, i) => v - [1.4, 0.3, 0.2][i])) > 0.3, 'moved');
  assert.equal(st.plot.length, 160);
  assert.ok(Math.abs(st.plot.at(-1) - st.contacts[0].gap) < 1e-9, 'the plot ends at the gap');
  await shoot(s.page, 'query-drag');
  const [x, y] = at(), before = st.document.bodies[1];
  await fingers(s, [[x - 15, y], [x + 15, y]], [[x - 10, y - 20], [x + 10, y + 20]]);
  st = await settled();
  assert.ok(st.document.bodies[1].size[0] > before.size[0] * 1.1, 'scaled');
  assert.notDeepEqual(st.document.bodies[1].rotation, before.rotation);
  await fingers(s, [at()], undefined, { hold: 650 });
  assert.equal((await state(s.page)).turning, true);
  const place = st.document.bodies[1].position;
  await fingers(s, [at()], [[at()[0] + 40, at()[1]]]);
  st = await settled();
  assert.deepEqual(st.document.bodies[1].position, place);
  await run(s.page, 'query.mode');
  compare(st);
});

test('twenty edits undone and redone give equal JSON', async () => {
  await run(s.page, 'query.fresh');
  const first = (await settled()).json, seen = [first];
  const edits = ['left', 'up', 'turnLeft', 'larger', 'add', 'right', 'down', 'smaller', 'farther', 'turnRight'];
  for (let i = 0; i < 20; i++) {
    await run(s.page, `query.${edits[i % edits.length]}`);
    seen.push((await state(s.page)).json);
  }
  for (let i = 19; i >= 0; i--) {
    await s.page.keyboard.press('Control+z');
    assert.equal((await state(s.page)).json, seen[i], `undo to ${i}`);
  }
  for (let i = 1; i <= 20; i++) {
    await s.page.keyboard.press('Control+Shift+z');
    assert.equal((await state(s.page)).json, seen[i], `redo to ${i}`);
  }
});

test('sliders: exponents and tapers; a dent is told; what is refused is said', async () => {
  await run(s.page, 'query.fresh');
  await settled();
  await s.page.selectOption('select', 'superovoid');
  const slide = (label, value) => s.page.locator(`input[aria-label="${label}"]`).evaluate((e, v) => {
    e.value = String(v);
    e.dispatchEvent(new Event('input', { bubbles: true }));
    e.dispatchEvent(new Event('change', { bubbles: true }));
  }, value);
  await slide('Exponent e1 (across)', 1.2);
  await slide('Exponent e2 (along)', 1.9);
  await slide('Taper x', 0.3);
  await slide('Taper y', 0.3);
  let st = await settled();
  assert.ok(st.dents[1] > 0 || st.faults[1] !== '', 'a dent, or a refusal');
  assert.ok((await s.page.locator('.note').textContent()).length > 10);
  await slide('Exponent e2 (along)', 0.8);
  st = await settled();
  assert.equal(st.faults[1], '');
  compare(st);
});

test('scenes: saved, dropped, linked; hostile files are told and change nothing', async () => {
  const before = await settled();
  const [download] = await Promise.all([s.page.waitForEvent('download'), run(s.page, 'query.save')]);
  assert.equal(readFileSync(await download.path(), 'utf8'), before.json);
  const drop = (name, text) => s.page.evaluate(([n, t]) => window.studio.drop(new File([t], n)), [name, text]);
  await drop('dozen.json', readFileSync(path.join(root, 'data/scene_dozen.json'), 'utf8').replace(/,?\s*\{"name": "crystal"[^}]*\}[^}]*\},?/s, ','));
  const dozen = await settled();
  assert.ok(dozen.document.bodies.length >= 10, `${dozen.document.bodies.length} bodies`);
  compare(dozen);
  const bad = ['', '{', '[]', '{"bodies":[]}', '{"bodies":[{"kind":"<img src=x onerror=alert(1)>"}]}', '{"bodies":[null]}',
    `{"bodies":[${'{"kind":"sphere","radius":1},'.repeat(5000)}{"kind":"sphere","radius":1}]}`, '{"bodies":[{"kind":"sphere","radius":1e999}]}',
    '{"bodies":[{"kind":"box","half_extents":[1,2]}]}', '{"__proto__":{"x":1},"bodies":7}', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>', 'x'.repeat(3000000)];
  for (const text of bad) {
    await drop('<img src=x onerror=document.title=1>.json', text);
    assert.ok(await s.page.locator('.toast').isVisible(), `a message for ${text.slice(0, 40)}`);
    assert.equal((await state(s.page)).json, dozen.json);
  }
  assert.equal(await s.page.locator('.toast img').count(), 0);
  await drop('names.json', '{"bodies":[{"name":"<b onclick=1>x</b>","kind":"sphere","radius":1},{"name":"b","kind":"sphere","radius":1,"position":[3,0,0]}]}');
  assert.ok(Math.abs((await settled()).contacts[0].gap - 1) < 1e-12);
  assert.equal(await s.page.locator('.list b').count(), 0);
  await run(s.page, 'query.link');
  await frames(s.page);
  const address = s.page.url();
  assert.match(address, /scene=/);
  const json = (await state(s.page)).document.bodies;
  await run(s.page, 'query.fresh');
  await s.page.goto('about:blank');
  await s.page.goto(address);
  await s.page.waitForFunction(() => window.studio?.ready);
  assert.deepEqual((await settled()).document.bodies, json);
});

test('every gesture has a button or key; help lists them; targets at 360 px and 4K', async () => {
  await run(s.page, 'query.fresh');
  await s.page.keyboard.press('Escape');
  await s.page.locator('button[aria-label="Help"]').click();
  for (const name of ['Move or turn', 'Left', 'Turn left', 'Larger', 'Zoom in', 'Orbit left', 'Focus', 'Next body']) {
    assert.equal(await s.page.locator('.keys button', { hasText: new RegExp(`^${name}$`) }).count(), 1, name);
  }
  assert.deepEqual(await poorTargets(s.page), []);
  await s.page.keyboard.press('Escape');
  for (const [w, h] of [[360, 640], [3840, 2160]]) {
    await s.page.setViewportSize({ width: w, height: h });
    await frames(s.page);
    assert.deepEqual(await poorTargets(s.page), []);
    const wide = await s.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= w, `no sideways scrolling: ${wide} in ${w}`);
    if (w === 360) await shoot(s.page, 'query-phone');
  }
  await s.page.setViewportSize({ width: 900, height: 620 });
});

test('dark', async () => {
  await s.page.locator('button[aria-label="Light or dark"]').click();
  await settled();
  await shoot(s.page, 'query-dark');
});

test('policy: no inline script, no eval, no other host; offline after the first visit', async () => {
  const blocked = await s.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.inlineRan = true';
    document.head.append(script);
    // a text as a timer's code runs after this call, which itself is exempt from the policy
    setTimeout('window.evaluated = true');
    return new Promise((done) => setTimeout(() => done({ inline: window.inlineRan === true, evaluated: window.evaluated === true }), 100));
  });
  assert.deepEqual(blocked, { inline: false, evaluated: false });
  await s.page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true));
  await s.page.reload();
  await s.page.waitForFunction(() => navigator.serviceWorker.controller !== null && window.studio?.ready);
  await s.server.close();
  await s.page.reload();
  await s.page.waitForFunction(() => window.studio?.ready);
  assert.ok((await settled()).contacts.length > 0, 'computes without a server');
  assert.deepEqual(s.foreign, []);
  assert.deepEqual(s.faults.filter((f) => !/Content Security Policy|unsafe-eval|violates/.test(f)), []);
});
