// Dress the mannequin, in a browser: what hangs on the figure, by the figure's formulas and the native command.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { native, openRoom } from './play-room.mjs';

let room;
before(async () => { room = await openRoom('touch', { width: 900, height: 640, dark: false }); });
after(async () => { await room?.close(); });

/** The state once the cloth has hung for two seconds of its own: the figure is in its pose by then. */
async function settled() {
    await room.page.waitForFunction(() => window.studio.state()?.hangs >= 2 || window.studio.state()?.resting, undefined, { timeout: 120000 });
    return room.state();
}
const press = (name) => room.page.getByRole('button', { name, exact: true }).click();
const rowsOf = (obj, name) => obj.split('\n').filter((l) => l.startsWith(`${name} `)).map((l) => l.slice(name.length + 1).split(' ').map((x) => parseFloat(x)));

/** v in the frame of a body at p, turned by q (w first). */
function within(p, q, v) {
    const d = v.map((x, i) => x - p[i]), [w, x, y, z] = [q[0], -q[1], -q[2], -q[3]];
    const t = [2 * (y * d[2] - z * d[1]), 2 * (z * d[0] - x * d[2]), 2 * (x * d[1] - y * d[0])];
    return [d[0] + w * t[0] + y * t[2] - z * t[1], d[1] + w * t[1] + z * t[0] - x * t[2], d[2] + w * t[2] + x * t[1] - y * t[0]];
}
/** Below 1 inside a superovoid, by its equation. */
function inside(body, point) {
    const v = within(body.position, body.rotation, point), [a1, a2, a3] = body.semi_axes, [e1, e2] = body.exponents;
    const h = v[2] / a3, x = Math.abs(v[0] / (a1 * (1 + body.taper[0] * h))), y = Math.abs(v[1] / (a2 * (1 + body.taper[1] * h)));
    return (x ** (2 / e1) + y ** (2 / e1)) ** (e1 / e2) + Math.abs(h) ** (2 / e2);
}

/** The files of an archive without compression. */
function unzip(data) {
    const files = {};
    for (let at = 0; data.readUInt32LE(at) === 0x04034b50;) {
        const size = data.readUInt32LE(at + 18), name = data.readUInt16LE(at + 26), start = at + 30 + name;
        files[data.toString('utf8', at + 30, start)] = data.toString('utf8', start, start + size);
        at = start + size;
    }
    return files;
}
async function scene() {
    const [download] = await Promise.all([room.page.waitForEvent('download'), room.command('dress.scene')]);
    const files = unzip(readFileSync(await download.path()));
    return { files, scene: JSON.parse(files['scene.json']), garment: files['garment.obj'] };
}

test('from the touch lab; a poncho falls onto the figure, outside of all its parts', async () => {
    await room.page.keyboard.press('d');
    await room.page.waitForFunction(() => window.studio.room === 'dress' && window.studio.ready, undefined, { timeout: 60000 });
    const s = await settled();
    assert.equal(s.garment, 'poncho');
    const { scene: made, garment } = await scene();
    const vertices = rowsOf(garment, 'v'), figure = made.bodies.slice(1);
    assert.equal(vertices.length, s.vertices);
    assert.equal(figure.length, 17);
    const least = Math.min(...vertices.map((v) => Math.min(...figure.map((b) => inside(b, v)))));
    assert.ok(least >= 0.999, `a vertex is in the figure: ${least}`);
    // it hangs on the shoulders, and is not as it was cut: flat
    const heights = vertices.map((v) => v[2]), chest = figure.find((b) => b.name === 'chest');
    assert.ok(Math.max(...heights) > chest.position[2] && Math.min(...heights) > 0.5 && Math.max(...heights) - Math.min(...heights) > 0.3);
    await room.shot('dress-poncho');
});

test('what is saved, ovoid simulate reads; glTF and OBJ are the same triangles, figure included', async () => {
    await room.page.waitForFunction(() => window.studio.state().resting, undefined, { timeout: 120000 }); // all files are of one moment
    const { files, scene: made } = await scene();
    const folder = mkdtempSync(path.join(tmpdir(), 'dress-'));
    writeFileSync(path.join(folder, 'garment.obj'), files['garment.obj']);
    writeFileSync(path.join(folder, 'scene.json'), JSON.stringify({ ...made, time: [0, 0.05] }));
    const told = native(['simulate', path.join(folder, 'scene.json'), '-o', path.join(folder, 'last.json')]);
    assert.ok(told.length > 0);
    const obj = await room.file('dress.obj'), gltf = JSON.parse(await room.file('dress.gltf'));
    const vertices = rowsOf(obj, 'v'), faces = rowsOf(obj, 'f').flat();
    assert.ok(vertices.length > rowsOf(files['garment.obj'], 'v').length + 17 * 100);
    const bytes = Buffer.from(gltf.buffers[0].uri.split(',')[1], 'base64'), [position, , index] = gltf.accessors.map((a) => gltf.bufferViews[a.bufferView]);
    const points = new Float32Array(bytes.buffer.slice(bytes.byteOffset + position.byteOffset, bytes.byteOffset + position.byteOffset + position.byteLength));
    const corners = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + index.byteOffset, bytes.byteOffset + index.byteOffset + index.byteLength));
    assert.deepEqual([...corners].map((i) => i + 1), faces);
    vertices.forEach(([x, y, z], i) => assert.ok(Math.hypot(points[3 * i] - x, points[3 * i + 1] - z, points[3 * i + 2] + y) < 1e-6, `vertex ${i}`));
});

test('a finger pulls the cloth, a hold pins it, and the pin goes with the figure; a hold takes it away', async () => {
    const box = await room.page.locator('#host canvas').first().boundingBox();
    const on = (s, name) => { const p = s.parts.find((x) => x.name === name).on; return [box.x + p.x, box.y + p.y]; };
    let s = await settled();
    const chest = on(s, 'chest');
    await room.touch('touchStart', [chest]);
    await room.touch('touchMove', [[chest[0] + 20, chest[1]]]);
    await room.touch('touchMove', [[chest[0] + 60, chest[1]]]);
    await room.page.waitForFunction(() => window.studio.state().holding);
    const before = rowsOf((await scene()).garment, 'v');
    await room.touch('touchMove', [[chest[0] + 100, chest[1] - 30]]);
    await room.page.waitForFunction(() => window.studio.state().hangs >= 0.6);
    const pulled = rowsOf((await scene()).garment, 'v'), far = Math.max(...pulled.map((v, i) => Math.hypot(...v.map((x, k) => x - before[i][k]))));
    assert.ok(far > 0.03, `the cloth came ${far} m`);
    await room.shot('dress-pull');
    await room.touch('touchEnd', []);
    await settled();
    // 0.4 s is too short, 0.6 s is not
    const rest = async (seconds) => {
        const now = Date.now() / 1000;
        await room.touch('touchStart', [chest], now);
        await room.sleep(1000 * seconds);
        await room.touch('touchEnd', [], now + seconds);
        await room.frames(3);
    };
    await rest(0.25);
    assert.equal((await room.state()).pins.length, 0);
    await rest(0.7);
    await room.page.waitForFunction(() => window.studio.state().pins.length === 1);
    const pin = (await room.state()).pins[0];
    await press('Bow');
    s = await settled();
    const { garment, scene: made } = await scene();
    const held = rowsOf(garment, 'v')[pin.vertex], part = made.bodies[1 + pin.part];
    const at = within(part.position, part.rotation, held);
    assert.ok(Math.hypot(...at.map((x, i) => x - pin.at[i])) < 1e-6, `${at} instead of ${pin.at}`);
    assert.deepEqual(made.cloths[0].pins, [pin.vertex]);
    await room.shot('dress-bow');
    // held again, it is gone
    chest.splice(0, 2, box.x + s.places[0].x, box.y + s.places[0].y);
    await rest(0.7);
    await room.page.waitForFunction(() => window.studio.state().pins.length === 0);
});

test('poses: hands over the head, a stride, and the lower foot on the ground in each', async () => {
    const height = (s, name) => s.parts.find((p) => p.name === name).position[2];
    for (const [pose, holds] of [
        ['Reach up', (s) => height(s, 'left hand') > height(s, 'head') && height(s, 'right hand') > height(s, 'head')],
        ['Walk', (s) => s.parts.find((p) => p.name === 'left foot').position[1] < s.parts.find((p) => p.name === 'right foot').position[1] - 0.3],
    ]) {
        await press(pose);
        const s = await settled();
        assert.ok(holds(s), pose);
        const low = Math.min(height(s, 'left foot'), height(s, 'right foot'));
        assert.ok(low > 0.03 && low < 0.09, `${pose}: foot at ${low} m`);
    }
    await room.page.keyboard.press('g');
    assert.equal((await settled()).garment, 'cape');
    await room.shot('dress-cape');
});

test('twenty edits undone and redone give equal JSON; pins and pulls by keys', async () => {
    await room.page.keyboard.press('r');
    assert.equal((await room.state()).pins.length, 0);
    const first = (await room.state()).json, seen = [first], edits = ['garment', 'pose', 'longer', 'pose', 'wider', 'shorter', 'garment', 'longer', 'narrower', 'pose'];
    for (let i = 0; i < 20; i++) {
        await room.command(`dress.${edits[i % edits.length]}`);
        seen.push((await room.state()).json);
    }
    for (let i = 0; i < 20; i++) assert.notEqual(seen[i], seen[i + 1], `edit ${i} changes something`);
    for (let i = 19; i >= 0; i--) {
        await room.undo();
        assert.equal((await room.state()).json, seen[i], `undo to ${i}`);
    }
    for (let i = 1; i <= 20; i++) {
        await room.redo();
        assert.equal((await room.state()).json, seen[i], `redo to ${i}`);
    }
    for (const garment of ['Tube dress', 'Skirt']) {
        await press(garment);
        await settled();
        await room.shot(`dress-${garment.slice(0, 4).toLowerCase()}`);
    }
    const before = (await settled()).pins.length;
    await room.page.locator('#host canvas').first().focus();
    await room.page.keyboard.press('n');
    await room.page.waitForFunction((n) => window.studio.state().pins.length === n + 1, before);
    await room.page.keyboard.press('u');
    await room.page.waitForFunction(() => window.studio.state().holding);
    await room.page.waitForFunction(() => !window.studio.state().holding);
    const { width, height } = room.page.viewportSize();
    for (const size of [{ width: 360, height: 720 }, { width, height }]) {
        await room.page.setViewportSize(size);
        await room.frames(2);
        assert.deepEqual(await room.poorTargets(), []);
    }
    assert.deepEqual(room.faults, []);
    assert.deepEqual(room.foreign, []);
});
