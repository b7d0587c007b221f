// Terrain Cloth [Thesis, 4.4]: bodies raised under a cloth, and a walk over what it becomes. The
// cloth and the walk are computed in the worker; here are hands, history and picture.
import '../play.css';
import type { Command, History, Room, Services } from '../../shell/room';
import type { TerrainBody, TerrainFrame, Vec3 } from '../../core/play';
import { bytesOf } from '../../files/read';
import { terrainGltf, terrainObj } from '../../files/terrain';
import { terrain as texts } from '../../texts/terrain';
import { addBody, addPin, changeBody, EMPTY, mountains, readDocument, removeBody, removePin, terrainJson, terrainOf } from './document';
import type { TerrainDocument } from './document';
import { ExponentPopup } from '../../view/exponents';
import { TerrainView } from './view';

const HOLD = 500; // ms: a clothespin appears
const STILL = 9; // px: less is no movement
const TAP = 350; // ms: two fingers down and up
const REACH = 26; // px around a handle or a pin
const REST = 20, STEADY = 2e-3; // frames, and metres a step
const BACK = 1.5; // m, of the camera behind the walker

interface Pick {
    body: number;
    bodyHit: number[] | null;
    vertex: number;
    clothHit: number[] | null;
}

interface Finger {
    x: number;
    y: number;
    startX: number;
    startY: number;
}

/** In the game: one half of the screen walks, the other looks. */
interface GameFinger extends Finger {
    look: boolean;
    since: number;
    moved: boolean;
}

/** What one finger does. */
type Action =
    | { kind: 'wait' }
    | { kind: 'body'; id: number; z: number; dx: number; dy: number; moved: boolean; since: number; x: number; y: number }
    | { kind: 'shape' }
    | { kind: 'cloth'; vertex: number; through: Vec3; at: Vec3; stillSince: number; stillX: number; stillY: number; pinned: boolean; shown: boolean }
    | { kind: 'pin'; vertex: number; since: number; lifted: boolean; at: Vec3 }
    | { kind: 'handle'; which: 'height' | 'width'; start: TerrainBody; x: number; y: number };

class TerrainRoom implements Room {
    private host!: HTMLElement;
    private services!: Services;
    private view!: TerrainView;
    private history!: History<TerrainDocument>;
    private readonly popup = new ExponentPopup(texts.padName, ([e1, e2]) => this.edit((d) => changeBody(d, this.view.selected, () => ({ e1, e2 })), false), (changed) => changed && this.keep());
    private document: TerrainDocument = EMPTY; // with what a finger is changing right now
    private readonly drapes = new Map<number, Float64Array>();
    private nextDrape = 1;
    private triangles = new Uint32Array();
    private readonly fingers = new Map<number, Finger>();
    private action: Action | null = null;
    private pair: { distance: number; x: number; y: number; since: number; moved: boolean } | null = null;
    private rockOn = false;
    private game: { yaw: number; pitch: number; move: [number, number]; walker: number[]; reach: number; gap: number } | null = null;
    private readonly gameFingers = new Map<number, GameFinger>();
    private readonly held = new Set<string>();
    private jumps = false;
    private pull: { at: Vec3; left: number } | null = null;
    private pending = false;
    private rest = 0; // frames in which the cloth has hardly moved
    private frame = 0;
    private frames = 0;
    private time = 0;
    private backlog = 0;
    private readonly hint = document.createElement('div');
    private readonly cross = document.createElement('div');
    private readonly halves = [document.createElement('div'), document.createElement('div')];
    private readonly stop = new AbortController();
    private readonly dark = matchMedia('(prefers-color-scheme: dark)');

    async mount(host: HTMLElement, services: Services): Promise<void> {
        this.host = host;
        this.services = services;
        host.classList.add('terrain');
        const opened = await services.core.call<{ triangles: Uint32Array; vertices: number }>('terrain.open', {});
        this.triangles = opened.triangles.slice();
        this.view = new TerrainView(host, opened.triangles, opened.vertices);
        this.history = services.history<TerrainDocument>(mountains(), 'terrain', (saved) => Array.isArray((saved as TerrainDocument | null)?.bodies));
        this.document = readDocument(this.history.value);
        this.addOverlays();
        this.listen();
        this.stop.signal.addEventListener('abort', this.history.subscribe(() => this.travelled()));
        await this.sync(false);
        this.resize();
        this.frame = requestAnimationFrame((t) => this.tick(t));
    }

    unmount(): void {
        cancelAnimationFrame(this.frame);
        this.popup.close();
        this.stop.abort();
        this.view.dispose();
        void this.services.core.call('terrain.close', {});
        this.host.classList.remove('terrain');
        this.host.replaceChildren();
    }

    state(): unknown {
        const { bodies, pins } = this.document;
        const g = this.game, body = this.body();
        const places = body ? this.view.handlePlaces(body) : null;
        return {
            bodies, pins, selected: this.view.selected, rock: this.rockOn, silhouettes: this.view.shown, frames: this.frames, resting: this.rest > REST, action: this.action?.kind ?? null,
            lifted: this.action?.kind === 'pin' && this.action.lifted,
            game: g && { walker: g.walker, gap: g.gap, yaw: g.yaw }, camera: { ...this.view.orbit },
            handles: places && { height: this.view.screenOf(places.height), width: this.view.screenOf(places.width) },
            pinPlaces: pins.map((p) => this.view.screenOf([p.x, p.y, p.z + 0.15])),
        };
    }

    private addOverlays(): void {
        this.hint.className = 'terrain-hint';
        this.hint.hidden = true;
        this.cross.className = 'terrain-cross';
        this.halves.forEach((half, i) => {
            half.className = `terrain-half terrain-half-${i === 0 ? 'left' : 'right'}`;
            half.textContent = i === 0 ? texts.walk : texts.look;
            half.hidden = true;
        });
        this.host.append(this.hint, this.cross, ...this.halves);
    }

    // ---- the document

    /** Shows an edit, and keeps it when it is done. */
    private edit(change: (d: TerrainDocument) => TerrainDocument, done = true): void {
        this.document = change(this.document);
        void this.sync(false);
        if (done) this.keep();
    }

    /** A step of the history, with the cloth as it is: undo brings that back too. */
    private keep(): void {
        const number = this.nextDrape++;
        const kept: TerrainDocument = { ...this.document, drape: number };
        const before = this.history.value.drape;
        this.document = kept;
        void this.services.core.call<Float64Array>('terrain.drape', {}).then((drape) => {
            // what is on the cloth now is how the document before it looked in the end
            this.drapes.set(before, drape);
        });
        this.history.push(kept);
    }

    /** After undo and redo. */
    private travelled(): void {
        const value = readDocument(this.history.value);
        if (value.drape === this.document.drape) return;
        this.document = value;
        if (!value.bodies.some((b) => b.id === this.view.selected)) this.select(-1);
        void this.sync(this.drapes.has(value.drape));
    }

    private async sync(restore: boolean): Promise<void> {
        this.wake();
        const { bodies, pins, drape } = this.document;
        const kept = restore ? this.drapes.get(drape) : undefined;
        await this.services.core.call('terrain.sync', { bodies, pins, atOnce: kept !== undefined, ...(kept ? { drape: kept.slice() } : {}) });
    }

    private body(): TerrainBody | null {
        return this.document.bodies.find((b) => b.id === this.view.selected) ?? null;
    }

    private select(id: number): void {
        this.wake();
        this.view.selected = id;
        if (id >= 0) this.services.announce(texts.selected(id + 1));
    }

    /** The grid of exponents, seen and turned as the body is. */
    private shape(x?: number, y?: number): void {
        const b = this.body();
        if (!b) return;
        const { yaw, pitch } = this.view.orbit, [c, s] = [Math.cos(yaw), Math.sin(yaw)];
        this.popup.open({
            e: [b.e1, b.e2], turn: [Math.cos(b.angle / 2), 0, 0, Math.sin(b.angle / 2)],
            right: [c, s, 0], up: [-s * Math.sin(pitch), c * Math.sin(pitch), Math.cos(pitch)],
        }, x, y);
    }

    private raise(x: number, y: number): void {
        const added = addBody(this.document, x, y);
        if (!added) {
            this.services.toast(texts.full);
            return;
        }
        this.edit(() => added.document);
        this.select(added.id);
        this.services.announce(texts.raised(this.document.bodies.length));
    }

    // ---- fingers

    private listen(): void {
        const signal = this.stop.signal, canvas = this.view.renderer.domElement;
        canvas.style.touchAction = 'none';
        const on = <K extends keyof HTMLElementEventMap>(name: K, f: (e: HTMLElementEventMap[K]) => void): void => canvas.addEventListener(name, f, { signal });
        on('pointerdown', (e) => this.down(e));
        on('pointermove', (e) => this.moved(e));
        on('pointerup', (e) => this.up(e, false));
        on('pointercancel', (e) => this.up(e, true));
        on('contextmenu', (e) => e.preventDefault());
        on('dblclick', (e) => {
            const at = this.view.levelAt(e.clientX, e.clientY, 0);
            if (at && !this.game) this.raise(at[0], at[1]);
        });
        canvas.addEventListener('wheel', (e) => {
            e.preventDefault();
            this.zoom(Math.exp(e.deltaY * 0.001));
        }, { signal, passive: false });
        window.addEventListener('keydown', (e) => this.key(e, true), { signal, capture: true });
        window.addEventListener('keyup', (e) => this.key(e, false), { signal, capture: true });
        window.addEventListener('blur', () => this.held.clear(), { signal });
        new ResizeObserver(() => this.resize()).observe(this.host);
        const theme = (): void => {
            this.wake();
            const chosen = document.documentElement.dataset['theme'];
            this.view.theme(chosen ? chosen === 'dark' : this.dark.matches);
        };
        this.dark.addEventListener('change', theme, { signal });
        const watch = new MutationObserver(theme);
        watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
        signal.addEventListener('abort', () => watch.disconnect());
        theme();
    }

    private resize(): void {
        this.wake();
        this.view.resize(this.host.clientWidth, this.host.clientHeight);
    }

    private down(e: PointerEvent): void {
        this.wake();
        this.view.renderer.domElement.setPointerCapture(e.pointerId);
        if (this.game) {
            const rect = this.host.getBoundingClientRect();
            const look = e.clientX - rect.left > rect.width / 2;
            this.gameFingers.set(e.pointerId, { look, x: e.clientX, y: e.clientY, startX: e.clientX, startY: e.clientY, since: e.timeStamp, moved: false });
            return;
        }
        this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, startX: e.clientX, startY: e.clientY });
        if (this.fingers.size === 1 && e.button !== 2) void this.begin(e.clientX, e.clientY, e.timeStamp);
        if (this.fingers.size === 2) {
            this.cancel();
            this.pair = { ...this.spread(), since: e.timeStamp, moved: false };
        }
    }

    private spread(): { distance: number; x: number; y: number } {
        const [a, b] = [...this.fingers.values()];
        if (!a || !b) return { distance: 1, x: a?.x ?? 0, y: a?.y ?? 0 };
        return { distance: Math.max(8, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    }

    private near(p: Vec3, x: number, y: number): boolean {
        const [sx, sy] = this.view.screenOf(p);
        return Math.hypot(sx - x, sy - y) < REACH;
    }

    /** One finger is down: a handle, a pin, a body, or the cloth. */
    private async begin(x: number, y: number, since: number): Promise<void> {
        const body = this.body();
        if (body) {
            const places = this.view.handlePlaces(body);
            for (const which of ['height', 'width'] as const) {
                if (this.near(places[which], x, y)) {
                    this.action = { kind: 'handle', which, start: body, x, y };
                    return;
                }
            }
        }
        const pin = this.document.pins.find((p) => this.near([p.x, p.y, p.z + 0.15], x, y));
        if (pin) {
            this.action = { kind: 'pin', vertex: pin.vertex, since, lifted: false, at: [pin.x, pin.y, pin.z] };
            return;
        }
        const wait: Action = { kind: 'wait' };
        this.action = wait;
        const pick = await this.services.core.call<Pick>('terrain.pick', this.view.rayAt(x, y));
        if (this.action !== wait) return; // lifted, or joined by a second finger, in the meantime
        if (pick.body >= 0 && pick.bodyHit) {
            const b = this.document.bodies.find((other) => other.id === pick.body);
            const z = pick.bodyHit[2] ?? 0, at = this.view.levelAt(x, y, z);
            this.select(pick.body);
            if (b && at) this.action = { kind: 'body', id: b.id, z, dx: b.x - at[0], dy: b.y - at[1], moved: false, since, x, y };
        } else if (pick.vertex >= 0 && pick.clothHit) {
            this.select(-1);
            const through = pick.clothHit.slice(0, 3) as Vec3;
            await this.services.core.call('terrain.grab', { vertex: pick.vertex, at: through });
            if (this.action !== wait) {
                void this.services.core.call('terrain.letGo', {});
                return;
            }
            this.action = { kind: 'cloth', vertex: pick.vertex, through, at: through, stillSince: since, stillX: x, stillY: y, pinned: false, shown: false };
        } else {
            this.select(-1);
            this.action = null;
        }
    }

    private moved(e: PointerEvent): void {
        const walking = this.gameFingers.get(e.pointerId);
        if (this.game && walking) {
            this.walkFinger(walking, e.clientX, e.clientY);
            return;
        }
        const finger = this.fingers.get(e.pointerId);
        if (!finger) return;
        const right = e.pointerType === 'mouse' && (e.buttons & 2) !== 0;
        if (right) this.turn((e.clientX - finger.x) * 0.008, (e.clientY - finger.y) * 0.008);
        finger.x = e.clientX;
        finger.y = e.clientY;
        if (this.pair && this.fingers.size === 2) this.movePair();
        else if (this.fingers.size === 1 && !right) this.drag(e.clientX, e.clientY, e.timeStamp);
    }

    /** Two fingers: a swipe orbits, a pinch zooms. */
    private movePair(): void {
        const pair = this.pair;
        if (!pair) return;
        const now = this.spread();
        const far = [...this.fingers.values()].some((f) => Math.hypot(f.x - f.startX, f.y - f.startY) > STILL);
        if (!pair.moved && !far) return;
        pair.moved = true;
        this.turn((now.x - pair.x) * 0.008, (now.y - pair.y) * 0.008);
        this.zoom(pair.distance / now.distance);
        Object.assign(pair, now);
    }

    private turn(yaw: number, pitch: number): void {
        this.wake();
        const o = this.view.orbit;
        o.yaw -= yaw;
        o.pitch = Math.min(1.5, Math.max(0.08, o.pitch + pitch));
    }

    private zoom(factor: number): void {
        this.wake();
        this.view.orbit.distance = Math.min(30, Math.max(2.5, this.view.orbit.distance * factor));
    }

    private drag(x: number, y: number, now: number): void {
        const a = this.action;
        if (a?.kind === 'shape') this.popup.slide(x, y);
        else if (a?.kind === 'body') {
            if (!a.moved && Math.hypot(x - a.x, y - a.y) < STILL) return;
            const at = this.view.levelAt(x, y, a.z);
            if (!at) return;
            a.moved = true;
            this.edit((d) => changeBody(d, a.id, () => ({ x: at[0] + a.dx, y: at[1] + a.dy })), false);
        } else if (a?.kind === 'cloth') {
            if (now - a.stillSince >= HOLD) a.pinned = true;
            if (Math.hypot(x - a.stillX, y - a.stillY) > STILL) Object.assign(a, { stillSince: now, stillX: x, stillY: y });
            a.at = this.view.facingAt(x, y, a.through) ?? a.at;
        } else if (a?.kind === 'pin' && a.lifted) {
            a.at = this.view.facingAt(x, y, a.at) ?? a.at;
        } else if (a?.kind === 'handle') {
            this.dragHandle(a, x, y);
        }
    }

    private dragHandle(a: Extract<Action, { kind: 'handle' }>, x: number, y: number): void {
        const places = this.view.handlePlaces(a.start);
        const from = this.view.facingAt(a.x, a.y, places[a.which]), to = this.view.facingAt(x, y, places[a.which]);
        if (!from || !to) return;
        this.edit((d) => changeBody(d, a.start.id, () => {
            if (a.which === 'height') return { height: a.start.height + (to[2] - from[2]) };
            const grow = Math.hypot(to[0] - a.start.x, to[1] - a.start.y) - Math.hypot(from[0] - a.start.x, from[1] - a.start.y);
            const factor = Math.max(0.1, 1 + grow / Math.max(a.start.width, a.start.depth));
            return { width: a.start.width * factor, depth: a.start.depth * factor };
        }), false);
    }

    private up(e: PointerEvent, cancelled: boolean): void {
        const walking = this.gameFingers.get(e.pointerId);
        this.gameFingers.delete(e.pointerId);
        if (this.game && walking && !walking.look) this.game.move = [0, 0];
        if (walking?.look && !walking.moved && !cancelled && e.timeStamp - walking.since < TAP) this.jumps = true;
        const finger = this.fingers.get(e.pointerId);
        if (!finger) return;
        this.fingers.delete(e.pointerId);
        const pair = this.pair;
        if (pair) {
            if (this.fingers.size > 0) return;
            this.pair = null;
            if (!pair.moved && !cancelled && e.timeStamp - pair.since < TAP) {
                const at = this.view.levelAt(pair.x, pair.y, 0);
                if (at) this.raise(at[0], at[1]);
            }
            return;
        }
        if (cancelled) this.cancel();
        else void this.finish(e.clientX, e.clientY, e.timeStamp);
    }

    private async finish(x: number, y: number, now: number): Promise<void> {
        const a = this.action;
        if (a?.kind === 'pin' && now - a.since < HOLD) {
            this.cancel(); // lifted only in the picture: the finger was gone before
            return;
        }
        this.action = null;
        if (a?.kind === 'shape') this.popup.close();
        else if (a?.kind === 'body' && a.moved) this.keep();
        else if (a?.kind === 'handle') this.keep();
        else if (a?.kind === 'cloth') {
            if (a.pinned || now - a.stillSince >= HOLD) {
                a.pinned = true;
                this.edit((d) => addPin(d, { vertex: a.vertex, x: a.at[0], y: a.at[1], z: a.at[2] }));
                this.services.announce(texts.pinned);
            }
            await this.services.core.call('terrain.letGo', {});
            if (!a.pinned) this.keep(); // a push: undo brings the folds back
        } else if (a?.kind === 'pin') await this.dropPin(a, x, y);
    }

    /** A lifted clothespin: taken to another place of the cloth, or away. */
    private async dropPin(a: Extract<Action, { kind: 'pin' }>, x: number, y: number): Promise<void> {
        const old = this.history.value.pins.find((p) => p.vertex === a.vertex);
        const moved = old && Math.hypot(a.at[0] - old.x, a.at[1] - old.y, a.at[2] - old.z) > 0.12;
        const pick = moved ? await this.services.core.call<Pick>('terrain.pick', this.view.rayAt(x, y)) : null;
        if (pick && pick.vertex >= 0 && pick.clothHit) {
            const [px = 0, py = 0, pz = 0] = pick.clothHit;
            this.edit((d) => addPin(removePin(d, a.vertex), { vertex: pick.vertex, x: px, y: py, z: pz }));
            this.services.announce(texts.pinned);
        } else {
            this.edit((d) => removePin(d, a.vertex));
            this.services.announce(texts.unpinned);
        }
    }

    /** A second finger came: what the first one did is undone. */
    private cancel(): void {
        const a = this.action;
        this.action = null;
        this.popup.close();
        if (a?.kind === 'cloth') void this.services.core.call('terrain.letGo', {});
        if (a && a.kind !== 'wait') {
            this.document = readDocument(this.history.value);
            void this.sync(false);
        }
    }

    /** A finger that has been still for half a second gets its clothespin to see; what counts in the
     *  end is when the fingers' events happened, not when a frame came to look. */
    private holds(a: Action): void {
        const now = performance.now();
        if (a.kind === 'cloth') a.shown = a.pinned || now - a.stillSince >= HOLD;
        if (a.kind === 'body' && !a.moved && now - a.since >= HOLD) {
            this.action = { kind: 'shape' };
            this.shape(a.x, a.y);
        }
        if (a.kind === 'pin' && !a.lifted && now - a.since >= HOLD) {
            a.lifted = true;
            this.edit((d) => removePin(d, a.vertex), false);
        }
    }

    private key(e: KeyboardEvent, pressed: boolean): void {
        if (!this.game || e.target instanceof HTMLInputElement) return;
        const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
        if (key === 'Escape' && pressed) void this.toggleGame();
        else if (key === ' ' && pressed) this.jumps = true;
        else if ('wasdqe'.includes(key) || key.startsWith('Arrow')) {
            if (pressed) this.held.add(key);
            else this.held.delete(key);
        } else return;
        e.preventDefault();
        e.stopPropagation();
    }

    // ---- the walk

    private async toggleGame(): Promise<void> {
        if (this.game) {
            this.game = null;
            this.wake();
            this.view.showWalker(null);
            await this.services.core.call('terrain.endWalk', {});
            this.services.toast(texts.gameOff);
        } else {
            this.cancel();
            this.select(-1);
            if (!(await this.services.core.call<boolean>('terrain.walk', { x: 0, y: -3.6 }))) return;
            this.game = { yaw: 0, pitch: 0.38, move: [0, 0], walker: [0, -3.6, 1, 0, 0, 0, 0, 0.17], reach: BACK, gap: 0 };
            this.services.toast(texts.gameOn);
        }
        this.gameFingers.clear();
        this.held.clear();
        for (const half of this.halves) half.hidden = !this.game;
        this.view.silhouettes(!this.game && !this.rockOn);
        this.view.rock(this.game !== null || this.rockOn);
    }

    private walkFinger(f: GameFinger, x: number, y: number): void {
        const g = this.game;
        if (!g) return;
        f.moved ||= Math.hypot(x - f.startX, y - f.startY) > STILL;
        if (f.look) {
            g.yaw -= (x - f.x) * 0.008;
            g.pitch = Math.min(1.3, Math.max(-0.1, g.pitch + (y - f.y) * 0.006));
        } else {
            const dx = (x - f.startX) / 60, dy = (f.startY - y) / 60, length = Math.max(1, Math.hypot(dx, dy));
            g.move = [dx / length, dy / length];
        }
        f.x = x;
        f.y = y;
    }

    private async stride(steps: number): Promise<void> {
        const g = this.game;
        if (!g) return;
        const on = (...keys: string[]): number => (keys.some((k) => this.held.has(k)) ? 1 : 0);
        g.yaw += (on('q', 'ArrowLeft') - on('e', 'ArrowRight')) * 0.035 * steps;
        const side = g.move[0] + on('d') - on('a'), ahead = g.move[1] + on('w', 'ArrowUp') - on('s', 'ArrowDown');
        // ahead is away from the camera
        const fx = -Math.sin(g.yaw), fy = Math.cos(g.yaw);
        const move: [number, number] = [ahead * fx + side * fy, ahead * fy - side * fx];
        const back: Vec3 = [-fx * Math.cos(g.pitch), -fy * Math.cos(g.pitch), Math.sin(g.pitch)];
        const jump = this.jumps;
        this.jumps = false;
        const answer = await this.services.core.call<{ walker: number[]; reach: number; gap: number }>('terrain.stride', { move, jump, steps, view: back, reach: BACK });
        if (!this.game) return;
        g.walker = answer.walker;
        g.gap = answer.gap;
        g.reach += (Math.max(0.25, 0.92 * answer.reach) - g.reach) * (answer.reach < g.reach ? 1 : 0.15);
        if (Math.hypot(move[0], move[1]) > 0.05) this.view.heading = Math.atan2(move[1], move[0]);
        const at = g.walker.slice(0, 3) as Vec3;
        this.view.showWalker(at);
        this.view.follow(at, back, g.reach);
    }

    // ---- time

    private tick(now: number): void {
        this.frame = requestAnimationFrame((t) => this.tick(t));
        const passed = Math.min(0.05, this.time > 0 ? (now - this.time) / 1000 : 0);
        this.time = now;
        this.backlog = Math.min(this.backlog + passed, 0.05);
        if (this.action) this.holds(this.action);
        const steps = Math.floor(this.backlog * 60);
        this.frames++;
        if (this.action || this.game || this.pull) this.wake();
        if (this.rest > REST) return;
        if (!this.pending && steps > 0) {
            this.backlog -= steps / 60;
            this.pending = true;
            void (this.game ? this.stride(steps) : this.advance(steps)).finally(() => (this.pending = false));
        }
        this.draw();
    }

    /** A cloth that has come to rest is neither computed nor drawn until something happens. */
    private wake(): void {
        this.rest = 0;
    }

    private async advance(steps: number): Promise<void> {
        const a = this.action;
        let lead: Vec3 | null = a?.kind === 'cloth' ? a.at : null;
        if (this.pull) {
            lead = this.pull.at;
            this.pull.left -= steps;
            if (this.pull.left <= 0) {
                this.pull = null;
                void this.services.core.call('terrain.letGo', {}).then(() => this.keep());
            }
        }
        const frame = await this.services.core.call<TerrainFrame>('terrain.frame', { steps, lead });
        this.rest = this.view.showCloth(frame.picture) < STEADY * steps ? this.rest + 1 : 0;
        this.view.showBodies(frame.bodies);
    }

    private draw(): void {
        const a = this.action;
        if (!this.game) {
            const loose = (a?.kind === 'cloth' && a.shown) || (a?.kind === 'pin' && a.lifted) ? a.at : null;
            this.view.lookAtCloth();
            this.view.showPins(this.document.pins, loose);
            this.view.showHandles(this.body());
        } else {
            this.view.showHandles(null);
        }
        this.cross.hidden = this.game !== null;
        this.view.render();
    }

    // ---- commands: every gesture without a gesture

    private middle(): [number, number] {
        const rect = this.host.getBoundingClientRect();
        return [rect.left + rect.width / 2, rect.top + rect.height / 2];
    }

    private change(change: (b: TerrainBody) => Partial<TerrainBody>): void {
        if (this.view.selected < 0) this.services.toast(texts.nothing);
        else this.edit((d) => changeBody(d, this.view.selected, change));
    }

    /** Moves the body, or the camera where none is selected, as seen from the camera. */
    private shift(right: number, away: number): void {
        const { yaw } = this.view.orbit, step = 0.25;
        if (this.view.selected < 0) {
            this.turn(-right * 0.12, away * 0.08);
            return;
        }
        const dx = step * (right * Math.cos(yaw) - away * Math.sin(yaw)), dy = step * (right * Math.sin(yaw) + away * Math.cos(yaw));
        this.change((b) => ({ x: b.x + dx, y: b.y + dy }));
    }

    private async pinAtCross(move: boolean): Promise<void> {
        const pick = await this.services.core.call<Pick>('terrain.pick', this.view.rayAt(...this.middle()));
        const last = this.document.pins.at(-1);
        if (pick.vertex < 0 || !pick.clothHit) {
            this.services.toast(texts.noCloth);
            return;
        }
        const [x = 0, y = 0, z = 0] = pick.clothHit;
        this.edit((d) => addPin(move && last ? removePin(d, last.vertex) : d, { vertex: pick.vertex, x, y, z: z + (move ? 0 : 0.6) }));
        this.services.announce(texts.pinned);
    }

    private async pullAtCross(): Promise<void> {
        const pick = await this.services.core.call<Pick>('terrain.pick', this.view.rayAt(...this.middle()));
        if (pick.vertex < 0 || !pick.clothHit) {
            this.services.toast(texts.noCloth);
            return;
        }
        const at = pick.clothHit.slice(0, 3) as Vec3;
        await this.services.core.call('terrain.grab', { vertex: pick.vertex, at });
        this.pull = { at: [at[0], at[1], at[2] + 1], left: 40 };
    }

    async drop(file: File): Promise<void> {
        const made = terrainOf(new TextDecoder().decode(await bytesOf(file)));
        if (this.game) await this.toggleGame();
        this.select(-1);
        this.edit(() => made);
        this.services.toast(texts.opened(file.name.slice(0, 60), made.bodies.length));
    }

    private async save(kind: 'gltf' | 'obj' | 'json'): Promise<void> {
        const positions = await this.services.core.call<Float64Array>('terrain.drape', {});
        const surface = { positions, triangles: this.triangles };
        const text = kind === 'obj' ? terrainObj(surface) : kind === 'gltf' ? terrainGltf(surface) : terrainJson(this.document);
        const type = { obj: 'model/obj', gltf: 'model/gltf+json', json: 'application/json' }[kind];
        this.services.saveFile(`terrain.${kind}`, new Blob([text], { type }));
        this.services.announce(texts.saved(`terrain.${kind}`));
    }

    commands(): Command[] {
        const c = texts.commands;
        const some = (): boolean => this.view.selected >= 0 && !this.game;
        const rare = /^(next|left|right|away|near|turn|squarer|rounder|movePin|orbit|zoom|spread|lower|narrower)/; // in the help alone
        const command = (id: keyof typeof c, key: string | undefined, run: () => void, enabled?: () => boolean): Command => ({
            id: `terrain.${id}`, label: c[id], run, button: !rare.test(id), ...(key ? { key } : {}), ...(enabled ? { enabled } : {}),
        });
        const last = (): number => this.document.pins.at(-1)?.vertex ?? -1;
        return [
            command('add', 'b', () => {
                const at = this.view.levelAt(...this.middle(), 0) ?? [0, 0, 0];
                this.raise(at[0], at[1]);
            }),
            command('remove', 'Delete', () => {
                this.edit((d) => removeBody(d, this.view.selected));
                this.select(-1);
                this.services.announce(texts.removed);
            }, some),
            command('next', 'n', () => {
                const ids = this.document.bodies.map((b) => b.id);
                this.select(ids[(ids.indexOf(this.view.selected) + 1) % Math.max(1, ids.length)] ?? -1);
            }),
            command('exponents', 'x', () => this.shape(), some),
            command('higher', 'PageUp', () => this.change((b) => ({ height: b.height * 1.15 })), some),
            command('lower', 'PageDown', () => this.change((b) => ({ height: b.height / 1.15 })), some),
            command('wider', '+', () => this.change((b) => ({ width: b.width * 1.15, depth: b.depth * 1.15 })), some),
            command('narrower', '-', () => this.change((b) => ({ width: b.width / 1.15, depth: b.depth / 1.15 })), some),
            command('left', 'ArrowLeft', () => this.shift(-1, 0)),
            command('right', 'ArrowRight', () => this.shift(1, 0)),
            command('away', 'ArrowUp', () => this.shift(0, 1)),
            command('near', 'ArrowDown', () => this.shift(0, -1)),
            command('turn', 't', () => this.change((b) => ({ angle: b.angle + Math.PI / 12 })), some),
            command('squarer1', '1', () => this.change((b) => ({ e1: b.e1 - 0.15 })), some),
            command('rounder1', '2', () => this.change((b) => ({ e1: b.e1 + 0.15 })), some),
            command('squarer2', '3', () => this.change((b) => ({ e2: b.e2 - 0.15 })), some),
            command('rounder2', '4', () => this.change((b) => ({ e2: b.e2 + 0.15 })), some),
            command('pull', 'l', () => void this.pullAtCross()),
            command('pin', 'p', () => void this.pinAtCross(false)),
            command('movePin', 'o', () => void this.pinAtCross(true), () => last() >= 0),
            command('unpin', 'u', () => this.edit((d) => removePin(d, last())), () => last() >= 0),
            command('orbitLeft', 'a', () => this.turn(0.15, 0)),
            command('orbitRight', 'd', () => this.turn(-0.15, 0)),
            command('orbitUp', 'w', () => this.turn(0, 0.1)),
            command('orbitDown', 's', () => this.turn(0, -0.1)),
            command('zoomIn', 'e', () => this.zoom(0.85)),
            command('zoomOut', 'q', () => this.zoom(1 / 0.85)),
            command('rock', 'r', () => {
                this.wake();
                this.rockOn = !this.rockOn;
                this.view.rock(this.rockOn || this.game !== null);
                this.view.silhouettes(!this.rockOn && !this.game);
            }),
            command('game', 'g', () => void this.toggleGame()),
            command('jump', 'j', () => (this.jumps = true), () => this.game !== null),
            command('spread', undefined, () => {
                void this.services.core.call('terrain.close', {}).then(() => this.sync(false));
            }),
            command('example', undefined, () => this.edit(() => mountains())),
            command('clear', undefined, () => this.edit(() => EMPTY)),
            command('open', undefined, () => void this.services.openFile('.json').then((f) => f && this.drop(f)).catch((e: Error) => this.services.toast(e.message))),
            command('json', undefined, () => void this.save('json')),
            command('obj', undefined, () => void this.save('obj')),
            command('gltf', undefined, () => void this.save('gltf')),
        ];
    }
}

export function createRoom(): Room {
    return new TerrainRoom();
}
