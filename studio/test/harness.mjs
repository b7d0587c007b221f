// What all specs share: a static server of the built pages, Chromium, and fingers.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const site = path.join(root, 'build/studio/site');
export const shots = path.join(root, 'build/studio/screenshots');
export const command = process.env.OVOID_COMMAND ?? path.join(root, 'build/release/bin/ovoid');
mkdirSync(shots, { recursive: true });

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', svg: 'image/svg+xml', webmanifest: 'application/manifest+json' };

/** Serves the site on a free port of the loopback, all but one file where that is to be missing. */
export async function serve(without) {
  if (!existsSync(path.join(site, 'index.html'))) throw new Error('the site is not built: scripts/studio');
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, 'http://localhost').pathname.replace(/\/$/, '/index.html');
    const file = path.normalize(path.join(site, name));
    try {
      if (!file.startsWith(site) || path.basename(file) === without) throw new Error('outside');
      const data = await readFile(file);
      response.writeHead(200, { 'content-type': types[file.split('.').pop()] ?? 'application/octet-stream' });
      response.end(data);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://localhost:${server.address().port}/`;
  const close = () => new Promise((done) => { server.closeAllConnections(); server.close(done); });
  return { address, close };
}

/** Seconds of CPU of this process and all below it, with those that have ended and were waited for:
 *  to be asked while the browser lives, for its processes are not all waited for. */
export function cpuSeconds() {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const f = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ').map(Number);
      return [{ pid: Number(name), parent: f[1], ticks: f[11] + f[12] + f[13] + f[14] }];
    } catch {
      return []; // has ended
    }
  });
  const below = new Set([process.pid]);
  for (let size = 0; size < below.size;) {
    size = below.size;
    for (const p of all) if (below.has(p.parent)) below.add(p.pid);
  }
  return all.filter((p) => below.has(p.pid)).reduce((sum, p) => sum + p.ticks / 100, 0);
}

/**
 * A browser, a page that is watched for errors and foreign requests, and its touch screen. Half as many pixels each
 * way as on a screen: they are drawn by the CPU, and most of its time goes there. Mesa (gl-egl) needs half the time of
 * Chromium's own SwiftShader; STUDIO_ANGLE=swiftshader is for machines without it.
 */
export async function open({ width = 640, height = 480, touch = false, dark = false, scale = 0.5, without } = {}) {
  const server = await serve(without);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, chromiumSandbox: false,
    args: [`--use-angle=${process.env.STUDIO_ANGLE ?? 'gl-egl'}`, '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-dev-shm-usage',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
  });
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, hasTouch: touch, colorScheme: dark ? 'dark' : 'light', acceptDownloads: true });
  const page = await context.newPage();
  const faults = [], foreign = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') faults.push(message.text()); });
  context.on('request', (request) => { if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(server.address)) foreign.push(request.url()); });
  const cdp = await context.newCDPSession(page);
  const close = async () => {
    console.log(`CPU so far: ${cpuSeconds().toFixed(1)} s`);
    await browser.close();
    await server.close();
  };
  return { server, browser, context, page, cdp, faults, foreign, close };
}

/** Two animation frames: what was dispatched has arrived then. */
export const frames = (page, count = 2) => page.evaluate((n) => new Promise((done) => {
  const next = (k) => (k === 0 ? done() : requestAnimationFrame(() => next(k - 1)));
  next(n);
}), count);

export async function enter(s, room) {
  await s.page.goto(`${s.server.address}#/${room}`);
  await s.page.waitForFunction(() => window.studio?.ready, undefined, { timeout: 60000 });
  await frames(s.page);
}

export const state = (page) => page.evaluate(() => window.studio.state());
export const run = (page, id) => page.evaluate((name) => window.studio.command(name), id);

const send = (cdp, type, points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });

/** Fingers: `from` and `to` are a point per finger; they go there in steps, after an optional hold. */
export async function fingers(s, from, to = from, { steps = 8, hold = 0 } = {}) {
  await send(s.cdp, 'touchStart', from);
  if (hold > 0) await s.page.waitForTimeout(hold);
  for (let i = 1; i <= steps && to !== from; i++) {
    await send(s.cdp, 'touchMove', from.map((p, k) => [p[0] + ((to[k][0] - p[0]) * i) / steps, p[1] + ((to[k][1] - p[1]) * i) / steps]));
    await frames(s.page, 1);
  }
  await send(s.cdp, 'touchEnd', []);
  await frames(s.page);
}

/** A stroke of one finger through points. */
export async function stroke(s, points, { hold = 0 } = {}) {
  await send(s.cdp, 'touchStart', [points[0]]);
  if (hold > 0) await s.page.waitForTimeout(hold);
  for (const p of points.slice(1)) {
    await send(s.cdp, 'touchMove', [p]);
    await frames(s.page, 1);
  }
  await send(s.cdp, 'touchEnd', []);
  await frames(s.page);
}

export const shoot = (page, name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** Things to press that are smaller than 24 px or have no name. */
export const poorTargets = (page) => page.evaluate(() => [...document.querySelectorAll('button, a, input, select, [role=slider], [role=radio]')]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }))
  .map((e) => ({ e, box: e.getBoundingClientRect(), name: (e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent ?? '').trim() }))
  .filter(({ box, name }) => box.width < 24 || box.height < 24 || name === '')
  .map(({ e, box, name }) => `${e.tagName} ${e.className} '${name}' ${box.width} x ${box.height}`));

/** The native command's answer, as JSON or text. */
export const native = (args, input) => execFileSync(command, args, { input, encoding: 'utf8', maxBuffer: 1 << 26 });

/** An archive, made by the rules of the format alone; its checks of sums are left to readers that want them. */
export function zipped(files, packed = false) {
  const parts = [], directory = [];
  let at = 0;
  for (const [name, content] of files) {
    const data = packed ? deflateRawSync(content) : content;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(packed ? 8 : 0, 4);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), head, tail, Buffer.from(name));
    at += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}
