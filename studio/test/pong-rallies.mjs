// Rallies of Duper Bowl Pong without a browser, and a check of them that shares nothing with the
// game: superellipses by their implicit function, sampled finely along the way that the game says it
// took.
//
//   node studio/test/pong-rallies.mjs MODULE.wasm [RALLIES] [SEED]
//
// Checked in every piece of every step:
//  - pieces follow one another without a jump, and their times are the step's;
//  - at samples so close that nothing moves by more than a quarter of the paddle's thickness in
//    between: no point of the ball's outline is in a paddle, none of a paddle's is in the ball;
//  - the centre of the ball, seen from a paddle, does not cross the paddle's middle line;
//  - no point of the ball is beyond a wall or a goal line.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { source } from './source.mjs';

const FIELD = { x: 16, y: 9 };
const PADDLE = { x: 13.6, a: 0.34, b: 1.9, e: 0.35 };
const ROW = 15;
export const OUT = {
    ball: 0, velocity: 3, a1: 6, a2: 7, e1: 9, paddles: 11, score: 19, hits: 21, pause: 22, events: 23,
    rallies: 25, rests: 26,
};

export async function loadModule(path) {
    const { instantiate } = await source('core/parts.ts');
    // the games use no files: every call to the system says that there is none (EBADF)
    const wasi_snapshot_preview1 = new Proxy({}, { get: () => () => 8 });
    const { exports } = await instantiate(readFileSync(path), { wasi_snapshot_preview1 }, (part) => readFileSync(join(dirname(path), part)));
    exports._initialize?.();
    return exports;
}

const doubles = (wasm, pointer, count) => new Float64Array(wasm.memory.buffer, pointer, count);

/** A seeded generator of its own (mulberry32). */
export function chances(seed) {
    let a = seed >>> 0;
    return () => {
        a = (a + 0x6d2b79f5) >>> 0;
        let t = Math.imul(a ^ (a >>> 15), 1 | a);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

/** Points of a superellipse's outline. */
function outline(a, b, e, count) {
    const points = [];
    for (let i = 0; i < count; i++) {
        const t = (2 * Math.PI * i) / count;
        const power = (x) => Math.sign(x) * Math.abs(x) ** e;
        points.push([a * power(Math.cos(t)), b * power(Math.sin(t))]);
    }
    return points;
}

const inside = (x, y, a, b, e) => Math.abs(x / a) ** (2 / e) + Math.abs(y / b) ** (2 / e);

/** A height after reflections at the walls. */
function fold(y) {
    const span = 2 * (FIELD.y - 0.7);
    const t = (((y + span / 2) % (2 * span)) + 2 * span) % (2 * span);
    return Math.min(t, 2 * span - t) - span / 2;
}

function fail(what, data) {
    throw new Error(`${what}: ${JSON.stringify(data)}`);
}

/** Checks the pieces of one step; `last` is where the step before ended (null after a serve). */
export class Checker {
    constructor() {
        this.samples = 0;
        this.least = Infinity;
        this.paddleOutline = outline(PADDLE.a, PADDLE.b, PADDLE.e, 96);
        this.key = '';
    }
    step(rows, count, shape, last, seed) {
        let before = last;
        const key = shape.join();
        if (key !== this.key) {
            this.key = key;
            this.ballOutline = outline(...shape, 64);
            this.radius = Math.hypot(shape[0], shape[1]);
        }
        for (let i = 0; i < count; i++) {
            const row = rows.subarray(ROW * i, ROW * (i + 1));
            const start = row.subarray(1, 8), end = row.subarray(8, 15);
            if (before && start.some((x, j) => x !== before[j])) fail('a jump', { seed, before, start });
            this.piece(start, end, shape, seed);
            before = [...end];
        }
        return before;
    }
    piece(start, end, shape, seed) {
        this.field(start, seed);
        this.field(end, seed);
        for (let k = 0; k < 2; k++) {
            const side = k === 0 ? -PADDLE.x : PADDLE.x;
            const near = Math.min(Math.abs(start[0] - side), Math.abs(end[0] - side));
            const crosses = (start[0] - side) * (end[0] - side) <= 0;
            if (!crosses && near > this.radius + PADDLE.a + PADDLE.b) continue;
            const way = Math.hypot(end[0] - start[0], end[1] - start[1]) + Math.abs(end[3 + 2 * k] - start[3 + 2 * k]) +
                Math.abs(end[2] - start[2]) * this.radius + Math.abs(end[4 + 2 * k] - start[4 + 2 * k]) * PADDLE.b * 2;
            const n = Math.max(1, Math.ceil(way / (0.25 * PADDLE.a)));
            let previous = null;
            for (let i = 0; i <= n; i++) {
                const at = start.map((x, j) => x + ((end[j] - x) * i) / n);
                previous = this.sample(at, k, side, shape, previous, seed);
            }
        }
    }
    field(at, seed) {
        const c = Math.cos(at[2]), s = Math.sin(at[2]);
        for (const [x, y] of this.ballOutline) {
            const wx = at[0] + c * x - s * y, wy = at[1] + s * x + c * y;
            if (!(Math.abs(wx) < FIELD.x && Math.abs(wy) < FIELD.y)) fail('outside the field', { seed, wx, wy, at: [...at], shape: this.key });
        }
    }
    sample(at, k, side, shape, previous, seed) {
        this.samples++;
        const turn = at[4 + 2 * k], c = Math.cos(turn), s = Math.sin(turn);
        const dx = at[0] - side, dy = at[1] - at[3 + 2 * k];
        const centre = [c * dx + s * dy, -s * dx + c * dy]; // in the paddle's frame
        if (previous && previous[0] * centre[0] < 0) {
            const y = previous[1] + ((centre[1] - previous[1]) * previous[0]) / (previous[0] - centre[0]);
            if (Math.abs(y) < PADDLE.b) fail('the centre crosses a paddle', { seed, at: [...at], k });
        }
        if (Math.hypot(...centre) > this.radius + PADDLE.b + PADDLE.a) return centre;
        const [a, b, e] = shape, turned = at[2] - turn, tc = Math.cos(turned), ts = Math.sin(turned);
        for (const [x, y] of this.ballOutline) {
            const f = inside(centre[0] + tc * x - ts * y, centre[1] + ts * x + tc * y, PADDLE.a, PADDLE.b, PADDLE.e);
            this.least = Math.min(this.least, f);
            if (!(f > 1)) fail('the ball is in a paddle', { seed, at: [...at], k, shape, f });
        }
        for (const [x, y] of this.paddleOutline) {
            const px = x - centre[0], py = y - centre[1];
            const f = inside(tc * px + ts * py, -ts * px + tc * py, a, b, e);
            if (!(f > 1)) fail('a paddle is in the ball', { seed, at: [...at], k, shape, f });
        }
        return centre;
    }
}

/**
 * Plays rallies at speeds from 20 to 1,500 units a second, that is up to 25 times the paddle's width in
 * a step of 1/60 s, with paddles that follow the ball at up to 400 and turn at up to 30 rad/s, right
 * round, always aiming to hit with another part of themselves, or just to miss.
 */
export function playRallies(wasm, rallies, seed) {
    const random = chances(seed);
    const game = wasm.pong_create(seed);
    const checker = new Checker();
    const totals = { rallies: 0, hits: 0, steps: 0, walls: 0, longest: 0, lets: 0, fastest: 0 };
    wasm.pong_player(game, 0, 0, 0);
    wasm.pong_player(game, 1, 0, 0);
    const plan = [0, 1].map(() => ({ offset: 0, turn: 0, angle: 0 }));
    let last = null, done = 0, age = 0, hits = 0;
    const draw = () => {
        const speed = 20 * 75 ** random();
        wasm.pong_set(game, speed, 1500, 1.05, 400, 30, 1e-9, 4);
        for (const p of plan) {
            p.offset = (2 * random() - 1) * (PADDLE.b + 0.6);
            p.turn = random() < 0.3 ? 0 : (2 * random() - 1) * 30;
        }
    };
    draw();
    while (done < rallies) {
        const before = doubles(wasm, wasm.pong_state(game), 28);
        const ball = [before[0], before[1], before[3], before[4]];
        for (let k = 0; k < 2; k++) {
            const side = k === 0 ? -PADDLE.x : PADDLE.x, p = plan[k];
            const time = ball[2] * side > 0 ? (side - ball[0]) / ball[2] : 0;
            p.angle += p.turn / 60;
            wasm.pong_lead(game, k, fold(ball[1] + ball[3] * time) + p.offset, p.angle);
        }
        wasm.pong_step(game, 1 / 60);
        const state = doubles(wasm, wasm.pong_state(game), 28);
        const rows = doubles(wasm, wasm.pong_trace(game), ROW * wasm.pong_trace_count(game));
        last = checker.step(rows, wasm.pong_trace_count(game), [state[6], state[7], state[9]], last, seed);
        totals.steps++;
        age++;
        const events = state[OUT.events];
        if (events & 12) totals.walls++;
        if (events & 3) {
            hits++;
            for (const p of plan) p.offset = (2 * random() - 1) * (PADDLE.b + 0.6);
        }
        totals.fastest = Math.max(totals.fastest, Math.hypot(state[3], state[4]));
        if (state[OUT.rallies] > done || age > 400) {
            if (!(state[OUT.rallies] > done)) {
                wasm.pong_let(game);
                totals.lets++;
            }
            done++;
            totals.hits += hits;
            totals.longest = Math.max(totals.longest, hits);
            age = hits = 0;
            last = null;
            draw();
        }
    }
    totals.rallies = done;
    totals.rests = doubles(wasm, wasm.pong_state(game), 28)[OUT.rests];
    totals.samples = checker.samples;
    totals.least = checker.least;
    wasm.pong_destroy(game);
    return totals;
}

/** Points of `count` rallies between two strengths of the computer, left and right. */
export function playMatch(wasm, left, right, count, seed) {
    const game = wasm.pong_create(seed);
    wasm.pong_set(game, 0, 0, 0, 0, 0, 1e-9, 0);
    wasm.pong_player(game, 0, left, 0);
    wasm.pong_player(game, 1, right, 0);
    let steps = 0;
    let state = doubles(wasm, wasm.pong_state(game), 28);
    while (state[OUT.rallies] < count && steps < count * 6000) {
        wasm.pong_step(game, 1 / 60);
        steps++;
        state = doubles(wasm, wasm.pong_state(game), 28);
    }
    const score = [state[OUT.score], state[OUT.score + 1]];
    wasm.pong_destroy(game);
    return { score, steps };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const [, , path, rallies = '10000', seed = '1'] = process.argv;
    const wasm = await loadModule(path);
    const start = process.cpuUsage();
    const totals = playRallies(wasm, Number(rallies), Number(seed));
    const cpu = process.cpuUsage(start);
    console.log(JSON.stringify({ ...totals, cpu_s: (cpu.user + cpu.system) / 1e6 }));
}
