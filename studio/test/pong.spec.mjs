// Duper Bowl Pong: the game in node, then the room in a browser.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModule, OUT, playMatch, playRallies } from './pong-rallies.mjs';
import { openRoom } from './play-room.mjs';

const wasm = await loadModule(fileURLToPath(new URL('../public/ovoid.wasm', import.meta.url)));

test('1,000 fast rallies: nothing passes a paddle, nothing leaves the field', () => {
    const totals = playRallies(wasm, 1000, 20261118);
    assert.equal(totals.rallies, 1000);
    assert.ok(totals.hits > 2000, `only ${totals.hits} hits: the drill is too easy`);
    assert.ok(totals.fastest > 1000, `only ${totals.fastest} units a second`);
    console.log(JSON.stringify(totals));
});

test('the check can fail: a ball that is led through a paddle is seen', async () => {
    const { Checker } = await import('./pong-rallies.mjs');
    const row = (x0, x1) => Float64Array.from([1 / 60, x0, 0, 0, 0, 0, 0, 0, x1, 0, 0, 0, 0, 0, 0]);
    assert.throws(() => new Checker().step(row(-10, -15.2), 1, [0.7, 0.7, 1], null, 0), /paddle/);
    assert.throws(() => new Checker().step(row(0, 15.9), 1, [0.7, 0.7, 1], null, 0), /field|paddle/);
    assert.doesNotThrow(() => new Checker().step(row(-10, 10), 1, [0.7, 0.7, 1], null, 0));
});

test('the same seed is the same game, bit by bit; another one is not', () => {
    const run = (seed) => {
        const game = wasm.pong_create(seed);
        wasm.pong_player(game, 0, 3, 0);
        wasm.pong_player(game, 1, 2, 0);
        for (let i = 0; i < 1500; i++) wasm.pong_step(game, 1 / 60);
        const state = [...new Float64Array(wasm.memory.buffer, wasm.pong_state(game), 28)];
        wasm.pong_destroy(game);
        return state;
    };
    assert.deepEqual(run(5), run(5));
    assert.notDeepEqual(run(5), run(6));
});

test('three strengths: each beats the one below, on either side', () => {
    const share = (a, b) => {
        const one = playMatch(wasm, a, b, 30, 11).score, other = playMatch(wasm, b, a, 30, 12).score;
        const won = one[0] + other[1], all = one[0] + one[1] + other[0] + other[1];
        return { won, all };
    };
    for (const [strong, weak] of [[2, 1], [3, 2]]) {
        const { won, all } = share(strong, weak);
        console.log(`strength ${strong} against ${weak}: ${won} of ${all} points`);
        // 60 fair points give 39 or more in 1.4 % of all cases
        assert.ok(all >= 55 && won / all >= 0.65, `${won} of ${all}`);
    }
});

// the browser starts when the tests above are done: a page that waits draws all the time
describe('in a browser', () => {
    let room;
    before(async () => { room = await openRoom('pong', { width: 400, height: 340 }); });
    after(async () => { await room?.close(); });
    const box = () => room.page.locator('#host canvas').boundingBox();

    test('one finger moves the paddle, two turn it', async () => {
        const b = await box(), y = b.y + b.height / 2, x = b.x + 40;
        await room.drag([[x, y]], [[x, y - 60]]);
        const moved = await room.state();
        assert.ok(moved.running, 'a touch starts the game');
        assert.ok(moved.hands[0].y > 2, `paddle at ${moved.hands[0].y}`);
        await room.drag([[x - 30, y], [x + 30, y]], [[x - 30, y + 30], [x + 30, y - 30]]);
        const turned = await room.state();
        assert.ok(Math.abs(turned.hands[0].angle - Math.PI / 4) < 0.05, `turned by ${turned.hands[0].angle}`);
        assert.equal(turned.hands[1].angle, 0);
    });

    test('keys and buttons do what fingers do', async () => {
        const before = await room.state();
        await room.command('pong.up');
        await room.command('pong.turnRight');
        const now = await room.state();
        assert.ok(now.hands[0].y > before.hands[0].y || before.hands[0].y >= 7.6);
        assert.ok(now.hands[0].angle < before.hands[0].angle);
        await room.page.keyboard.down('s');
        await room.frames(6);
        await room.page.keyboard.up('s');
        assert.ok((await room.state()).hands[0].y < now.hands[0].y);
    });

    test('easier ways to turn: by itself, and by a slider at the edge', async () => {
        await room.command('pong.turning');
        assert.equal((await room.state()).options.turning, 1);
        await room.command('pong.turning');
        const slider = room.page.locator('.pong-slider-left');
        assert.ok(await slider.isVisible());
        const size = await slider.boundingBox();
        assert.ok(size.width >= 24 && size.height >= 24);
        await slider.fill('0.5');
        assert.ok(Math.abs((await room.state()).hands[0].angle - 0.6) < 1e-9);
    });

    test('two players: the right half moves the right paddle; strengths go round', async () => {
        await room.command('pong.players');
        assert.equal((await room.state()).options.level, 0);
        const b = await box();
        await room.drag([[b.x + b.width - 80, b.y + b.height / 2]], [[b.x + b.width - 80, b.y + 30]]);
        assert.ok((await room.state()).hands[1].y > 2);
        await room.shot('pong-dark');
        await room.command('pong.players');
        const seen = [];
        for (let i = 0; i < 3; i++) {
            await room.command('pong.opponent');
            seen.push((await room.state()).options.level);
        }
        assert.deepEqual(seen.sort(), [1, 2, 3]);
        const now = (await room.state()).options;
        for (let i = 0; i < 2; i++) await room.undo();
        assert.notDeepEqual((await room.state()).options, now);
        for (let i = 0; i < 2; i++) await room.redo();
        assert.deepEqual((await room.state()).options, now);
    });

    test('the game goes on by itself, and sound can be switched on', async () => {
        await room.command('pong.sound');
        const start = (await room.state()).game;
        await room.page.waitForFunction((r) => { const g = window.studio.state().game; return g[25] > r || g[21] > 0; }, start[OUT.rallies], { timeout: 60000 });
        await room.theme('light');
        await room.frames(3);
        await room.shot('pong-light');
        assert.deepEqual(await room.poorTargets(), []);
        assert.deepEqual(room.faults, []);
        assert.deepEqual(room.foreign, []);
    });
});
