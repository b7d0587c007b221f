// Terrain Cloth: the cloth and the walk in node, then the room in a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModule } from './pong-rallies.mjs';
import { native, openRoom } from './play-room.mjs';

const wasm = await loadModule(fileURLToPath(new URL('../public/ovoid.wasm', import.meta.url)));

function eighty() {
    const t = wasm.terrain_create(40, 10);
    for (let i = 0; i < 80; i++) {
        const x = -4.05 + 0.9 * (i % 10), y = -3.5 + Math.floor(i / 10);
        const e = 0.3 + 0.2 * ((7 * i) % 8);
        assert.equal(wasm.terrain_body(t, i, x, y, 0.32, 0.32, 0.4 + 0.3 * (i % 3), e, 1, 0.3 * i, 0), 1);
    }
    return t;
}

test('1,681 vertices over 80 bodies: at most 8 ms of CPU a frame, and no triangle is in a body', () => {
    const t = eighty();
    assert.equal(wasm.terrain_vertex_count(t), 1681);
    for (let i = 0; i < 60; i++) assert.equal(wasm.terrain_step(t, 1 / 60), 0);
    const frames = 90, start = process.cpuUsage();
    for (let i = 0; i < frames; i++) assert.equal(wasm.terrain_step(t, 1 / 60), 0);
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000 / frames;
    console.log(`cloth: ${ms.toFixed(2)} ms of CPU a frame; deepest ${wasm.terrain_depth(t)} m`);
    assert.ok(ms <= 8, `${ms} ms`);
    assert.ok(wasm.terrain_depth(t) < 1e-3, `${wasm.terrain_depth(t)} m deep`);
    wasm.terrain_destroy(t);
});

test('a walk goes up and down, never into the ground', () => {
    const t = eighty();
    for (let i = 0; i < 120; i++) wasm.terrain_step(t, 1 / 60);
    for (const start of [-2, -1, 0.9, 3]) {
        assert.equal(wasm.terrain_walk_start(t, start, -4.6), 1);
        let least = Infinity, stood = 0, top = 0, row;
        for (let i = 0; i < 500; i++) {
            row = new Float64Array(wasm.memory.buffer, wasm.terrain_walk_step(t, 0.2 * Math.sin(i / 40), 1, i % 50 === 0 ? 1 : 0, 1 / 60), 8);
            least = Math.min(least, wasm.terrain_walk_gap(t));
            stood += row[6];
            top = Math.max(top, row[2]);
        }
        console.log(`walk: from y -4.6 to ${row[1].toFixed(2)}, least gap ${least}, stood ${stood} of 500 steps, up to ${top.toFixed(2)} m`);
        assert.ok(least > 0, `gap ${least}`);
        assert.ok(row[1] > -2 && stood > 100 && top > 0.4);
    }
    wasm.terrain_destroy(t);
});

test('numbers that make no body are refused', () => {
    const t = wasm.terrain_create(8, 4);
    for (const bad of [NaN, Infinity, -1, 0, 1e9]) assert.equal(wasm.terrain_body(t, 0, 0, 0, bad, 1, 1, 1, 1, 0, 0), 0);
    assert.equal(wasm.terrain_body(t, 128, 0, 0, 1, 1, 1, 1, 1, 0, 0), 0);
    assert.equal(wasm.terrain_body(t, 0, NaN, 0, 1, 1, 1, 1, 1, 0, 0), 0);
    assert.equal(wasm.terrain_body(t, 0, 0, 0, 1, 1, 1, 3, 1, 0, 0), 0);
    assert.equal(wasm.terrain_create(0, 1), 0);
    assert.equal(wasm.terrain_create(40, NaN), 0);
    assert.equal(wasm.terrain_step(t, 1 / 60), 0);
    wasm.terrain_destroy(t);
});

// the browser starts when the tests above are done: a page that waits draws all the time
describe('in a browser', () => {
    let room;
    before(async () => {
        room = await openRoom('terrain', { width: 360, height: 330 });
        await room.command('terrain.clear');
        await room.frames(12);
    });
    after(async () => { await room?.close(); });
    const at = async (fx, fy) => {
        const b = await room.page.locator('#host canvas').first().boundingBox();
        return [b.x + b.width * fx, b.y + b.height * fy];
    };

    test('two fingers tap: a body rises; one drags it', async () => {
        const [x, y] = await at(0.5, 0.6);
        const now = Date.now() / 1000;
        await room.touch('touchStart', [[x - 20, y], [x + 20, y]], now);
        await room.touch('touchEnd', [], now + 0.12);
        await room.frames(10);
        const raised = await room.state();
        assert.equal(raised.bodies.length, 1);
        assert.equal(raised.selected, raised.bodies[0].id);
        const b = raised.bodies[0];
        await room.drag([[x, y]], [[x - 60, y]], 6);
        const dragged = (await room.state()).bodies[0];
        assert.ok(Math.hypot(dragged.x - b.x, dragged.y - b.y) > 0.8, JSON.stringify([b, dragged]));
        assert.deepEqual([dragged.width, dragged.height, dragged.e1], [b.width, b.height, b.e1]);
    });

    test('handles change height and width, a hold that slides the exponents, keys too', async () => {
        const body = (await room.state()).bodies[0];
        const places = await room.page.evaluate(() => window.studio.state().handles);
        assert.ok(places, 'a selected body has handles');
        await room.drag([places.height], [[places.height[0], places.height[1] - 40]]);
        const higher = (await room.state()).bodies[0];
        assert.ok(higher.height > body.height + 0.2, `${higher.height}`);
        const again = await room.page.evaluate(() => window.studio.state().handles);
        await room.drag([again.width], [[again.width[0] + 30, again.width[1]]]);
        const wider = (await room.state()).bodies[0];
        assert.ok(wider.width > higher.width + 0.1 && wider.height === higher.height);
        // held, and slid without being lifted
        const middle = await room.page.evaluate(() => { const { height, width } = window.studio.state().handles; return [height[0], (height[1] + width[1]) / 2]; });
        await room.touch('touchStart', [middle]);
        await room.page.waitForFunction(() => window.studio.state().action === 'shape', null, { timeout: 20000 });
        await room.touch('touchMove', [[middle[0] - 70, middle[1] + 70]]);
        await room.frames(2);
        await room.shot('terrain-shape');
        await room.touch('touchEnd', []);
        await room.page.waitForFunction(() => window.studio.state().action === null);
        const squarer = (await room.state()).bodies[0];
        assert.ok(squarer.e1 < 0.7 && squarer.e2 < 0.7 && squarer.x === wider.x, JSON.stringify(squarer));
        await room.command('terrain.exponents');
        await room.page.keyboard.press('ArrowRight');
        await room.page.keyboard.press('Escape');
        assert.ok((await room.state()).bodies[0].e1 > squarer.e1 + 0.05);
    });

    /** A finger on the cloth for so long, by the events' own times. */
    async function hold(point, seconds, dx = 0) {
        const start = Date.now() / 1000;
        await room.touch('touchStart', [point], start);
        // until the page has seen what is under the finger, however busy the machine is
        await room.page.waitForFunction(() => ['cloth', 'pin'].includes(window.studio.state().action), null, { timeout: 20000 });
        if (dx) {
            // a pin follows the finger from the frame on that shows it lifted
            await room.page.waitForFunction(() => window.studio.state().lifted, null, { timeout: 20000 });
            for (let i = 1; i <= 4; i++) await room.touch('touchMove', [[point[0] + (dx * i) / 4, point[1]]], start + seconds + 0.05 * i);
            await room.frames(2);
        }
        await room.touch('touchEnd', [], start + seconds + (dx ? 0.3 : 0));
        await room.page.waitForFunction(() => window.studio.state().action === null, null, { timeout: 20000 });
        // the next finger comes after this one, by the events' times too
        await room.sleep(Math.max(0, 1000 * (start + seconds + 0.35) - Date.now()));
        await room.frames(4);
    }

    /** The pins, once there are so many of them, on other vertices than those told: the worker answers when it can. */
    async function pinsOnce(count, not = []) {
        await room.page.waitForFunction(([n, old]) => {
            const { pins } = window.studio.state();
            return pins.length === n && !pins.some((p) => old.includes(p.vertex));
        }, [count, not.map((p) => p.vertex)], { timeout: 20000 });
        return (await room.state()).pins;
    }

    test('a clothespin after 0.6 s, none after 0.4 s; held, it is moved and removed', async () => {
        await room.command('terrain.clear'); // nothing but cloth to touch
        await room.frames(6);
        const point = await at(0.5, 0.55);
        await hold(point, 0.4);
        assert.equal((await room.state()).pins.length, 0);
        await hold(point, 0.6);
        const first = await pinsOnce(1);
        await room.frames(10);
        // moved to another place of the cloth
        const seen = await room.page.evaluate(() => window.studio.state().pinPlaces[0]);
        await hold(seen, 0.7, -50);
        const second = await pinsOnce(1, first);
        // a touch that is too short does nothing
        const there = await room.page.evaluate(() => window.studio.state().pinPlaces[0]);
        await hold(there, 0.3);
        assert.deepEqual((await room.state()).pins, second);
        // held without moving: removed
        await hold(there, 0.7);
        await pinsOnce(0);
    });

    test('two fingers swipe and pinch: the camera, and no body', async () => {
        const before = await room.state(), [x, y] = await at(0.5, 0.5);
        await room.drag([[x - 30, y], [x + 30, y]], [[x + 30, y + 20], [x + 90, y + 20]]);
        const swiped = await room.state();
        assert.ok(Math.abs(swiped.camera.yaw - before.camera.yaw) > 0.2);
        await room.drag([[x - 30, y], [x + 30, y]], [[x - 60, y], [x + 60, y]]);
        const pinched = await room.state();
        assert.ok(pinched.camera.distance < 0.7 * swiped.camera.distance);
        assert.deepEqual(pinched.bodies, before.bodies);
        await room.command('terrain.zoomOut');
        await room.command('terrain.zoomOut');
        await room.command('terrain.zoomOut');
    });

    test('every gesture has a command; 20 edits undone and redone give equal JSON', async () => {
        const states = [];
        const keep = async () => states.push(JSON.stringify(await room.page.evaluate(() => { const { bodies, pins } = window.studio.state(); return { bodies, pins }; })));
        await keep();
        const edits = ['add', 'higher', 'wider', 'left', 'away', 'turn', 'squarer1', 'rounder2', 'add', 'lower', 'narrower', 'right', 'near',
            'rounder1', 'squarer2', 'next', 'remove', 'add', 'higher', 'wider', 'turn'];
        for (const edit of edits) {
            await room.command(`terrain.${edit}`);
            if (edit !== 'next') await keep();
        }
        assert.equal(states.length, 21);
        assert.equal(new Set(states).size, 21, 'every edit changes the terrain');
        await room.frames(3);
        const now = async () => JSON.stringify(await room.page.evaluate(() => { const { bodies, pins } = window.studio.state(); return { bodies, pins }; }));
        for (let i = 19; i >= 0; i--) {
            await room.undo();
            assert.equal(await now(), states[i], `undo to ${i}`);
        }
        for (let i = 1; i <= 20; i++) {
            await room.redo();
            assert.equal(await now(), states[i], `redo to ${i}`);
        }
    });

    test('what is saved, the native command reads; glTF and OBJ are the same triangles', async () => {
        // during a walk the cloth is rigid: both files are of the same moment
        await room.command('terrain.game');
        await room.page.waitForFunction(() => window.studio.state().game !== null);
        const obj = await room.file('terrain.obj'), gltf = JSON.parse(await room.file('terrain.gltf'));
        const vertices = obj.split('\n').filter((l) => l.startsWith('v ')).map((l) => l.slice(2).split(' ').map(Number));
        const faces = obj.split('\n').filter((l) => l.startsWith('f ')).map((l) => l.slice(2).split(' ').map((c) => parseInt(c, 10) - 1));
        assert.equal(vertices.length, 1681);
        assert.equal(faces.length, 3200);
        const bytes = Buffer.from(gltf.buffers[0].uri.split(',')[1], 'base64');
        assert.equal(bytes.length, gltf.buffers[0].byteLength);
        const points = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 12 * 1681));
        const view = gltf.bufferViews[gltf.accessors[2].bufferView];
        const index = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + view.byteOffset, bytes.byteOffset + view.byteOffset + view.byteLength));
        assert.deepEqual([...index], faces.flat());
        let moved = 0;
        vertices.forEach(([x, y, z], i) => (moved = Math.max(moved, Math.abs(points[3 * i] - x), Math.abs(points[3 * i + 1] - z), Math.abs(points[3 * i + 2] + y))));
        assert.ok(moved < 1e-6, `${moved} m apart`);
        const folder = mkdtempSync(join(tmpdir(), 'terrain-'));
        const file = join(folder, 'terrain.obj');
        writeFileSync(file, obj);
        readNatively(file, vertices, faces);
    });

    /** Distance of a point to a triangle, by the projections on its plane, sides and corners. */
    function distance(p, a, b, c) {
        const sub = (u, v) => u.map((x, k) => x - v[k]), dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const side = (u, v) => {
            const d = sub(v, u), t = Math.min(1, Math.max(0, dot(sub(p, u), d) / dot(d, d)));
            return Math.hypot(...sub(p, u.map((x, k) => x + t * d[k])));
        };
        const n = cross(sub(b, a), sub(c, a)), corners = [[a, b], [b, c], [c, a]];
        const over = corners.every(([u, v]) => dot(cross(sub(v, u), sub(p, u)), n) >= 0);
        return over ? Math.abs(dot(sub(p, a), n)) / Math.hypot(...n) : Math.min(...corners.map(([u, v]) => side(u, v)));
    }

    /** A ball above the saved terrain: its gap by the native command and by all triangles. */
    function readNatively(file, vertices, faces) {
        const scene = join(file, '..', 'scene.json'), at = [0.3, 0.4, 6];
        writeFileSync(scene, JSON.stringify({ bodies: [
            { name: 'terrain', kind: 'mesh', file: 'terrain.obj' }, { name: 'ball', kind: 'sphere', radius: 0.5, position: at }] }));
        const answer = JSON.parse(native(['contact', scene, '--json']));
        const gap = (answer.contacts ?? answer)[0].gap;
        const expected = Math.min(...faces.map((f) => distance(at, ...f.map((i) => vertices[i])))) - 0.5;
        assert.ok(Math.abs(gap - expected) < 1e-9, `${gap} natively, ${expected} by hand`);
    }

    test('game: the walker stands, walks by the left half and looks by the right one', async () => {
        await room.page.waitForFunction(() => window.studio.state().game?.walker[6] === 1, null, { timeout: 60000 });
        const start = (await room.state()).game.walker;
        assert.equal((await room.state()).silhouettes, false);
        const [x, y] = await at(0.25, 0.6);
        await room.touch('touchStart', [[x, y]]);
        await room.touch('touchMove', [[x, y - 60]]);
        // how far a frame goes depends on how many there are
        await room.page.waitForFunction((y0) => window.studio.state().game.walker[1] > y0 + 0.3, start[1], { timeout: 60000 });
        const walked = (await room.state()).game;
        assert.ok(walked.gap > 0);
        await room.shot('terrain-game');
        await room.touch('touchEnd', []);
        const yaw = walked.yaw;
        const [rx, ry] = await at(0.75, 0.5);
        await room.drag([[rx, ry]], [[rx + 60, ry]], 3);
        assert.ok(Math.abs((await room.state()).game.yaw - yaw) > 0.2);
        await room.page.keyboard.press('Escape');
        await room.frames(3);
        const ended = await room.state();
        assert.ok(ended.game === null && ended.silhouettes);
    });

    test('a saved terrain is opened again; other files get a message, and nothing is lost', async () => {
        const now = async () => JSON.stringify(await room.page.evaluate(() => { const { bodies, pins } = window.studio.state(); return { bodies, pins }; }));
        const drop = (name, content) => room.page.evaluate(async ([n, c]) => { await window.studio.drop(new File([c], n)); return document.querySelector('.toast').textContent; }, [name, content]);
        await room.command('terrain.pin');
        await room.page.waitForFunction(() => window.studio.state().pins.length > 0);
        const before = await now(), saved = await room.file('terrain.json');
        await room.command('terrain.clear');
        assert.notEqual(await now(), before);
        await drop('terrain.json', saved);
        assert.equal(await now(), before);
        const body = JSON.parse(saved).bodies[0], evil = '<img src=x onerror="window.pwned=1">';
        const terrain = (bodies, pins = []) => JSON.stringify({ format: 'ovoid-terrain', version: 1, bodies, pins });
        for (const [name, content] of [['cut.json', saved.slice(0, -9)], ['many.json', terrain(Array(1e5).fill(body))], ['twice.json', terrain([body, body])],
            ['text.json', terrain([{ ...body, x: evil }])], ['pin.json', terrain([], [{ vertex: 1e9, x: 0, y: 0, z: 0 }])], [`${evil}.glb`, 'glTF'], ['empty.json', '']]) {
            const said = await drop(name, content);
            assert.ok(said.startsWith(`${name}: the file`), said);
            assert.equal(await now(), before, name);
        }
        assert.equal(await room.page.evaluate(() => window.pwned), undefined);
    });

    test('rock and cloth, dark and light', async () => {
        await room.command('terrain.example');
        await room.frames(30);
        await room.shot('terrain-cloth-dark');
        await room.command('terrain.rock');
        await room.theme('light');
        await room.frames(3);
        await room.shot('terrain-rock-light');
        assert.equal((await room.state()).rock, true);
        assert.deepEqual(await room.poorTargets(), []);
        assert.deepEqual(room.faults, []);
        assert.deepEqual(room.foreign, []);
    });
});
