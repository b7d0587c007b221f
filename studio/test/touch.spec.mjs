// The touch lab: forces against formulas in node, then the room in a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { enter, frames, open } from './harness.mjs';
import { chances, loadModule } from './pong-rallies.mjs';
import { openRoom } from './play-room.mjs';

const wasm = await loadModule(fileURLToPath(new URL('../public/ovoid.wasm', import.meta.url)));
const VERTICES = 8000, K = 500, RADIUS = 0.004;
const EGG = 0, DIE = 1, DUMBBELL = 2, RING = 3;
const numbers = (count) => new Float64Array(wasm.memory.buffer, wasm.studio_touch_numbers(), count);

let made = -1;
function make(object, friction = 0) {
    if (made !== object) assert.equal(wasm.studio_touch_make(object, VERTICES), 0);
    made = object;
    numbers(6).set([K, friction, 0.8 * friction, 0, 0, RADIUS]);
    assert.equal(wasm.studio_touch_feel(), 0);
}
function lead(to, steps) {
    numbers(4).set([...to, 1e-3]);
    assert.equal(wasm.studio_touch_lead(steps), 0);
    const n = numbers(18);
    return { force: [...n.slice(0, 3)], ball: [...n.slice(9, 12)], depth: n[15], contact: n[16] === 1 };
}
const size = (v) => Math.hypot(...v);
/** Puts the ball at one place and leads it to the other. */
function press(from, to) {
    wasm.studio_touch_lift();
    lead(from, 1);
    return lead(to, 100);
}

/** Leads the ball through and around the object, in contact for much of the time. */
function rate(object) {
    make(object, 0.4);
    let touched = 0;
    const start = process.cpuUsage();
    for (let i = 0; i < 60; i++) touched += lead([0.03 * Math.cos(i), 0.03 * Math.sin(i), 0.02 * Math.sin(3 * i)], 500).contact ? 1 : 0;
    const { user, system } = process.cpuUsage(start), perSecond = (60 * 500 * 1e6) / (user + system);
    console.log(`object ${object}: ${perSecond.toFixed(0)} samples per second of CPU, ${touched} of 60 ends in contact`);
    assert.ok(perSecond >= 5000 && touched >= 10);
}

test('off the surface there is no force; 1 mm into it there is k times 1 mm; 5,000 of them a second', () => {
    const out = (p, by) => p.map((x) => x * (1 + by / size(p)));
    // where the surfaces of the bodies are, by their formulas
    const places = {
        [EGG]: [[0, 0, 0.038], [0, 0, -0.038]],
        [DIE]: [[0, 0, 0.028], [0.028, 0, 0], [0, -0.028, 0]],
        [DUMBBELL]: [[0.052, 0, 0], [-0.052, 0, 0]],
        [RING]: [[0.039, 0, 0], [-0.039, 0, 0]],
    };
    for (const [object, points] of Object.entries(places)) {
        make(Number(object));
        for (const p of points) {
            const free = press(out(p, 0.02), out(p, RADIUS + 1e-4));
            assert.ok(!free.contact && size(free.force) === 0, `force ${free.force} off the surface`);
            const pressed = press(out(p, 0.02), out(p, RADIUS - 1e-3));
            const along = pressed.force.reduce((sum, f, i) => sum + (f * p[i]) / size(p), 0);
            assert.ok(pressed.contact && Math.abs(along - K * 1e-3) <= 0.05 * K * 1e-3, `object ${object} at ${p}: ${along} N`);
        }
        rate(Number(object));
    }
});

test('all around the balls of the dumbbell: force, its direction, and twice the stiffness', () => {
    make(DUMBBELL);
    const random = chances(18);
    let worst = 0, count = 0;
    for (let i = 0; i < 400; i++) {
        const u = [random() - 0.5, random() - 0.5, random() - 0.5], n = u.map((x) => x / size(u));
        if (size(u) > 0.5 || n[0] < -0.4) continue; // the handle is there
        const at = (r) => n.map((x, k) => x * r + (k === 0 ? 0.032 : 0));
        const felt = press(at(0.04), at(0.024 - 0.001));
        const wanted = n.map((x) => x * K * 1e-3);
        worst = Math.max(worst, size(felt.force.map((f, k) => f - wanted[k])) / (K * 1e-3));
        count++;
    }
    console.log(`${count} places, worst error of the force ${(100 * worst).toFixed(2)} %`);
    assert.ok(count > 100 && worst <= 0.05);
    const soft = size(press([0.08, 0, 0], [0.055, 0, 0]).force);
    numbers(6).set([2 * K, 0, 0, 0, 0, RADIUS]);
    assert.equal(wasm.studio_touch_feel(), 0);
    const hard = size(press([0.08, 0, 0], [0.055, 0, 0]).force);
    assert.ok(Math.abs(hard / soft - 2) < 1e-6, `${soft} N, ${hard} N`);
});

test('friction holds the ball up to its coefficient; without it the ball follows', () => {
    const side = (friction) => {
        make(DIE, friction);
        press([0, 0, 0.04], [0, 0, 0.030]);
        return lead([0.0004, 0, 0.030], 100); // 0.2 of the depth of 2 mm
    };
    assert.ok(Math.abs(side(0.5).ball[0]) < 1e-5, 'held');
    assert.ok(Math.abs(side(0).ball[0] - 0.0004) < 2e-5, 'free');
    assert.ok(Math.abs(side(0.1).ball[0]) > 1e-4, 'pulled off');
});

test('bad input has a status, and nothing changes', () => {
    assert.ok(wasm.studio_touch_make(7, VERTICES) < 0);
    assert.ok(wasm.studio_touch_make(-1, VERTICES) < 0);
    assert.ok(wasm.studio_touch_make(0, 1e9) < 0);
    assert.ok(wasm.studio_touch_lead(0) < 0);
    numbers(4).set([NaN, 0, 0, 1e-3]);
    assert.ok(wasm.studio_touch_lead(5) < 0);
    numbers(4).set([0, 0, 0, -1]);
    assert.ok(wasm.studio_touch_lead(5) < 0);
    numbers(6).set([-1, 0, 0, 0, 0, RADIUS]);
    assert.ok(wasm.studio_touch_feel() < 0);
    assert.ok(lead([0, 0, 0.1], 5).force.every((f) => f === 0));
});

let room;
before(async () => { room = await openRoom('touch', { width: 900, height: 560 }); });
after(async () => { await room?.close(); });
const box = () => room.page.locator('#host canvas').first().boundingBox();
const settled = async (until, what) => {
    for (let i = 0; i < 300; i++) {
        const s = await room.state();
        if (s.ready && s.felt && until(s)) return s;
        await room.sleep(100);
    }
    assert.fail(`${what}: ${JSON.stringify({ ...(await room.state()), plotted: 0 })}`);
};
const said = (words) => room.page.waitForFunction((r) => new RegExp(r).test(document.querySelector('.live').textContent), words.source, { timeout: 20000 });
const keys = async (key, times) => { for (let i = 0; i < times; i++) await room.page.keyboard.press(key); };

test('by keyboard alone: down onto the egg, a force of k times the depth, and off again', async () => {
    const free = await settled(() => true, 'first force');
    assert.equal(free.felt.newtons, 0);
    await keys('ArrowDown', 21); // from 60 to 39 mm; the egg ends at 38, and the ball has 4
    const near = (newtons, wanted) => Math.abs(newtons - wanted) <= 0.05 * wanted;
    await settled((x) => x.felt.contact && Math.abs(x.device[2] - 0.039) < 1e-9 && near(x.felt.newtons, x.options.stiffness * 0.003) && x.plotted.at(-1) > 1.4, 'contact');
    await said(/top.*newtons/);
    await room.shot('touch-keyboard');
    await keys('ArrowUp', 6);
    await settled((x) => !x.felt.contact && x.felt.newtons === 0, 'off');
    await said(/Nothing/);
});

test('a hand that pushes deep gives way, and the ball stays outside', async () => {
    await keys('ArrowDown', 40);
    // the last millimetre that was pressed gives way in some frames: then the ball lies on the egg, 12 mm above the hand
    await settled((x) => x.felt.contact && x.felt.ball[2] > 0.0415 && x.felt.newtons > 5 && x.felt.newtons <= 0.0121 * x.options.stiffness, 'deep');
    await room.page.keyboard.press('Home');
    await settled((x) => !x.felt.contact, 'lifted');
});

test('a finger presses the ball onto what is under it, as deep as the slider says', async () => {
    const b = await box(), x = b.x + b.width / 2, y = b.y + b.height / 2;
    await room.drag([[x - 20, y - 10]], [[x, y]]);
    const wanted = (o) => (o.press / 1000) * o.stiffness;
    await settled((v) => v.felt.contact && Math.abs(v.felt.newtons - wanted(v.options)) <= 0.15 * wanted(v.options), 'finger');
    await room.shot('touch-finger');
    await room.drag([[x, y]], [[x, b.y + 20]]);
    await settled((v) => !v.felt.contact, 'beside it');
});

test('what is chosen is undone and redone; targets are large enough; no fault', async () => {
    const before = (await room.state()).options;
    await room.page.keyboard.press('m');
    await room.page.keyboard.press('o');
    const now = (await settled((s) => s.options.object === 1, 'die')).options;
    assert.ok(now.sound);
    await room.undo();
    await room.undo();
    assert.deepEqual((await settled((s) => s.options.object === 0, 'egg')).options, before);
    await room.redo();
    await room.redo();
    assert.deepEqual((await settled((s) => s.options.object === 1, 'die again')).options, now);
    assert.deepEqual(await room.poorTargets(), []);
    // it takes no files, and says so; nothing in their names is run
    await room.page.evaluate(() => window.studio.drop(new File(['<script>window.pwned = 1</script>'], '<img src=x onerror="window.pwned=1">.html')));
    assert.match(await room.page.locator('.toast').textContent(), /takes no files/);
    assert.equal(await room.page.evaluate(() => window.pwned ?? document.images.length), 0);
    assert.deepEqual((await room.state()).options, now);
});

test('guess the object: hidden, felt and answered by keys alone', async () => {
    await room.page.keyboard.press('g');
    const asked = await settled((s) => s.guessing, 'asked');
    await said(/Which object/);
    await keys('ArrowDown', 58); // straight down, into the hole if there is one
    await settled((s) => s.felt.contact && s.felt.newtons > 0, 'felt');
    await room.page.keyboard.press('i');
    // what is spoken may be followed at once by the force of the last key; the bubble stays
    await room.page.waitForFunction(() => /millimetres/.test(document.querySelector('.toast:not([hidden])')?.textContent));
    await room.shot('touch-guess');
    await room.page.keyboard.press(String(asked.secret + 1));
    const won = await settled((s) => !s.guessing, 'answered');
    assert.deepEqual(won.game, { won: 1, of: 1 });
    await said(/Right/);
    await room.page.keyboard.press('g');
    const again = await settled((s) => s.guessing, 'asked again');
    await room.page.keyboard.press(String(((again.secret + 1) % 4) + 1));
    assert.deepEqual((await settled((s) => !s.guessing, 'answered again')).game, { won: 1, of: 2 });
    await said(/^Not/);
    assert.deepEqual(room.faults, []);
    assert.deepEqual(room.foreign, []);
});

test('a part of the module that is not there: a line says so, and the page goes on', async () => {
    const without = await open({ without: 'touch.wasm' });
    try {
        await enter(without, 'touch');
        const told = await without.page.waitForFunction(() => document.querySelector('.toast:not([hidden])')?.textContent || undefined);
        assert.equal(await told.jsonValue(), 'touch.wasm could not be loaded: 404');
        await enter(without, 'query');
        await without.page.waitForFunction(() => window.studio.state().contacts?.length > 0);
    } finally {
        await without.close();
    }
});

test('what is drawn has the colour that its light makes', async () => {
    const near = await open({ width: 900, height: 560, scale: 4 });
    try {
        await enter(near, 'touch');
        await near.page.waitForFunction(() => window.studio.state().felt);
        await frames(near.page, 4);
        const { on, eye, device } = await near.page.evaluate(() => window.studio.state());
        const b = await near.page.locator('#host canvas').first().boundingBox();
        const drawn = await near.page.evaluate(async ([data, x, y]) => {
            const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
            const c = new OffscreenCanvas(image.width, image.height).getContext('2d');
            c.drawImage(image, 0, 0);
            return [...c.getImageData(x, y, 1, 1).data.slice(0, 3)];
        }, [(await near.page.screenshot()).toString('base64'), Math.floor((b.x + on.x) * 4), Math.floor((b.y + on.y) * 4)]);
        // the mark of the hand is a ball: in its middle the normal is towards the eye
        const way = eye.map((v, i) => v - 40 * device[i]);
        const from = (p) => Math.max(0, p.reduce((sum, v, i) => sum + (v * way[i]) / (size(p) * size(way)), 0));
        const linear = (byte) => ((byte / 255 + 0.055) / 1.055) ** 2.4, encoded = (v) => 255 * (1.055 * v ** (1 / 2.4) - 0.055);
        const white = 0.9 + 2.2 * from([4, -6, 9]), blue = 0.7 * from([-6, 4, 2]);
        const wanted = [[0xd8, 0xaa], [0x43, 0xcc], [0x3b, 0xff]].map(([own, light]) => encoded((linear(own) / Math.PI) * (white + blue * linear(light))));
        // the pixel is up to half a pixel off the middle of a ball with a radius of some twenty
        drawn.forEach((v, i) => assert.ok(Math.abs(v - wanted[i]) <= 4, `${drawn} drawn, ${wanted.map(Math.round)} computed`));
    } finally {
        await near.close();
    }
});
