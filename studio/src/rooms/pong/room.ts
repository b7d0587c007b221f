// Duper Bowl Pong [Thesis, Appendix B]: the game runs in the worker, here are hands, picture and sound.
import '../play.css';
import type { Command, History, Room, Services } from '../../shell/room';
import { PONG, PONG_FIELD as F } from '../../core/play';
import { pong as texts } from '../../texts/pong';
import { PongSound } from './sound';
import { PongView } from './view';

type Turning = 0 | 1 | 2; // two fingers, by itself, slider
const MATCH = 7;
const TILT = 1.2; // rad, as far as slider and keys turn

interface Hand {
    y: number;
    angle: number;
    fingers: Map<number, { x: number; y: number }>;
    twist: number | null; // angle of the line between two fingers when last seen
}

interface Options {
    level: number; // of the computer on the right; 0: a second person
    turning: Turning;
    sound: boolean;
    speed: number;
}

function isOptions(saved: unknown): boolean {
    const o = saved as Partial<Options> | null;
    return typeof o === 'object' && o !== null && [0, 1, 2, 3].includes(o.level ?? -1) && [0, 1, 2].includes(o.turning ?? -1) &&
        typeof o.sound === 'boolean' && Number.isFinite(o.speed) && o.speed! >= 6 && o.speed! <= 60;
}

class PongRoom implements Room {
    private host!: HTMLElement;
    private services!: Services;
    private view!: PongView;
    private readonly sound = new PongSound();
    private readonly hands: Hand[] = [0, 1].map(() => ({ y: 0, angle: 0, fingers: new Map(), twist: null }));
    private readonly held = new Set<string>();
    private options: Options = { level: 2, turning: 0, sound: false, speed: 12 };
    private lastLevel = 2;
    private game: Float64Array = new Float64Array(PONG.count);
    private running = false;
    private over = '';
    private pending = false;
    private rest = 0; // frames since anything moved
    private frame = 0;
    private time = 0;
    private backlog = 0;
    private readonly board = document.createElement('div');
    private readonly notice = document.createElement('div');
    private readonly sliders: HTMLInputElement[] = [];
    private readonly dark = matchMedia('(prefers-color-scheme: dark)');
    private readonly stop = new AbortController();
    private history!: History<Options>;

    async mount(host: HTMLElement, services: Services): Promise<void> {
        this.host = host;
        this.services = services;
        host.classList.add('pong');
        this.view = new PongView(host);
        this.addBoard();
        this.listen();
        this.history = services.history<Options>(this.options, 'pong', isOptions);
        this.options = { ...this.history.value };
        this.game = await services.core.call<Float64Array>('pong.open', { seed: 1 + Math.floor(Date.now() % 1e6) });
        await this.apply();
        this.stop.signal.addEventListener('abort', this.history.subscribe((options) => {
            this.options = { ...options };
            void this.apply();
        }));
        this.resize();
        this.frame = requestAnimationFrame((t) => this.tick(t));
    }

    unmount(): void {
        cancelAnimationFrame(this.frame);
        this.stop.abort();
        this.sound.close();
        this.view.dispose();
        void this.services.core.call('pong.close', {});
        this.host.classList.remove('pong');
        this.host.replaceChildren();
    }

    state(): unknown {
        return { running: this.running, over: this.over, options: { ...this.options }, game: [...this.game],
            hands: this.hands.map((h) => ({ y: h.y, angle: h.angle })) };
    }

    // ---- what there is on the screen

    private addBoard(): void {
        this.board.className = 'pong-board';
        this.board.setAttribute('role', 'status');
        this.notice.className = 'pong-notice';
        this.host.append(this.board, this.notice);
        for (let k = 0; k < 2; k++) {
            const slider = document.createElement('input');
            slider.type = 'range';
            slider.min = '-1';
            slider.max = '1';
            slider.step = '0.01';
            slider.value = '0';
            slider.className = `pong-slider pong-slider-${k === 0 ? 'left' : 'right'}`;
            slider.setAttribute('aria-label', `${k === 0 ? texts.left : texts.right}: ${texts.slider}`);
            slider.addEventListener('input', () => {
                const hand = this.hands[k];
                if (hand) hand.angle = Number(slider.value) * TILT * (k === 0 ? 1 : -1);
            });
            this.sliders.push(slider);
            this.host.append(slider);
        }
    }

    private score(k: number): number {
        return this.game[PONG.score + k] ?? 0;
    }

    private show(): void {
        this.board.textContent = `${this.score(0)} : ${this.score(1)}`;
        this.notice.textContent = this.over || (this.running ? '' : this.score(0) + this.score(1) + (this.game[PONG.hits] ?? 0) > 0 ? texts.paused : texts.ready);
        this.notice.hidden = this.running && !this.over;
    }

    private resize(): void {
        this.rest = 0;
        this.view.resize(this.host.clientWidth, this.host.clientHeight, this.options.turning === 2 ? 40 : 0);
    }

    private applyTurning(): void {
        this.sliders.forEach((slider, k) => {
            slider.hidden = this.options.turning !== 2 || (k === 1 && this.options.level > 0);
        });
        for (const hand of this.hands) hand.angle = 0;
        this.resize();
    }

    // ---- hands

    private listen(): void {
        const signal = this.stop.signal, canvas = this.view.renderer.domElement;
        canvas.style.touchAction = 'none';
        canvas.addEventListener('pointerdown', (e) => this.down(e), { signal });
        canvas.addEventListener('pointermove', (e) => this.moved(e), { signal });
        for (const end of ['pointerup', 'pointercancel']) {
            canvas.addEventListener(end, (e) => this.up(e as PointerEvent), { signal });
        }
        canvas.addEventListener('contextmenu', (e) => e.preventDefault(), { signal });
        window.addEventListener('keydown', (e) => this.key(e, true), { signal, capture: true });
        window.addEventListener('keyup', (e) => this.key(e, false), { signal, capture: true });
        window.addEventListener('blur', () => this.held.clear(), { signal });
        new ResizeObserver(() => this.resize()).observe(this.host);
        const theme = (): void => {
            this.rest = 0;
            this.view.theme(document.documentElement.dataset['theme'] ? document.documentElement.dataset['theme'] === 'dark' : this.dark.matches);
        };
        this.dark.addEventListener('change', theme, { signal });
        const watch = new MutationObserver(theme);
        watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
        signal.addEventListener('abort', () => watch.disconnect());
        theme();
    }

    private handOf(e: PointerEvent): Hand | undefined {
        for (const hand of this.hands) if (hand.fingers.has(e.pointerId)) return hand;
        const right = this.options.level === 0 && this.view.fieldAt(e.clientX, e.clientY).x > 0;
        return this.hands[right ? 1 : 0];
    }

    private down(e: PointerEvent): void {
        this.view.renderer.domElement.setPointerCapture(e.pointerId);
        const hand = this.handOf(e);
        if (!hand) return;
        if (this.over) this.restart();
        this.running = true;
        hand.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
        hand.twist = this.twistOf(hand);
        this.lead(hand);
    }

    private twistOf(hand: Hand): number | null {
        const [a, b] = [...hand.fingers.values()];
        return a && b ? Math.atan2(-(b.y - a.y), b.x - a.x) : null;
    }

    /** One finger: where it is. Two: their middle, and turned as they turn. */
    private lead(hand: Hand): void {
        const at = [...hand.fingers.values()].map((f) => this.view.fieldAt(f.x, f.y).y);
        hand.y = Math.max(-F.reach, Math.min(F.reach, at.reduce((s, y) => s + y, 0) / at.length));
    }

    private moved(e: PointerEvent): void {
        const hand = this.handOf(e);
        const finger = hand?.fingers.get(e.pointerId);
        if (!hand || !finger) return;
        finger.x = e.clientX;
        finger.y = e.clientY;
        this.lead(hand);
        const twist = this.twistOf(hand);
        if (this.options.turning === 0 && twist !== null && hand.twist !== null) {
            const turn = Math.atan2(Math.sin(twist - hand.twist), Math.cos(twist - hand.twist));
            hand.angle += turn;
        }
        hand.twist = twist;
    }

    private up(e: PointerEvent): void {
        const hand = this.handOf(e);
        hand?.fingers.delete(e.pointerId);
        if (hand) hand.twist = this.twistOf(hand);
    }

    private key(e: KeyboardEvent, pressed: boolean): void {
        if (e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement) return;
        const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
        if (!'wsad'.includes(key) && !key.startsWith('Arrow')) return;
        if (pressed) this.held.add(key);
        else this.held.delete(key);
        e.preventDefault();
        e.stopPropagation();
    }

    private nudge(k: number, dy: number, turn: number): void {
        if (dy || turn) this.rest = 0;
        const hand = this.hands[k];
        if (!hand) return;
        hand.y = Math.max(-F.reach, Math.min(F.reach, hand.y + dy));
        hand.angle = Math.max(-TILT, Math.min(TILT, hand.angle + turn));
    }

    private heldKeys(seconds: number): void {
        const on = (key: string): number => (this.held.has(key) ? 1 : 0);
        const arrows = this.options.level === 0 ? 1 : 0;
        this.nudge(0, (on('w') - on('s')) * 18 * seconds, (on('a') - on('d')) * 3 * seconds);
        this.nudge(arrows, (on('ArrowUp') - on('ArrowDown')) * 18 * seconds, (on('ArrowLeft') - on('ArrowRight')) * 3 * seconds);
    }

    // ---- the game's time

    private tick(now: number): void {
        this.frame = requestAnimationFrame((t) => this.tick(t));
        const passed = Math.min(0.1, this.time > 0 ? (now - this.time) / 1000 : 0);
        this.time = now;
        this.heldKeys(passed);
        if (this.running && !this.over) this.backlog = Math.min(this.backlog + passed, 0.1);
        const steps = Math.floor(this.backlog * 60);
        if (!this.pending && steps > 0) {
            this.backlog -= steps / 60;
            void this.advance(steps);
        }
        const moves = this.running && !this.over;
        this.rest = moves ? 0 : this.rest + 1;
        // a picture that stays is drawn for a second, until the last spark is out
        if (this.rest < 60) this.view.draw(this.game, moves);
        this.game[PONG.events] = 0;
        this.show();
    }

    private async advance(steps: number): Promise<void> {
        this.pending = true;
        const automatic = this.options.turning === 1;
        const players = this.hands.map((hand, k) => ({
            level: k === 1 ? this.options.level : 0, automatic, y: hand.y, angle: hand.angle,
        }));
        const before = [this.score(0), this.score(1)];
        try {
            this.game = await this.services.core.call<Float64Array>('pong.step', { steps, players });
        } finally {
            this.pending = false;
        }
        this.sound.play(this.game[PONG.events] ?? 0, this.game[PONG.impact] ?? 0, this.game[PONG.e1] ?? 1);
        for (let k = 0; k < 2; k++) if (this.score(k) > (before[k] ?? 0)) this.scored(k);
    }

    private scored(k: number): void {
        const side = k === 0 ? texts.left : texts.right;
        this.services.announce(texts.point(side, this.score(0), this.score(1)));
        if (this.score(k) >= MATCH) {
            this.over = texts.won(side);
            this.running = false;
            this.services.announce(this.over);
        }
    }

    private restart(): void {
        this.over = '';
        this.running = false;
        void this.services.core.call<Float64Array>('pong.restart', {}).then((game) => { this.game = game; this.rest = 0; });
    }

    /** Makes options count. */
    private async apply(): Promise<void> {
        if (this.options.level > 0) this.lastLevel = this.options.level;
        this.applyTurning();
        this.sound.set(this.options.sound);
        await this.services.core.call('pong.speed', { speed: this.options.speed, max: 3.5 * this.options.speed });
    }

    /** Changes options: undo brings the old ones back. */
    private choose(change: Partial<Options>, tell: (o: Options) => string): void {
        this.history.push({ ...this.options, ...change });
        this.services.toast(tell(this.options));
    }

    private faster(by: number): void {
        this.choose({ speed: Math.max(6, Math.min(60, this.options.speed + by)) }, (o) => texts.speedIs(o.speed));
    }

    commands(): Command[] {
        const c = texts.commands;
        return [
            { id: 'pong.start', label: c.start, key: ' ', run: () => (this.over ? this.restart() : (this.running = !this.running)) },
            { id: 'pong.restart', label: c.restart, key: 'r', run: () => this.restart() },
            { id: 'pong.opponent', label: c.opponent, key: 'o', run: () =>
                this.choose({ level: (this.options.level % 3) + 1 }, (o) => texts.opponentIs(texts.levels[o.level] ?? '')) },
            { id: 'pong.players', label: c.players, key: '2', run: () =>
                this.choose({ level: this.options.level === 0 ? this.lastLevel : 0 }, (o) => (o.level === 0 ? texts.twoPlayers : texts.onePlayer)) },
            { id: 'pong.turning', label: c.turning, key: 't', run: () =>
                this.choose({ turning: ((this.options.turning + 1) % 3) as Turning }, (o) => texts.turningIs(texts.turnings[o.turning] ?? '')) },
            { id: 'pong.sound', label: c.sound, key: 'm', run: () => this.choose({ sound: !this.options.sound }, (o) => (o.sound ? texts.soundOn : texts.soundOff)) },
            { id: 'pong.faster', label: c.faster, key: '+', run: () => this.faster(3) },
            { id: 'pong.slower', label: c.slower, key: '-', run: () => this.faster(-3) },
            { id: 'pong.up', label: c.up, key: 'w', button: false, run: () => this.nudge(0, 1, 0) },
            { id: 'pong.down', label: c.down, key: 's', button: false, run: () => this.nudge(0, -1, 0) },
            { id: 'pong.turnLeft', label: c.turnLeft, key: 'a', button: false, run: () => this.nudge(0, 0, 0.2) },
            { id: 'pong.turnRight', label: c.turnRight, key: 'd', button: false, run: () => this.nudge(0, 0, -0.2) },
            { id: 'pong.up2', label: c.up2, key: 'ArrowUp', button: false, run: () => this.nudge(1, 1, 0) },
            { id: 'pong.down2', label: c.down2, key: 'ArrowDown', button: false, run: () => this.nudge(1, -1, 0) },
            { id: 'pong.turnLeft2', label: c.turnLeft2, key: 'ArrowLeft', button: false, run: () => this.nudge(1, 0, 0.2) },
            { id: 'pong.turnRight2', label: c.turnRight2, key: 'ArrowRight', button: false, run: () => this.nudge(1, 0, -0.2) },
        ];
    }
}

export function createRoom(): Room {
    return new PongRoom();
}
