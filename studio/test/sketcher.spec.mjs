/**
 * The Multibody Sketcher in a real browser: strokes, taps, holds and two fingers through touch events
 * of the browser itself; what it saves is read by the ovoid command and by urdfdom.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { command as ovoid, enter, frames as wait, open, poorTargets, shoot, zipped } from './harness.mjs';

const work = mkdtempSync(join(tmpdir(), 'sketcher-'));

let room;
before(async () => {
  room = await open({ width: 720, height: 560, touch: true });
  await enter(room, 'sketcher');
});
after(async () => {
  await room?.close();
  assert.deepEqual(room?.faults.concat(room.foreign), []);
});

/* ---- fingers ------------------------------------------------------------------------------------ */

const frames = () => wait(room.page);
const touch = (type, points) => room.cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((p, id) => ({ x: p[0], y: p[1], id })) });
const state = () => room.page.evaluate(() => window.studio.state());
const command = async (id) => {
  await room.page.evaluate((c) => (c === 'undo' || c === 'redo' ? window.studio[c]() : window.studio.command(c)), id);
  await settle();
};
/** Until the worker has answered what the page asked, and what an answer made it ask. */
async function settle() {
  for (let i = 0; i < 3; i++) {
    await frames();
    await until((asked) => window.studio.answered(asked), await room.page.evaluate(() => window.studio.asked));
  }
  await frames();
}
/** A machine may be busy: what must come has a minute. */
const until = (what, argument = null) => room.page.waitForFunction(what, argument, { timeout: 60000 });

/** The canvas's place, and where a point of the world is on the screen in the front view. */
async function canvas() {
  return room.page.evaluate(() => {
    const r = document.querySelector('.sketcher-area canvas').getBoundingClientRect();
    return { x: r.x, y: r.y, width: r.width, height: r.height };
  });
}
async function placer() {
  const c = await canvas();
  const s = await state();
  const v = s.views[0];
  return ([x, z]) => [c.x + v.x + v.width / 2 + (x - s.centre[0]) * s.scale, c.y + v.y + v.height / 2 - (z - s.centre[2]) * s.scale];
}

/** A finger along corners, with a step of some pixels. Each step is a frame that is drawn. */
async function stroke(corners, step = 32) {
  await touch('touchStart', [corners[0]]);
  for (let i = 1; i < corners.length; i++) {
    const [a, b] = [corners[i - 1], corners[i]];
    const n = Math.max(1, Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) / step));
    for (let k = 1; k <= n; k++) await touch('touchMove', [[a[0] + ((b[0] - a[0]) * k) / n, a[1] + ((b[1] - a[1]) * k) / n]]);
  }
  await touch('touchEnd', []);
  await settle();
}
async function tap(p) {
  await touch('touchStart', [p]);
  await touch('touchEnd', []);
  await settle();
}
const ellipse = (centre, a, b, angle = 0, n = 14) =>
  Array.from({ length: n + 1 }, (_, i) => {
    const t = (2 * Math.PI * i) / n;
    const [u, v] = [a * Math.cos(t), b * Math.sin(t)];
    return [centre[0] + u * Math.cos(angle) - v * Math.sin(angle), centre[1] + u * Math.sin(angle) + v * Math.cos(angle)];
  });
const picture = (name) => shoot(room.page, `sketcher-${name}`);
async function clear() {
  await drop('empty.json', JSON.stringify({ format: 'ovoid-sketch', version: 1, name: 'sketch', nodes: [], bones: [], keys: [] }));
  await room.page.evaluate(() => window.studio.command('mode.skeleton'));
  await settle();
}
/** A field of the panel, by keyboard or slider. */
async function set(id, value) {
  await room.page.$eval(`[data-id="${id}"]`, (e, v) => {
    e.value = String(v);
    e.dispatchEvent(new Event('change'));
  }, value);
  await settle();
}
async function drop(name, content) {
  await room.page.evaluate(async ([n, b]) => window.studio.drop(new File([Uint8Array.from(atob(b), (c) => c.charCodeAt(0))], n)), [name, Buffer.from(content).toString('base64')]);
  await settle();
}

/** What a save command writes: a map of names to bytes, archives unpacked. */
async function saved(id) {
  const [download] = await Promise.all([room.page.waitForEvent('download'), room.page.evaluate((c) => window.studio.command(c), id)]);
  const file = { name: download.suggestedFilename(), data: readFileSync(await download.path()) };
  const out = new Map();
  out.raw = [file.name, file.data];
  if (!file.name.endsWith('.zip')) return out.set(file.name, file.data);
  const b = file.data;
  for (let at = 0; b.readUInt32LE(at) === 0x04034b50; ) {
    const [size, length] = [b.readUInt32LE(at + 22), b.readUInt16LE(at + 26)];
    out.set(b.toString('utf8', at + 30, at + 30 + length), b.subarray(at + 30 + length, at + 30 + length + size));
    at += 30 + length + size;
  }
  return out;
}
function unpack(files, folder) {
  for (const [name, data] of files) {
    mkdirSync(dirname(join(work, folder, name)), { recursive: true });
    writeFileSync(join(work, folder, name), data);
  }
  return join(work, folder, [...files.keys()][0]);
}

/* ---- skeleton ----------------------------------------------------------------------------------- */

test('a turn of 34 degrees is one bone, one of 36 two', async () => {
  for (const [turn, bones] of [[34, 1], [36, 2], [10, 1], [90, 2]]) {
    await clear();
    const c = await canvas();
    const a = (turn * Math.PI) / 180;
    const p = [c.x + 120, c.y + 400];
    const q = [p[0] + 170, p[1]];
    await stroke([p, q, [q[0] + 170 * Math.cos(a), q[1] - 170 * Math.sin(a)]], 12);
    assert.equal((await state()).sketch.bones.length, bones, `${turn} degrees`);
  }
});

test('joints weld, a touch splits, hold and drag moves, a branch grows from the middle of a bone', async () => {
  await clear();
  const c = await canvas();
  const p = [c.x + 200, c.y + 450];
  const q = [c.x + 200, c.y + 150];
  await stroke([p, q]);
  await stroke([[q[0] + 12, q[1] - 9], [q[0] + 200, q[1]]]); // begins near the first one's end
  let s = (await state()).sketch;
  assert.equal(s.bones.length, 2);
  assert.equal(s.nodes.length, 3);
  assert.equal(s.bones[1].a, s.bones[0].b);
  await tap([p[0], (p[1] + q[1]) / 2]);
  s = (await state()).sketch;
  assert.equal(s.bones.length, 3);
  assert.equal(s.nodes.length, 4);
  await stroke([[p[0], p[1] - 75], [p[0] + 180, p[1] - 30]]); // off the middle of the lower half
  s = (await state()).sketch;
  assert.equal(s.bones.length, 5);
  const id = s.bones.at(-1).b;
  const before = s.nodes.find((n) => n.id === id).at;
  await touch('touchStart', [[p[0] + 180, p[1] - 30]]);
  await new Promise((r) => setTimeout(r, 650));
  for (let i = 1; i <= 10; i++) await touch('touchMove', [[p[0] + 180 + 6 * i, p[1] - 30 - 4 * i]]);
  await frames();
  await touch('touchEnd', []);
  await settle();
  const moved = await state();
  const at = moved.sketch.nodes.find((n) => n.id === id).at;
  assert.ok(Math.abs(at[0] - before[0] - 60 / moved.scale) < 0.02 && Math.abs(at[2] - before[2] - 40 / moved.scale) < 0.02, `${before} ${at}`);
  assert.equal(moved.sketch.bones.length, 5);
});

test('bones by numbers and keys alone', async () => {
  await clear();
  await command('bone.add');
  await command('bone.add');
  await command('next.bone');
  await command('bone.split');
  const s = (await state()).sketch;
  assert.equal(s.bones.length, 3);
});

/* ---- a humanoid and a horse --------------------------------------------------------------------- */

const humanoid = {
  bones: [
    [[0, 0.95], [0, 1.45]],
    [[0, 1.45], [0, 1.75]],
    [[0, 1.45], [0.5, 1.4], [0.52, 1.0]],
    [[0, 1.45], [-0.5, 1.4], [-0.52, 1.0]],
    [[0, 0.95], [0.25, 0.55], [0.2, 0.1]],
    [[0, 0.95], [-0.25, 0.55], [-0.2, 0.1]],
  ],
  bodies: [[[0, 1.2], 0.2, 0.11], [[0, 1.64], 0.11, 0.09], [[0.27, 1.43], 0.17, 0.05], [[-0.27, 1.43], 0.17, 0.05], [[0.51, 1.2], 0.15, 0.045], [[-0.51, 1.2], 0.15, 0.045], [[0.14, 0.73], 0.17, 0.06], [[-0.14, 0.73], 0.17, 0.06], [[0.22, 0.33], 0.17, 0.05], [[-0.22, 0.33], 0.17, 0.05]],
};
const horse = {
  bones: [
    [[-0.5, 1.1], [0.5, 1.1]],
    [[0.5, 1.1], [0.8, 1.55], [1.1, 1.35]],
    [[0.5, 1.1], [0.68, 0.65], [0.48, 0.15]],
    [[-0.5, 1.1], [-0.7, 0.65], [-0.48, 0.15]],
    [[-0.5, 1.1], [-0.9, 0.85]],
  ],
  bodies: [[[0, 1.1], 0.42, 0.16], [[0.65, 1.32], 0.2, 0.08], [[0.96, 1.45], 0.14, 0.07], [[0.59, 0.87], 0.18, 0.06], [[0.58, 0.4], 0.18, 0.05], [[-0.6, 0.87], 0.18, 0.07], [[-0.59, 0.4], 0.18, 0.05], [[-0.7, 0.97], 0.15, 0.04]],
};

async function draw(figure) {
  await clear();
  await frames();
  let place = await placer();
  for (const chain of figure.bones) await stroke(chain.map(place));
  await command('mode.hitbox');
  place = await placer();
  const { scale, sketch } = await state();
  for (const [centre, a, b] of figure.bodies) {
    // along the nearest bone, as a person would draw it
    let best = null;
    for (const bone of sketch.bones) {
      const [p, q] = [bone.a, bone.b].map((id) => sketch.nodes.find((n) => n.id === id).at);
      const d = Math.hypot((p[0] + q[0]) / 2 - centre[0], (p[2] + q[2]) / 2 - centre[1]);
      if (!best || d < best.d) best = { d, angle: -Math.atan2(q[2] - p[2], q[0] - p[0]) };
    }
    await stroke(ellipse(place(centre), a * scale, b * scale, best.angle), 60);
  }
}

/** A figure that was drawn before is opened as a file, which takes a tenth of the time. */
const sketches = new Map();
async function recall(figure) {
  if (!sketches.has(figure)) {
    await draw(figure);
    sketches.set(figure, JSON.stringify({ format: 'ovoid-sketch', version: 1, ...(await state()).sketch }));
    return;
  }
  await clear();
  await drop('again.json', sketches.get(figure));
  await command('mode.hitbox');
}

for (const [name, figure, bones, bodies, formats] of [
  ['humanoid', humanoid, 10, 10, [['urdf', '<robot'], ['glb', 'glTF'], ['sketch', '']]], ['horse', horse, 8, 8, [['mjcf', ''], ['dae', '<COLLADA'], ['json', '{']]],
]) {
  test(`a ${name} drawn by touch is read by the ovoid command and urdfdom, and simulated`, async () => {
    await recall(figure);
    const s = await state();
    assert.equal(s.sketch.bones.length, bones);
    assert.equal(s.sketch.bones.reduce((n, b) => n + b.bodies.length, 0), bodies);
    await picture(name);
    const urdf = unpack(await saved('save.urdf'), `${name}-urdf`);
    const checked = spawnSync(ovoid, ['check', urdf], { encoding: 'utf8' });
    assert.ok(checked.status === 0 || checked.status === 1, `status ${checked.status}: ${checked.stderr}`);
    assert.match(execFileSync('check_urdf', [urdf], { encoding: 'utf8' }), /Successfully Parsed XML/);
    const flat = unpack(await saved('save.json'), `${name}-json`);
    const whole = spawnSync(ovoid, ['check', flat], { encoding: 'utf8' });
    assert.ok(whole.status === 0 || whole.status === 1, `status ${whole.status}: ${whole.stderr}`);
    // the command simulates scenes: the saved bodies, without their joints
    const run = spawnSync(ovoid, ['simulate', flat, '--seconds', '0.1'], { encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr + run.stdout);
    // and back, from every format: as many bodies of the same sizes, and every joint where it was; the files do not
    // say where a last bone ends
    const before = (await state()).sketch;
    const inner = before.nodes.filter((n) => before.bones.filter((b) => b.a === n.id || b.b === n.id).length > 1);
    const sizes = (sketch) => sketch.bones.flatMap((b) => b.bodies.map((o) => [...o.size].sort((p, q) => p - q))).sort((p, q) => p[2] - q[2]);
    for (const [format, head] of formats) {
      const files = await saved(`save.${format}`);
      if (head) assert.ok([...files.values()][0].subarray(0, 400).includes(head), format);
      const [file, data] = files.raw;
      await command('file.new');
      assert.equal((await state()).sketch.bones.length, 0);
      await drop(file, data);
      const again = (await state()).sketch;
      const [old, now] = [sizes(before), sizes(again)];
      assert.equal(now.length, bodies, `${format}: ${(await state()).message}`);
      old.forEach((size, i) => size.forEach((v, k) => assert.ok(Math.abs(v - now[i][k]) < 1e-4 * v, `${format}: ${size} ${now[i]}`)));
      if (format === 'json') continue; // a scene: bodies without joints
      for (const b of inner) assert.ok(again.nodes.some((n) => Math.hypot(...n.at.map((v, i) => v - b.at[i])) < 1e-6), `${format}: node ${b.at}`);
      assert.deepEqual(again.bones.map((b) => b.name).sort(), before.bones.map((b) => b.name).sort(), format);
    }
    for (let i = 0; i < 2 * formats.length; i++) await command('undo');
    assert.deepEqual((await state()).sketch, before);
    const [file, data] = (await saved('save.sdf')).raw;
    await drop(file, data);
    assert.match((await state()).message, /was not opened: (the archive has no file that is read|this kind of file is not read)/);
    assert.deepEqual((await state()).sketch, before);
  });
}

/* ---- joints, bodies, physics -------------------------------------------------------------------- */

test('joints have presets, sliders and pies', async () => {
  await draw({ bones: humanoid.bones.slice(0, 3), bodies: [] });
  await command('mode.joint');
  const place = await placer();
  await tap(place([0.5, 1.4]));
  await room.page.click('[data-id="preset.elbow"]');
  await settle();
  let s = await state();
  assert.deepEqual(s.sketch.nodes.find((n) => n.id === s.selection.node).joint, { x: [-80, 80], y: [0, 145], z: [0, 0] });
  await set('joint-z-to', 30);
  s = await state();
  assert.deepEqual(s.sketch.nodes.find((n) => n.id === s.selection.node).joint.z, [0, 30]);
  await picture('joint');
});

test('what is no ellipse is told so; two fingers turn, pinch and move; a hold slides the exponents', async () => {
  await draw({ bones: [[[-0.6, 1], [0.6, 1]]], bodies: [[[0, 1], 0.35, 0.15]] });
  const place = await placer();
  const canvasAt = await canvas();
  const m = place([0, 1]);
  const before = (await state()).sketch;
  await stroke([[m[0] - 80, m[1] - 80], [m[0] + 80, m[1] - 80], [m[0] + 80, m[1] + 80], [m[0] - 80, m[1] + 80], [m[0] - 80, m[1] - 80]]);
  assert.match((await state()).message, /No ellipse/);
  assert.deepEqual((await state()).sketch, before);
  await tap(m);
  const id = (await state()).selection.body;
  assert.notEqual(id, null);
  const body = (s) => s.sketch.bones[0].bodies.find((b) => b.id === id);
  const old = body(await state());
  // a quarter of a turn and twice as far apart
  await touch('touchStart', [[m[0] - 40, m[1]]]);
  await touch('touchStart', [[m[0] - 40, m[1]], [m[0] + 40, m[1]]]);
  for (let i = 1; i <= 12; i++) {
    const a = (Math.PI / 2) * (i / 12);
    const r = 40 + 40 * (i / 12);
    await touch('touchMove', [[m[0] - r * Math.cos(a), m[1] - r * Math.sin(a)], [m[0] + r * Math.cos(a), m[1] + r * Math.sin(a)]]);
    await frames();
  }
  await touch('touchEnd', []);
  await settle();
  const turned = body(await state());
  assert.ok(Math.abs(turned.size[2] / old.size[2] - 2) < 0.05, `${turned.size}`);
  const dot = Math.abs(turned.turn.reduce((n, v, i) => n + v * old.turn[i], 0));
  assert.ok(Math.abs(dot - Math.SQRT1_2) < 0.03, `${dot}`);
  await touch('touchStart', [m]);
  await new Promise((r) => setTimeout(r, 650));
  for (let i = 1; i <= 6; i++) await touch('touchMove', [[m[0] - 12 * i, m[1] + 10 * i]]);
  await frames();
  await picture('exponents');
  await touch('touchEnd', []);
  await settle();
  const shaped = body(await state());
  assert.ok(shaped.e[0] < 0.75 && shaped.e[1] < 0.85, `${shaped.e}`);
  await room.page.click('[data-id="face-pz-out"]');
  await settle();
  const grown = body(await state());
  assert.ok(Math.abs(grown.size[2] - shaped.size[2] - 0.01) < 1e-9);
  // the handle of the face +z, which the turns brought to the top or the bottom: 40 px outwards, the other side stays
  const { scale } = await state();
  const out = Math.sign((await state()).handles[4].y - m[1]), handle = (await state()).handles[4];
  const grip = [canvasAt.x + handle.x, canvasAt.y + handle.y];
  await stroke([grip, [grip[0], grip[1] + 40 * out]]);
  const dragged = body(await state());
  assert.ok(Math.abs(dragged.size[2] - grown.size[2] - 20 / scale) < 2 / scale, `${grown.size} ${dragged.size} ${scale}`);
  assert.deepEqual(dragged.size.slice(0, 2), grown.size.slice(0, 2));
  await command('undo');
  assert.deepEqual(body(await state()), grown);
  await picture('hitbox');
});

test('physics moves the puppet and is undone on leaving', async () => {
  await recall(humanoid);
  const before = await state();
  await command('mode.physics');
  await until(() => window.studio.state().steps >= 20);
  const place = await placer();
  const hand = place([0.52, 1.05]);
  await touch('touchStart', [hand]);
  for (let i = 1; i <= 15; i++) {
    await touch('touchMove', [[hand[0] + 6 * i, hand[1] - 8 * i]]);
    await frames();
  }
  const during = await state();
  await picture('physics');
  await touch('touchEnd', []);
  const far = during.frames.some((f) => { const b = before.frames.find((o) => o.id === f.id); return Math.hypot(...f.at.map((v, i) => v - b.at[i])) > 0.02; });
  assert.ok(far, 'nothing moved');
  assert.deepEqual(during.sketch, before.sketch);
  // an edit begins anew with the new model
  await command('undo');
  await command('redo');
  await until(() => window.studio.state().steps >= 3);
  assert.match((await state()).message, /^(Pull with one finger|Nothing to do)/); // undone, there was no bone
  await command('mode.hitbox');
  await settle();
  const afterwards = await state();
  assert.deepEqual(afterwards.frames, before.frames);
  assert.deepEqual(afterwards.sketch, before.sketch);
});

test('key frames are played, and the sweep proves or finds a contact', async () => {
  await recall(humanoid);
  await command('mode.pose');
  const s = await state();
  const upper = s.sketch.bones.find((b) => Math.abs(s.sketch.nodes.find((n) => n.id === b.b).at[0] - 0.52) < 0.04);
  await command('key.add');
  for (let i = 0; i < 30 && (await state()).selection.bone !== upper.id; i++) await command('next.bone');
  await set('angle-y', 20);
  const posed = await state();
  assert.deepEqual(posed.pose[upper.id], [0, 20, 0]);
  await command('undo');
  assert.deepEqual((await state()).pose, {});
  await command('redo');
  assert.deepEqual((await state()).sketch, posed.sketch);
  assert.deepEqual((await state()).frames, posed.frames);
  await command('key.add');
  assert.equal((await state()).sketch.keys.length, 2);
  await command('key.prove');
  await until(() => window.studio.state().proof);
  const first = (await state()).proof;
  assert.equal(first.answer, 'free', JSON.stringify(first));
  await set('angle-y', -90);
  await command('key.add');
  await set('angle-y', 90);
  await command('key.add');
  await command('key.prove');
  await until(() => window.studio.state().proof);
  // the same motion natively: the saved robot, and the same pairs that may touch
  const { proof, sketch, message: said } = await state();
  const urdf = unpack(await saved('save.urdf'), 'pose');
  const poses = join(work, 'keys.csv');
  writeFileSync(poses, `time,${upper.name}_joint_y\n${sketch.keys.map((k) => `${k.time},${((k.pose[upper.id]?.[1] ?? 0) * Math.PI) / 180}`).join('\n')}\n`);
  const meet = (p, q) => [p.a, p.b].some((n) => n === q.a || n === q.b);
  const allow = sketch.bones.flatMap((p, i) => sketch.bones.slice(i + 1).filter((q) => meet(p, q)).map((q) => `${p.name},${q.name}`)).join(':');
  const { answer, free_until: freeUntil, intervals } = JSON.parse(spawnSync(ovoid, ['sweep', urdf, '--joints', poses, '--allow', allow, '--first', '--json'], { encoding: 'utf8' }).stdout);
  assert.equal(answer, 'contact');
  assert.equal(proof.answer, answer);
  assert.ok(Math.abs(proof.lower - freeUntil) < 1e-12, `${proof.lower}, natively ${freeUntil}`);
  assert.ok(said.includes(intervals[0].a) && said.includes(intervals[0].b), said);
  await picture('pose');
});

test('a puppet of 20 bones takes at most 3 ms per frame in the worker', async () => {
  const joint = { x: [-60, 60], y: [-90, 90], z: [-90, 90] };
  const at = Array.from({ length: 21 }, (_, i) => [0.235 * i, 0, i % 2 ? 0.0855 : 0]);
  const bones = at.slice(1).map((_, i) => ({ id: 101 + i, name: `b${i}`, a: i, b: i + 1, frame: [1, 0, 0, 0],
    bodies: [{ id: 201 + i, at: [0.1175, 0, i % 2 ? -0.043 : 0.043], turn: [Math.SQRT1_2, 0, Math.SQRT1_2, 0], size: [0.044, 0.044, 0.125], e: [1, 1], taper: [0, 0] }] }));
  await drop('chain.json', JSON.stringify({ format: 'ovoid-sketch', version: 1, name: 'chain', nodes: at.map((p, id) => ({ id, at: p, joint })), bones, keys: [] }));
  assert.equal((await state()).sketch.bones.length, 20);
  await command('mode.physics');
  await until(() => window.studio.state().steps >= 90);
  // other programs take turns on the machine: the lower quarter of the times is what a frame costs
  const costs = (await state()).costs.sort((x, y) => x - y);
  const cost = costs[Math.floor(costs.length / 4)];
  console.log(`# a puppet of 20 bones: ${cost.toFixed(2)} ms per frame (least ${costs[0].toFixed(2)}, median ${costs[costs.length >> 1].toFixed(2)}, ${costs.length} frames)`);
  assert.ok(costs.length >= 90);
  assert.ok(cost <= 3, `${cost} ms`);
});

/* ---- history, files, hosts ---------------------------------------------------------------------- */

test('20 edits undone and redone give equal JSON', async () => {
  await clear();
  const versions = [];
  for (let i = 0; i < 10; i++) {
    await command('bone.add');
    versions.push(JSON.stringify((await state()).sketch));
  }
  await command('mode.hitbox');
  for (let i = 0; i < 10; i++) {
    await command('next.bone');
    await command('body.add');
    versions.push(JSON.stringify((await state()).sketch));
  }
  for (let i = 18; i >= 0; i--) {
    await command('undo');
    assert.equal(JSON.stringify((await state()).sketch), versions[i]);
  }
  for (let i = 1; i < 20; i++) {
    await command('redo');
    assert.equal(JSON.stringify((await state()).sketch), versions[i]);
  }
});

test('hostile files get a message, and nothing is lost', async () => {
  await draw({ bones: [[[-0.5, 1], [0.5, 1]]], bodies: [] });
  const before = JSON.stringify((await state()).sketch);
  const bomb = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}]><robot name="&j;"/>`;
  const many = `<robot name="m">${'<link name="a"/>'.repeat(30000)}</robot>`;
  const glb = Buffer.concat([Buffer.from('glTF'), Buffer.from(Uint32Array.from([2, 40, 0xfffffff0]).buffer), Buffer.from('JSON'), Buffer.alloc(20)]);
  const reach = JSON.stringify({ asset: {}, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], accessors: [{ bufferView: 0, componentType: 5126, count: 1e9, type: 'VEC3' }], bufferViews: [{ buffer: 0, byteLength: 12 }], buffers: [{ uri: 'data:;base64,AAAAAAAAAAAAAAAA' }] });
  const loop = JSON.stringify({ asset: {}, scenes: [{ nodes: [0] }], nodes: [{ children: [0] }] });
  // its skeleton is good, its skin is not
  const skin = JSON.stringify({ ...JSON.parse(reach), nodes: [{ children: [1, 2] }, { name: 'hip', translation: [0, 1, 0], children: [3] }, { mesh: 0, skin: 0 }, { name: 'head', translation: [0, 1, 0] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 1, type: 'VEC3' }] });
  const files = [['bomb.urdf', bomb], ['bomb.dae', bomb], ['many.urdf', many], ['cut.glb', glb], ['reach.gltf', reach], ['loop.gltf', loop], ['half.gltf', '{"asset":'], ['no.json', '{"format":"ovoid-sketch","nodes":[{"id":"x"}]}'], ['huge.json', JSON.stringify({ format: 'ovoid-sketch', nodes: Array.from({ length: 9999 }, () => 0) })], ['empty.stl', ''], ['cut.stl', 'x'.repeat(90)], ['bad.obj', 'v 0 0 0\nf 1 2 999'], ['what.exe', 'MZ'], ['cut.zip', 'PK\u0003\u0004cut'], ['none.zip', zipped([['a.txt', Buffer.from('a')]])],
    ['bomb.zip', zipped([['a.urdf', Buffer.alloc(80 << 20)]], true)], ['bomb2.zip', zipped([['a.urdf', Buffer.from(bomb)]], true)], ['skin.gltf', skin], ['scene.json', '{"bodies":[{"kind":"sphere","radius":"1"}]}'], ['lone.json', '{"bodies":[]}'],
    ['corners.dae', '<COLLADA><library_geometries><geometry id="g"><mesh><source id="s"><float_array>0 0 0</float_array></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices><polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>4000000000</vcount><p>0 0 0</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>'], ['loop.urdf', '<robot name="l"><link name="a"/><link name="b"/><joint name="x" type="fixed"><parent link="a"/><child link="b"/></joint><joint name="y" type="fixed"><parent link="b"/><child link="a"/></joint></robot>']];
  for (const [name, content] of files) {
    await drop(name, content);
    const s = await state();
    assert.match(s.message, new RegExp(`${name.replace('.', '\\.')} was not opened`), name);
    assert.equal(JSON.stringify(s.sketch), before, name);
  }
  // without bones the skeleton would be opened: not without its skin
  await command('file.new');
  await drop('skin.gltf', skin);
  assert.match((await state()).message, /skin.gltf was not opened: a triangle lacks/);
  assert.equal((await state()).sketch.bones.length, 0);
  await command('undo');
  const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
  const escaped = evil.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
  await drop('evil.urdf', `<robot name="${escaped}"><link name="${escaped}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>`);
  await command('next.bone');
  assert.equal(await room.page.evaluate(() => window.pwned), undefined);
  assert.equal((await state()).sketch.bones.length, 1);
  await command('undo');
  assert.equal(JSON.stringify((await state()).sketch), before);
});

/** A model of MuJoCo in words that a person would use; where things are is worked out by hand below. */
const mjcf = `<mujoco model="leg"><compiler angle="degree"/>
  <default><geom type="capsule" size="0.05"/><default class="leg"><geom size="0.07"/><joint axis="0 1 0" range="-100 10"/></default></default>
  <worldbody><body name="torso" pos="0 0 1.2"><freejoint/>
    <geom type="sphere" size="0.2"/><geom type="mesh" mesh="none"/>
    <body name="thigh" pos="0.1 0 -0.3" euler="0 90 0" childclass="leg">
      <joint axis="1 0 0"/><joint axis="0 0 1" range="-60 35"/><joint/>
      <geom fromto="0 0 0 0.4 0 0"/>
      <body name="shin" pos="0.45 0 0"><joint pos="0.05 0 0"/><geom size="0.03" fromto="0.05 0 0 0.4 0 0"/></body>
    </body></body></worldbody></mujoco>`;

test('MJCF with classes, Euler angles, ends of capsules and shifted joints; what is left out is told', async () => {
  await command('file.new');
  await drop('leg.xml', mjcf);
  const { sketch: s, message } = await state();
  assert.match(message, /a geom of type "mesh" is left out/);
  const node = (id) => s.nodes.find((n) => n.id === id);
  const [torso, thigh, shin] = s.bones;
  assert.deepEqual([torso, thigh, shin].map((b) => b.name), ['torso', 'thigh', 'shin']);
  // x of the thigh points down: its knee is 0.45 + 0.05 below the hip at (0.1, 0, 0.9)
  const near = (p, q) => assert.ok(Math.hypot(...p.map((v, i) => v - q[i])) < 1e-9, `${p}, not ${q}`);
  near(node(thigh.a).at, [0.1, 0, 0.9]);
  near(node(shin.a).at, [0.1, 0, 0.4]);
  near(thigh.bodies[0].size, [0.07, 0.07, 0.27]);
  near(shin.bodies[0].size, [0.03, 0.03, 0.205]);
  // three axes at right angles in the order x, z, y: they become z, y and x
  assert.deepEqual(node(thigh.a).joint, { z: [-100, 10], y: [-60, 35], x: [-100, 10] });
  assert.deepEqual(node(shin.a).joint, { x: [0, 0], y: [-100, 10], z: [0, 0] });
  await command('undo');
  await command('undo');
});

/* ---- what a file says of masses and joints ------------------------------------------------------- */

/** A robot with masses off the middle, turned tensors, slanted axes, two axes at one place, and names of its own. */
const weighed = `<robot name="weighed">
  <link name="trunk"><inertial><origin xyz="0.02 -0.01 0.4" rpy="0.3 -0.2 0.5"/><mass value="7.25"/><inertia ixx="0.31" ixy="0.02" ixz="-0.015" iyy="0.28" iyz="0.01" izz="0.12"/></inertial>
    <collision><origin xyz="0 0 0.4"/><geometry><cylinder radius="0.15" length="0.8"/></geometry></collision></link>
  <link name="yoke"><inertial><mass value="0.4"/><inertia ixx="0.0007" ixy="0" ixz="0" iyy="0.0006" iyz="0" izz="0.0005"/></inertial></link>
  <link name="boom"><inertial><origin xyz="0.3 0.01 -0.02" rpy="0 0 1"/><mass value="3.5"/><inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.11" iyz="0.002" izz="0.1"/></inertial>
    <collision><origin xyz="0.3 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule radius="0.06" length="0.4"/></geometry></collision></link>
  <link name="fork"><inertial><origin xyz="0.1 0 0"/><mass value="0.9"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.006" iyz="0.0003" izz="0.005"/></inertial>
    <collision><origin xyz="0.12 0 0"/><geometry><box size="0.2 0.08 0.04"/></geometry></collision></link>
  <link name="tool"><inertial><mass value="0.2"/><inertia ixx="0.0003" ixy="0" ixz="0" iyy="0.0003" iyz="0" izz="0.0002"/></inertial>
    <collision><origin xyz="0.03 0 0"/><geometry><sphere radius="0.03"/></geometry></collision></link>
  <joint name="slew" type="revolute"><parent link="trunk"/><child link="yoke"/><origin xyz="0 0 0.85" rpy="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="-1.5" upper="1.2" velocity="2.5" effort="310"/></joint>
  <joint name="luff" type="revolute"><parent link="yoke"/><child link="boom"/><axis xyz="0 1 0"/><limit lower="-0.7" upper="0.9" velocity="1.5" effort="220"/></joint>
  <joint name="slant" type="revolute"><parent link="boom"/><child link="fork"/><origin xyz="0.6 0 0" rpy="0.2 0 0"/><axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1" velocity="4" effort="35"/></joint>
  <joint name="weld" type="fixed"><parent link="fork"/><child link="tool"/><origin xyz="0.25 0 0"/></joint>
</robot>`;

/** Links of a URDF at rest, seen from the world: mass, centre and tensor; and what its joints are called and may do. Read
 *  and worked out here, by matrices, with no code of the studio or the library. */
function weigh(text) {
  const attribute = (block, tag, name, otherwise = '0 0 0') => new RegExp(`<${tag}\\b[^>]*\\b${name}="([^"]*)"`).exec(block)?.[1] ?? otherwise;
  const three = (s) => s.trim().split(/\s+/).map(Number);
  const product = (a, b) => a.map((r) => b[0].map((_, k) => r.reduce((n, v, i) => n + v * b[i][k], 0)));
  const flip = (m) => m[0].map((_, k) => m.map((r) => r[k]));
  const turn = ([r, p, y]) => product(product([[Math.cos(y), -Math.sin(y), 0], [Math.sin(y), Math.cos(y), 0], [0, 0, 1]], [[Math.cos(p), 0, Math.sin(p)], [0, 1, 0], [-Math.sin(p), 0, Math.cos(p)]]), [[1, 0, 0], [0, Math.cos(r), -Math.sin(r)], [0, Math.sin(r), Math.cos(r)]]);
  const applied = (m, v) => m.map((r) => r.reduce((n, x, i) => n + x * v[i], 0));
  const blocks = (tag) => [...text.matchAll(new RegExp(`<${tag} name="([^"]*)"([^]*?)</${tag}>`, 'g'))].map((m) => ({ name: m[1], block: m[2] }));
  const joints = blocks('joint').map(({ name, block }) => ({ name, parent: attribute(block, 'parent', 'link'), child: attribute(block, 'child', 'link'), at: three(attribute(block, 'origin', 'xyz')), turn: turn(three(attribute(block, 'origin', 'rpy'))),
    may: ['lower', 'upper', 'velocity', 'effort'].map((k) => Number(attribute(block, 'limit', k, 'NaN'))) }));
  const place = (link) => {
    const j = joints.find((o) => o.child === link);
    if (!j) return { at: [0, 0, 0], turn: turn([0, 0, 0]) };
    const up = place(j.parent);
    return { at: applied(up.turn, j.at).map((v, i) => v + up.at[i]), turn: product(up.turn, j.turn) };
  };
  const links = new Map(blocks('link').map(({ name, block }) => {
    const inertial = /<inertial>[^]*<\/inertial>/.exec(block)?.[0] ?? '', f = place(name);
    const [xx, xy, xz, yy, yz, zz] = ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'].map((k) => Number(attribute(inertial, 'inertia', k, '0')));
    const own = product(f.turn, turn(three(attribute(inertial, 'origin', 'rpy'))));
    return [name, { mass: Number(attribute(inertial, 'mass', 'value', '0')), centre: applied(f.turn, three(attribute(inertial, 'origin', 'xyz'))).map((v, i) => v + f.at[i]),
      tensor: product(product(own, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), flip(own)).flat() }];
  }));
  return { links, joints };
}

test('masses, tensors and names of a file outlive an edit elsewhere; what is not kept is told', async () => {
  const near = (a, b, what) => [a].flat().forEach((v, i) => assert.ok(Math.abs(v - [b].flat()[i]) < 1e-9, `${what}: ${a}, not ${b}`));
  await command('file.new');
  await drop('weighed.urdf', weighed.replace('</robot>', '<gazebo/></robot>'));
  assert.match((await state()).message, /what is for other programs is not kept/);
  const before = weigh(weighed);
  const check = async (changed) => {
    const urdf = [...(await saved('save.urdf')).values()][0].toString();
    const folder = unpack(new Map([['weighed.urdf', Buffer.from(urdf)]]), 'weighed');
    assert.match(execFileSync('check_urdf', [folder], { encoding: 'utf8' }), /Successfully Parsed XML/);
    const after = weigh(urdf);
    assert.deepEqual([...after.links.keys()].sort(), [...before.links.keys()].sort());
    for (const [name, l] of before.links) {
      const m = after.links.get(name);
      if (changed.includes(name)) assert.ok(Math.abs(m.mass - l.mass) > 1e-3, `${name} has a new mass: ${m.mass}`);
      else for (const key of ['mass', 'centre', 'tensor']) near(m[key], l[key], `${name} ${key}`);
    }
    assert.deepEqual(after.joints.map((j) => j.name).sort(), before.joints.map((j) => j.name).sort());
    for (const j of before.joints) if (j.name !== 'weld') near(after.joints.find((o) => o.name === j.name).may, j.may, j.name);
  };
  await check([]);
  // through the sketch's own file, and with one link that is changed
  const [file, data] = (await saved('save.sketch')).raw;
  await command('file.new');
  await drop(file, data);
  await check([]);
  await command('mode.hitbox');
  const selected = ({ sketch, selection }) => sketch.bones.find((b) => b.id === selection.bone)?.name;
  for (let i = 0; i < 9 && selected(await state()) !== 'boom'; i++) await command('next.bone');
  await command('body.add');
  assert.match((await state()).message, /^boom: changed, so the mass of the file is left/);
  await check(['boom']);
  await command('undo');
  await check([]);
  // and through MJCF
  const mjcf = (await saved('save.mjcf')).raw;
  await command('file.new');
  await drop(...mjcf);
  const again = weigh([...(await saved('save.urdf')).values()][0].toString());
  const heavy = (w) => [...w.links.values()].map((l) => l.mass).sort((a, b) => a - b);
  near(heavy(again), heavy(before), 'masses');
  assert.deepEqual(again.joints.map((j) => j.name).filter((n) => n !== 'tool_joint').sort(), before.joints.map((j) => j.name).filter((n) => n !== 'weld').sort());
  for (const bad of ['<mass value="-1"/>', '<mass value="NaN"/>', '<mass value="2"/><inertia ixx="-1" iyy="1" izz="1"/>', '<mass value="1e300"/>']) {
    await command('file.new');
    await drop('bad.urdf', `<robot name="b"><link name="a"><inertial>${bad}</inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>`);
    assert.match((await state()).message, /masses that no body can have are left out, as that of a|was not opened: "(NaN|1e300)" is not 1 number/, bad);
    await command('undo');
  }
});

test('a dropped mesh is fitted: bodies for each bone', async () => {
  await draw({ bones: [[[-0.5, 1], [0, 1.02], [0.5, 1]].slice(0, 1).concat([[0.5, 1]])], bodies: [] });
  const obj = [];
  const [n, m] = [24, 16];
  for (let j = 0; j <= m; j++) for (let i = 0; i < n; i++) {
    const [u, v] = [(2 * Math.PI * i) / n, -Math.PI / 2 + (Math.PI * j) / m];
    obj.push(`v ${0.45 * Math.cos(u) * Math.cos(v)} ${0.15 * Math.sin(u) * Math.cos(v)} ${1 + 0.1 * Math.sin(v)}`);
  }
  for (let j = 0; j < m; j++) for (let i = 0; i < n; i++) {
    const [a, b] = [j * n + i + 1, j * n + ((i + 1) % n) + 1];
    obj.push(`f ${a} ${b} ${b + n} ${a + n}`);
  }
  await drop('body.obj', obj.join('\n'));
  await until(() => window.studio.state().sketch.bones[0].bodies.length);
  const bodies = (await state()).sketch.bones[0].bodies;
  assert.equal(bodies.length, 1);
  const size = [...bodies[0].size].sort((a, b) => a - b);
  for (const [i, want] of [0.1, 0.15, 0.45].entries()) assert.ok(Math.abs(size[i] - want) < 0.02 * want + 0.003, `${size}`);
});

test('four views and seven sides; targets are large enough; narrow and wide screens', async () => {
  await recall(horse);
  for (let i = 0; i < 3; i++) await command('view.add');
  assert.equal((await state()).views.length, 4);
  await settle();
  await picture('four-views');
  for (let i = 0; i < 3; i++) await command('view.remove');
  for (const side of ['back', 'left', 'right', 'top', 'bottom', 'orbit', 'front']) {
    await room.page.click(`.camera-box [data-side=${side}]`);
    assert.equal((await state()).views[0].side, side);
  }
  assert.deepEqual(await poorTargets(room.page), []);
  for (const [width, height, name] of [[360, 740, 'narrow'], [3840, 2160, '4k']]) {
    await room.page.setViewportSize({ width, height });
    await settle();
    assert.deepEqual(await poorTargets(room.page), [], name);
    await command('view.all');
    const wide = await room.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(wide, `${name} scrolls sideways`);
    await picture(name);
  }
});
