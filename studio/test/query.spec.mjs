// The shell and the query lab, driven as a person would, and checked against the native command.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cpuSeconds, enter, fingers, frames, native, open, poorTargets, root, run, shoot, state, zipped } from './harness.mjs';

let s;
before(async () => { s = await open({ width: 900, height: 620, touch: true }); });
after(async () => { await s?.close(); });

/** The state once the worker has answered for the document that is on the screen. */
async function settled(page = s.page) {
  await page.waitForFunction(() => window.studio.state()?.settled);
  await frames(page);
  return state(page);
}

const drop = (name, content) => s.page.evaluate(([n, b]) => window.studio.drop(new File([Uint8Array.from(atob(b), (c) => c.charCodeAt(0))], n)), [name, Buffer.from(content).toString('base64')]);
const toast = () => s.page.locator('.toast').textContent();

/** A number generator by a seed: the same bodies each time. */
function random(seed) {
  let a = seed;
  return () => (a = (a * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
}

/** Gaps of all pairs by the native command, of a scene, with the files that it names beside it. */
function nativeContacts(json, beside = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-'));
  const file = path.join(folder, 'scene.json');
  writeFileSync(file, json);
  for (const [name, text] of Object.entries(beside)) writeFileSync(path.join(folder, name), text);
  return JSON.parse(native(['contact', file, '--json', '--tolerance', '1e-12'])); // as the lab asks
}

/** The page's gaps beside those of the scene that it exports, or of the one that it was given. */
function compare(st, told = nativeContacts(st.json)) {
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
  for (let i = 0; i < 11; i++) await run(s.page, 'query.add');
  const st = await settled();
  assert.equal(new Set(st.document.bodies.map((b) => b.kind)).size, 11, 'every kind');
  assert.equal(compare(st), 78);
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
  // the same of the other body, when that is chosen
  await run(s.page, 'query.next');
  const other = await settled(), g = other.derivatives.gap;
  assert.deepEqual(other.document.pair, [1, 0]);
  await s.page.keyboard.press('ArrowUp');
  const last = await settled();
  const up = last.document.bodies[0].position.map((v, i) => v - other.document.bodies[0].position[i]);
  assert.ok(Math.hypot(...up) > 0.01);
  assert.ok(Math.abs(last.contacts[0].gap - other.contacts[0].gap - up.reduce((t, v, i) => t + v * g[0][i], 0)) < 2 * Math.hypot(...up) ** 2, 'first order');
  await run(s.page, 'query.next');
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

test('the dent is drawn: as deep as the library says, with its hull over it', async () => {
  await run(s.page, 'query.fresh');
  await drop('dent.json', '{"bodies":[{"name":"wedge","kind":"superovoid","semi_axes":[0.9,0.9,0.9],"exponents":[1.2,1.2],"taper":[0.8,-0.6],"dent_tolerance":1},{"name":"ball","kind":"sphere","radius":0.3,"position":[2,0,0]}]}');
  const st = await settled();
  const told = JSON.parse(native(['shape', 'superovoid', '0.9', '0.9', '0.9', '1.2', '1.2', '0.8', '-0.6', '--dent-tolerance', '1']));
  assert.ok(Math.abs(st.dents[0] - told.dent) < 1e-12, `${st.dents[0]}, natively ${told.dent}`);
  assert.equal(st.dents[1], 0);
  // the deepest of the drawn places is nearly the deepest of all, and as deep as a query of that point says
  const { depth, vertex, way } = st.hollows[0];
  assert.ok(depth <= told.dent * (1 + 1e-6) && depth > 0.98 * told.dent, `${depth} of ${told.dent}`);
  assert.ok(Math.abs(Math.hypot(...way) - depth) < 1e-9);
  const scene = JSON.stringify({ bodies: [JSON.parse(st.json).bodies[0], { name: 'at', kind: 'point', vertices: [vertex] }, { name: 'over', kind: 'point', vertices: [vertex.map((v, i) => v + way[i])] }] });
  const gaps = nativeContacts(scene);
  const gap = (name) => (gaps.contacts ?? gaps.pairs).find((p) => [p.a, p.b].includes('wedge') && [p.a, p.b].includes(name)).gap;
  assert.ok(Math.abs(gap('at') + depth) < 1e-6, `${gap('at')} ${depth}`); // what is drawn is in floats
  assert.ok(Math.abs(gap('over')) < 1e-6, `the cover is the hull: ${gap('over')}`);
  assert.match(await s.page.locator('.depth').getAttribute('aria-label'), new RegExp(`hull: ${told.dent.toPrecision(3).slice(0, 5)}.*times as deep`));
  await s.page.click('.depth button');
  await frames(s.page);
  await shoot(s.page, 'query-dent');
  await s.page.keyboard.press('g');
  assert.equal(await s.page.locator('.depth').isVisible(), false);
  await s.page.keyboard.press('g');
  assert.equal(await s.page.locator('.depth').isVisible(), true);
});

test('polyhedra, meshes and compounds: chosen, dropped, dragged, scaled, saved; gaps are those of the library', async () => {
  await run(s.page, 'query.fresh');
  await settled();
  for (const kind of ['polyhedron', 'mesh']) {
    await s.page.selectOption('select[aria-label="Kind"]', kind);
    await settled();
    for (const form of await s.page.locator('select[aria-label="Form"] option').evaluateAll((o) => o.map((e) => e.value))) {
      await s.page.selectOption('select[aria-label="Form"]', form);
      const st = await settled();
      assert.equal(st.faults[1], '', form);
      compare(st);
    }
  }
  // points, many of them in one plane, on one line and twice: their hull by qhull is the same body
  const r = random(7), round = Array.from({ length: 300 }, () => [r() - 0.5, r() - 0.5, r() - 0.5]).map((p) => p.map((v) => (0.9 * v) / Math.hypot(...p)));
  const grid = Array.from({ length: 125 }, (_, i) => [0.3 * (i % 5) - 0.6, 0.2 * (Math.floor(i / 5) % 5) + 0.1 * (i % 5), 0.25 * Math.floor(i / 25)]);
  const lists = { 'round.xyz': round, 'grid.csv': [...grid, ...grid.slice(0, 40)] };
  await run(s.page, 'query.fresh');
  const texts = {};
  for (const [name, points] of Object.entries(lists)) await drop(name, (texts[name] = `# points\n${points.map((p) => p.join(name.endsWith('csv') ? ',' : ' ')).join('\n')}\n`));
  let st = await settled();
  assert.deepEqual(st.document.bodies.slice(2).map((b) => [b.name, b.kind]), [['round', 'polyhedron'], ['grid', 'polyhedron']]);
  assert.equal(st.document.bodies[2].surface.vertices.length, 900);
  assert.equal(st.document.bodies[3].surface.vertices.length, 24, 'a sheared box');
  assert.equal(compare(st), 6);
  const hulls = JSON.parse(st.json);
  hulls.bodies.slice(2).forEach((b, i) => {
    const points = Object.values(lists)[i], middle = [0, 1, 2].map((k) => (Math.min(...points.map((p) => p[k])) + Math.max(...points.map((p) => p[k]))) / 2);
    b.vertices = points.map((p) => p.map((v, k) => v - middle[k]));
  });
  compare(st, nativeContacts(JSON.stringify(hulls)));
  // a mesh that is not convex, moved by a finger, turned and scaled by two; then as its hull
  await run(s.page, 'query.fresh');
  const obj = 'v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\nf 6 5 4 1\nf 4 3 2 1\nf 7 10 11 12\nf 7 8 9 10\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n';
  await drop('angle <b>iron</b>.obj', obj);
  assert.match(await toast(), /a mesh of 20 triangles/);
  const canvas = await s.page.locator('canvas').first().boundingBox();
  const at = async () => { const { x, y } = (await state(s.page)).screen[2]; return [canvas.x + x, canvas.y + y]; };
  await run(s.page, 'query.remove');
  st = await settled();
  assert.equal(st.document.bodies.length, 2);
  await s.page.keyboard.press('Control+z');
  st = await settled();
  assert.equal(st.document.bodies[2].name, 'angle <b>iron</b>');
  // out of the others' way; its middle is the edge within its bend, and from wherever it is seen some of it is there
  for (let i = 0; i < 4; i++) await run(s.page, 'query.up');
  st = await settled();
  const before = st.document.bodies[2];
  const [x0, y0] = await at();
  await fingers(s, [[x0, y0]], [[x0 + 30, y0 - 20]]);
  st = await settled();
  assert.ok(Math.hypot(...st.document.bodies[2].position.map((v, i) => v - before.position[i])) > 0.2, 'moved');
  const [x, y] = await at();
  await fingers(s, [[x - 15, y], [x + 15, y]], [[x - 10, y - 20], [x + 10, y + 20]]);
  st = await settled();
  assert.ok(st.document.bodies[2].size[0] > 1.1 * before.size[0] && st.document.bodies[2].rotation[0] !== before.rotation[0], 'turned and scaled');
  compare(st);
  await shoot(s.page, 'query-mesh');
  // a step of the mesh by key changes its gap as the arrow says
  await s.page.keyboard.press('Control+z');
  await s.page.keyboard.press('Control+z');
  const [rest, pick] = [await settled(), (d) => d.contacts.find((c) => d.document.pair.includes(c.a) && d.document.pair.includes(c.b))];
  await run(s.page, 'query.right');
  const stepped = await settled(), way = stepped.document.bodies[2].position.map((v, i) => v - rest.document.bodies[2].position[i]);
  assert.equal(pick(rest).b, 2);
  assert.ok(pick(rest).gap > 0 && Math.hypot(...way) > 0.01);
  const foreseen = way.reduce((t, v, i) => t + v * rest.derivatives.gap[1][i], 0);
  assert.ok(Math.abs(pick(stepped).gap - pick(rest).gap - foreseen) < 2 * Math.hypot(...way) ** 2, `${pick(stepped).gap - pick(rest).gap} ${foreseen}`);
  await s.page.selectOption('select[aria-label="Kind"]', 'polyhedron');
  compare(await settled());
  // a scene with meshes and points in files, in an archive: the command reads them from a folder
  const scene = JSON.stringify({ bodies: [
    { name: 'frame', kind: 'compound', parts: [{ kind: 'box', half_extents: [1, 0.1, 0.1] }, { kind: 'capsule', radius: 0.15, half_length: 0.5, position: [1, 0, 0.5] }, { kind: 'superovoid', semi_axes: [0.3, 0.3, 0.5], exponents: [1, 1], taper: [0.3, -0.2], position: [-1, 0, 0.4], rotation: { axis: [1, 1, 0], angle_deg: 40 } }], position: [0, 0, 1.2] },
    { name: 'iron', kind: 'mesh', file: 'parts/iron.obj', scale: [0.5, 0.5, -0.5], position: [0, 1.2, 0] }, { name: 'shell', kind: 'mesh', file: 'parts/iron.obj', surface: true, position: [-1.5, -2, 0] },
    { name: 'rock', kind: 'polyhedron', file: 'round.xyz', position: [0.4, -0.4, 0.2] }, { name: 'floor', kind: 'halfspace', normal: [0, 0.1, 1], offset: -0.7 }] });
  await drop('scene.zip', zipped([['a/scene.json', Buffer.from(scene)], ['a/parts/iron.obj', Buffer.from(obj)], ['a/round.xyz', Buffer.from(texts['round.xyz'])]], true));
  st = await settled();
  assert.deepEqual(st.document.bodies.map((b) => b.kind), ['compound', 'mesh', 'mesh', 'polyhedron', 'halfspace']);
  assert.equal(compare(st), 10);
  compare(st, nativeContacts(scene.replaceAll('parts/iron', 'iron'), { 'iron.obj': obj, 'round.xyz': texts['round.xyz'] }));
  await run(s.page, 'query.larger');
  compare(await settled());
  await shoot(s.page, 'query-scene');
});

test('hostile bodies: told in a line, nothing executed, nothing lost', async () => {
  const before = (await settled()).json;
  const body = (o) => JSON.stringify({ bodies: [{ name: 'ok', kind: 'sphere', radius: 1 }, { name: 'bad', ...o }] });
  const cube = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const many = Array.from({ length: 40000 }, (_, i) => [i % 7, i % 11, i % 13]);
  const bomb = Buffer.alloc(80 << 20);
  for (const [name, content, why] of [
    ['flat.json', body({ kind: 'polyhedron', vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }), /bad: the points are all in one plane/],
    ['line.json', body({ kind: 'polyhedron', vertices: [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]] }), /bad: the points are all in one plane/],
    ['tiny.json', body({ kind: 'polyhedron', vertices: [[0, 0, 0], [1e-300, 0, 0], [0, 1e-300, 0], [0, 0, 1e-300]] }), /bad: the points have no size/],
    ['nan.json', body({ kind: 'polyhedron', vertices: [...cube, ['NaN', 0, 0]] }), /numbers that are missing/],
    ['hollow.json', body({ kind: 'polyhedron', vertices: [...cube, [0.1, 0.1, 0.1]], triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]] }), /bad: a vertex lies outside one of the faces/],
    ['open.json', body({ kind: 'polyhedron', vertices: cube, triangles: faces.slice(1) }), /bad: too few or too many elements/],
    ['index.json', body({ kind: 'mesh', vertices: cube, triangles: [[0, 1, 4]] }), /no good lists/],
    ['half.json', body({ kind: 'mesh', vertices: cube, triangles: [[0, 1, 1.5]] }), /no good lists/],
    ['none.json', body({ kind: 'mesh', vertices: [], triangles: [] }), /bad: /],
    ['text.json', body({ kind: 'mesh', vertices: '<img src=x onerror=window.pwned=1>', triangles: [] }), /no good lists/],
    ['many.json', body({ kind: 'mesh', vertices: many, triangles: faces }), /more than 30000 corners/],
    ['parts.json', body({ kind: 'compound', parts: Array.from({ length: 600 }, () => ({ kind: 'sphere', radius: 1 })) }), /more than 500 parts/],
    ['nested.json', body({ kind: 'compound', parts: [{ kind: 'compound', parts: [{ kind: 'sphere', radius: 1 }] }] }), /kind compound are not/],
    ['empty.json', body({ kind: 'compound', parts: [] }), /no list of parts/],
    ['null.json', body({ kind: 'compound', parts: [null] }), /kind undefined are not/],
    ['file.json', body({ kind: 'mesh', file: '../../etc/passwd' }), /names the file/],
    ['segment.json', body({ kind: 'segment', vertices: [[0, 0, 0], [1, 0, 0]] }), /kind segment are not/],
    ['parameters.json', body({ kind: 'box', parameters: { a1: 1 } }), /'parameters' are not read/],
    ['huge.off', 'OFF\n4000000000 1 0\n0 0 0\n', /cut off/], ['cut.off', 'OFF\n3 1 0\n0 0 0\n', /cut off/], ['corner.off', 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 9\n', /does not exist/],
    ['a.xyz', '1 2\n', /no list of points/], ['b.xyz', '', /empty/], ['c.xyz', '1 2 x\n', /no list of points/], ['d.xyz', '0 0 1e999\n', /no list of points/], ['e.csv', many.join('\n'), /more than 30000/],
    ['plane.xyz', '0 0 0\n1 0 0\n0 1 0\n1 1 0\n', /in one plane/],
    ['cut.stl', 'x'.repeat(90), /STL/], ['bad.obj', 'v 0 0 0\nf 1 2 999', /does not exist/], ['nan.obj', 'v 0 0 a\nv 1 0 0\nv 0 1 0\nf 1 2 3', /not a number/],
    ['bomb.dae', '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>', /entities/], ['half.gltf', '{"asset":', /glTF/], ['cut.zip', 'PK\u0003\u0004cut', /archive/],
    ['bomb.zip', zipped([['scene.json', bomb]], true), /unpacks to more/], ['none.zip', zipped([['a.doc', Buffer.from('a')]], true), /no file that is read/],
    ['lost.zip', zipped([['scene.json', Buffer.from(body({ kind: 'mesh', file: 'gone.obj' }))]], true), /names the file gone.obj/],
    ['zip.zip', zipped([['scene.json', Buffer.from('{')]], true), /no JSON/],
  ]) {
    await drop(name, content);
    assert.match(await toast(), why, name);
    assert.equal((await state(s.page)).json, before, name);
  }
  // names: as text, and as the command takes them, each used once
  const names = ['<img src=x onerror=window.pwned=1>', 'two', 'two', '\u0000\u2028', 'ü'.repeat(80), '\ud800x'];
  await drop('names.json', JSON.stringify({ bodies: names.map((name, i) => ({ name, kind: 'sphere', radius: 0.4, position: [i, 0, 0] })) }));
  const st = await settled();
  assert.equal(new Set(st.document.bodies.map((b) => b.name)).size, names.length);
  compare(st);
  assert.equal(await s.page.evaluate(() => window.pwned), undefined);
  assert.equal(await s.page.locator('.side img').count(), 0);
  for (let i = 0; i < 3; i++) {
    await run(s.page, 'query.remove');
    await run(s.page, 'query.add');
  }
  compare(await settled()); // the command refuses names that are used twice
  // a scene that is too large for an address
  await drop('large.json', JSON.stringify({ bodies: [{ kind: 'polyhedron', vertices: Array.from({ length: 900 }, (_, i) => [Math.cos(i), Math.sin(i), Math.cos(7 * i)]) }, { kind: 'sphere', radius: 1, position: [3, 0, 0] }] }));
  compare(await settled());
  await run(s.page, 'query.link');
  assert.match(await toast(), /too long/);
  // links that are none, and one of a body that encloses nothing
  const kept = (await settled()).json;
  const flat = Buffer.from(body({ kind: 'polyhedron', vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] })).toString('base64url');
  for (const [code, why] of [['x', /cut off/], ['AAAA', /no JSON/], [flat, /in one plane/]]) {
    await s.page.goto('about:blank');
    await s.page.goto(`${s.server.address}#/query?scene=${code}`);
    await s.page.waitForFunction(() => window.studio?.ready);
    assert.match(await toast(), why);
    assert.equal((await settled()).json, kept);
  }
});

test('scenes: saved, dropped, linked; hostile files are told and change nothing', async () => {
  const before = await settled();
  const [download] = await Promise.all([s.page.waitForEvent('download'), run(s.page, 'query.save')]);
  assert.equal(readFileSync(await download.path(), 'utf8'), before.json);
  const given = readFileSync(path.join(root, 'data/scene_dozen.json'), 'utf8');
  await drop('dozen.json', given);
  const dozen = await settled();
  assert.equal(dozen.document.bodies.length, 12);
  compare(dozen);
  compare(dozen, nativeContacts(given));
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
  // and put into the address of the page that is open
  await run(s.page, 'query.fresh');
  await settled();
  await s.page.evaluate((to) => { location.href = to; }, address);
  await s.page.waitForFunction((count) => window.studio.state().document.bodies.length === count, json.length);
  assert.deepEqual((await settled()).document.bodies, json);
  await s.page.keyboard.press('Control+z');
  assert.equal((await settled()).document.bodies[0].name, 'egg');
  await s.page.keyboard.press('Control+Shift+z');
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
  for (const [w, h] of [[360, 640], [640, 360], [3840, 2160]]) {
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
