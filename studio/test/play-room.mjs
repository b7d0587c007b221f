// A play room in a browser: the harness's page, with touches that say when they happened.
import { enter, frames, native, open, poorTargets, run, shoot, state } from './harness.mjs';

export { native };

export async function openRoom(name, { width = 640, height = 480, dark = true } = {}) {
    const s = await open({ width, height, touch: true, dark });
    await enter(s, name);
    /** `timestamp` in seconds: when the event happened, however late the page looks at it. */
    const touch = (type, points, timestamp) => s.cdp.send('Input.dispatchTouchEvent', {
        type, touchPoints: points.map(([x, y], id) => ({ x, y, id })), ...(timestamp ? { timestamp } : {}),
    });
    return {
        page: s.page, touch, faults: s.faults, foreign: s.foreign, close: s.close,
        frames: (n = 2) => frames(s.page, n),
        sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
        state: () => state(s.page),
        command: (id) => run(s.page, id),
        undo: () => s.page.evaluate(() => window.studio.undo()),
        redo: () => s.page.evaluate(() => window.studio.redo()),
        theme: (t) => s.page.evaluate((x) => { document.documentElement.dataset.theme = x; }, t),
        shot: (file) => shoot(s.page, file),
        poorTargets: () => poorTargets(s.page),
        /** The file that a command saves. */
        async file(id) {
            const [download] = await Promise.all([s.page.waitForEvent('download'), run(s.page, id)]);
            const chunks = [];
            for await (const chunk of await download.createReadStream()) chunks.push(chunk);
            return Buffer.concat(chunks).toString('utf8');
        },
        /** Fingers go down together, move in steps, and up. */
        async drag(from, to, steps = 6) {
            await touch('touchStart', from);
            await frames(s.page, 2);
            for (let i = 1; i <= steps; i++) {
                await touch('touchMove', from.map((p, k) => [p[0] + ((to[k][0] - p[0]) * i) / steps, p[1] + ((to[k][1] - p[1]) * i) / steps]));
                await frames(s.page, 1);
            }
            await touch('touchEnd', []);
            await frames(s.page, 2);
        },
    };
}
