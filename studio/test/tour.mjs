// Takes the pictures of docs/guide/studio.md: `node studio/test/tour.mjs [ROOM ...]`, after scripts/studio.
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { enter, frames, open, root, run, shoot } from './harness.mjs';

/** What is done in a room before its picture is taken. */
const scenes = {
  home: async () => {},
  query: async (s) => {
    // a drag along the egg: the plot has something to show, and the module is compiled by then
    const box = await s.page.locator('canvas').first().boundingBox();
    const { x, y } = await s.page.evaluate(() => window.studio.state().screen[1]);
    await s.page.mouse.move(box.x + x, box.y + y);
    await s.page.mouse.down();
    for (let i = 1; i <= 60; i++) {
      await s.page.mouse.move(box.x + x - 0.4 * i, box.y + y + 60 * Math.sin(i / 12));
      await frames(s.page, 1);
    }
    await s.page.mouse.up();
    await s.page.waitForFunction(() => window.studio.state().settled);
  },
  dent: async (s) => {
    const wedge = { name: 'wedge', kind: 'superovoid', semi_axes: [1, 1, 1], exponents: [1.2, 1.2], taper: [0.8, -0.6], dent_tolerance: 1 };
    const scene = JSON.stringify({ bodies: [wedge, { name: 'ball', kind: 'sphere', radius: 0.35, position: [1.2, 0.9, 0.9] }] });
    await s.page.evaluate(async (text) => window.studio.drop(new File([text], 'scene.json')), scene);
    await s.page.waitForFunction(() => window.studio.state().settled && document.querySelector('.depth button'));
    await s.page.click('.depth button');
    for (const id of ['orbitLeft', 'orbitLeft']) await run(s.page, `query.${id}`);
    await s.page.waitForSelector('.toast', { state: 'hidden' });
  },
  sketcher: async (s) => {
    const urdf = await readFile(path.join(root, 'data/arm.urdf'), 'utf8');
    await s.page.evaluate(async (text) => window.studio.drop(new File([text], 'arm.urdf')), urdf);
    for (const id of ['mode.hitbox', 'view.add', 'view.all', 'next.body', 'next.body', 'next.body']) await run(s.page, id);
    await s.page.click('.camera-corner:nth-of-type(2) [data-side=orbit]');
  },
  terrain: async () => {},
  pong: async () => {},
  touch: async () => {},
  dress: async (s) => {
    await run(s.page, 'dress.pose');
    await run(s.page, 'dress.pose');
    await s.page.waitForFunction(() => window.studio.state().resting);
  },
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(scenes);
for (const room of wanted) {
  const s = await open({ width: 1040, height: 650, scale: 1 });
  await enter(s, { home: '', dent: 'query' }[room] ?? room);
  await scenes[room](s);
  await frames(s.page, 40);
  await s.page.screenshot({ path: path.join(root, `docs/images/studio-${room}.jpg`), type: 'jpeg', quality: 80 });
  await shoot(s.page, `tour-${room}`);
  await s.close();
}
