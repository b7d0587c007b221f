/**
 * The touch lab [SQMap, 7]: an object, its distance map, and a ball that feels it. The worker is the
 * device's loop at 1 kHz; here are the hand, the picture, sound, words, and the guessing game.
 */
import './touch.css';
import { seeded } from '../../core/random';
import { OBJECTS, PERIOD, type Felt, type Made, type Vec3 } from '../../core/touch';
import { gestures } from '../../input/pointers';
import { button, element } from '../../shell/dom';
import type { Command, History, Room, Services } from '../../shell/room';
import { touch as texts } from '../../texts/touch';
import { Plot } from '../query/plot';
import { ForceSound } from './sound';
import { TouchView } from './view';

const RADIUS = 0.004; // m, of the ball
const STEP = 0.001; // m per press of a key
const YIELD = 0.012; // m: a hand that is pushed back further than this gives way
const FIELD = 0.075; // m: as far from the middle as the hand goes
const HOME: Vec3 = [0, 0, 0.06];
const VERTICES = 8000; // flat enough that 1 mm is felt as 1 mm to some per cent
const KEPT = 3; // s of the plot
const THIN = 10; // samples per point of the plot

interface Options {
  object: number;
  stiffness: number;
  friction: number;
  press: number; // mm, of a finger on the screen
  sound: boolean;
}

const RANGES = { stiffness: [100, 2000, 50], friction: [0, 1, 0.05], press: [0.5, 5, 0.5] } as const;
type Range = keyof typeof RANGES;

function isOptions(saved: unknown): boolean {
  const o = saved as Partial<Options> | null;
  const within = (name: Range): boolean => Number.isFinite(o?.[name]) && o![name]! >= RANGES[name][0] && o![name]! <= RANGES[name][1];
  return typeof o === 'object' && o !== null && Number.isInteger(o.object) && o.object! >= 0 && o.object! < OBJECTS.length &&
    within('stiffness') && within('friction') && within('press') && typeof o.sound === 'boolean';
}

const size = (v: Vec3): number => Math.hypot(...v);

class TouchRoom implements Room {
  private services!: Services;
  private view!: TouchView;
  private history!: History<Options>;
  private options: Options = { object: 0, stiffness: 500, friction: 0.3, press: 2, sound: false };
  private readonly sound = new ForceSound();
  private readonly plot = new Plot(texts.plot);
  private readonly big = element('p', { className: 'big', text: texts.force(0) });
  private readonly relation = element('p', { className: 'relation', text: texts.free });
  private readonly notice = element('p', { className: 'notice' });
  private readonly cells = new Map<string, HTMLElement>();
  private readonly sliders = new Map<Range, HTMLInputElement>();
  private readonly picker = element('select', { 'aria-label': texts.commands.object });
  private readonly answers = element('div', { className: 'answers' });
  private readonly stop = new AbortController();
  private readonly chance = seeded(Date.now());
  private device: Vec3 = [...HOME];
  private felt: (Felt & { rate: number }) | null = null;
  private made: Made | null = null;
  private making = 0;
  private inside = -1; // the object that is mapped
  private secret: number | null = null;
  private game = { won: 0, of: 0 };
  private trace: number[] = [];
  private pending = false;
  private lifts = 0;
  private phase = 0; // samples since the last point of the plot
  private speak = false;
  private time = 0;
  private rested = 0; // s since the hand or the force last changed
  private frame = 0;
  private orbiting = false;

  async mount(host: HTMLElement, services: Services): Promise<void> {
    this.services = services;
    host.classList.add('touch');
    const stage = element('div', { className: 'stage' });
    host.append(stage);
    this.view = new TouchView(stage, texts.stage);
    const cards = [this.forceCard(), this.feelCard()];
    host.append(...cards);
    this.view.stage.around(...cards);
    this.listen();
    this.history = services.history<Options>(this.options, 'touch', isOptions);
    this.options = { ...this.history.value };
    // the room is there while its map is made
    this.apply().catch((error: Error) => services.toast(error.message));
    this.stop.signal.addEventListener('abort', this.history.subscribe((options) => {
      this.options = { ...options };
      void this.apply();
    }));
    this.frame = requestAnimationFrame((t) => this.tick(t));
  }

  unmount(): void {
    cancelAnimationFrame(this.frame);
    this.stop.abort();
    this.sound.close();
    this.view.dispose();
  }

  state(): unknown {
    return {
      options: { ...this.options }, device: [...this.device], guessing: this.secret !== null, secret: this.secret, game: { ...this.game },
      felt: this.felt ? { ...this.felt, trace: undefined, newtons: size(this.felt.force) } : null,
      plotted: [...this.trace], ready: this.ready, radius: RADIUS, on: this.view.project(this.device), eye: this.view.stage.camera.position.toArray(),
      map: this.made ? { bytes: this.made.bytes, bricks: this.made.bricks, milliseconds: this.made.milliseconds } : null,
    };
  }

  // ---- what there is on the screen

  private forceCard(): HTMLElement {
    const table = element('table');
    for (const name of [texts.depth, texts.normal, texts.friction, texts.map, texts.rate]) {
      const cell = element('td', { text: '–' });
      this.cells.set(name, cell);
      table.append(element('tr', {}, element('th', { text: name }), cell));
    }
    return element('section', { className: 'panel card-force' }, this.big, this.relation, this.plot.canvas, table, this.notice);
  }

  private feelCard(): HTMLElement {
    texts.objects.forEach((name, i) => this.picker.append(element('option', { value: String(i), text: name })));
    this.picker.addEventListener('change', () => this.change({ object: Number(this.picker.value) }));
    const card = element('section', { className: 'panel card-feel' }, this.picker, this.answers);
    texts.objects.forEach((name, i) => this.answers.append(button(texts.commands.answer(name), () => this.answer(i), 'tool', `${i + 1} ${name}`)));
    const labels: Record<Range, string> = { stiffness: texts.stiffness, friction: texts.frictionOf, press: texts.press };
    for (const name of Object.keys(RANGES) as Range[]) {
      const [min, max, step] = RANGES[name];
      const input = element('input', { type: 'range', min: String(min), max: String(max), step: String(step), 'aria-label': labels[name] });
      const output = element('output');
      input.addEventListener('input', () => (output.textContent = input.value));
      input.addEventListener('change', () => this.change({ [name]: Number(input.value) }));
      this.sliders.set(name, input);
      card.append(element('label', {}, element('span', { text: labels[name] }), output, input));
    }
    return card;
  }

  private showOptions(): void {
    const guessing = this.secret !== null;
    this.picker.hidden = guessing;
    this.answers.hidden = !guessing;
    this.picker.value = String(this.options.object);
    for (const [name, input] of this.sliders) {
      input.value = String(this.options[name]);
      (input.previousElementSibling as HTMLElement).textContent = String(this.options[name]);
    }
    const told = guessing ? texts.hidden : this.game.of > 0 ? texts.score(this.game.won, this.game.of) : '';
    this.notice.textContent = this.making > 0 ? texts.building : told;
    this.view.hide(guessing);
  }

  private showForce(): void {
    const f = this.felt;
    if (!f) return;
    this.big.textContent = texts.force(size(f.force));
    this.relation.textContent = !f.contact ? texts.free : f.sticking ? texts.sticks : texts.slides;
    this.relation.classList.toggle('contact', f.contact);
    const cell = (name: string, text: string): void => { this.cells.get(name)!.textContent = text; };
    cell(texts.depth, texts.millimetres(f.depth));
    cell(texts.normal, texts.force(size(f.normalForce)));
    cell(texts.friction, texts.force(size(f.friction)));
    cell(texts.rate, texts.rateIs(f.rate / 1000));
    if (this.made) cell(texts.map, texts.mapIs(this.made.bytes / 1000, this.made.bricks));
    this.plot.draw(this.trace, texts.noForce);
  }

  // ---- objects and how they feel

  private get wanted(): number {
    return this.secret ?? this.options.object;
  }

  /** Is the object that is wanted there to be felt? */
  private get ready(): boolean {
    return this.making === 0 && this.inside === this.wanted;
  }

  private async apply(): Promise<void> {
    const { core } = this.services, wanted = this.wanted;
    await core.call('touch.feel', { stiffness: this.options.stiffness, friction: this.options.friction, radius: RADIUS });
    this.sound.set(this.options.sound);
    if (this.inside !== wanted) {
      this.inside = wanted;
      this.making++;
      this.showOptions();
      try {
        const made = await core.call<Made>('touch.make', { object: wanted, vertices: VERTICES });
        if (this.inside === wanted) {
          this.made = made;
          this.view.show(made.mesh);
          this.home();
        }
      } finally {
        this.making--;
      }
    }
    this.showOptions();
    this.rested = 0;
  }

  private change(change: Partial<Options>): void {
    this.history.push({ ...this.options, ...change });
  }

  // ---- the hand

  private listen(): void {
    const off = gestures(this.view.stage.canvas, {
      tap: (at) => this.fingerDown(at.x, at.y),
      dragStart: (at, second) => {
        this.orbiting = second;
        if (!second) this.fingerDown(at.x, at.y);
      },
      drag: (at, dx, dy) => (this.orbiting ? this.view.stage.orbit(dx, dy) : this.finger(at.x, at.y)),
      pinch: (m) => {
        this.view.stage.zoom(m.scale);
        this.view.stage.orbit(m.dx, m.dy);
      },
    });
    this.stop.signal.addEventListener('abort', off);
  }

  /** A finger comes from above: the ball does not go through the object on its way there. */
  private fingerDown(x: number, y: number): void {
    this.lift();
    this.finger(x, y);
  }

  private finger(x: number, y: number): void {
    this.moveTo(this.view.finger(x, y, RADIUS, this.options.press / 1000));
  }

  private moveTo(to: Vec3): void {
    const far = size(to) / FIELD;
    this.device = far > 1 ? (to.map((x) => x / far) as Vec3) : to;
    this.rested = 0;
  }

  private nudge(axis: number, way: number): void {
    const to: Vec3 = [...this.device];
    to[axis] = to[axis]! + way * STEP;
    this.speak = true;
    this.moveTo(to);
  }

  private home(): void {
    this.device = [...HOME];
    this.lift();
  }

  private lift(): void {
    this.felt = null;
    this.rested = 0;
    this.lifts++;
    void this.services.core.call('touch.lift', {});
  }

  // ---- time

  private tick(now: number): void {
    this.frame = requestAnimationFrame((t) => this.tick(t));
    const passed = Math.min(0.1, this.time > 0 ? (now - this.time) / 1000 : PERIOD);
    if (this.pending || !this.ready || this.rested > KEPT || passed < PERIOD) return;
    this.time = now;
    this.rested += passed;
    void this.advance(Math.max(1, Math.round(passed / PERIOD)));
  }

  private async advance(steps: number): Promise<void> {
    this.pending = true;
    const speak = this.speak, lifts = this.lifts, to: Vec3 = [...this.device];
    this.speak = false; // what is asked for from here on is for the next force
    let f: Felt & { rate: number };
    try {
      f = await this.services.core.call<Felt & { rate: number }>('touch.lead', { to, steps });
    } catch (error) {
      this.rested = 2 * KEPT; // it stays at rest until the hand moves again
      this.services.toast((error as Error).message);
      return;
    } finally {
      this.pending = false;
    }
    if (lifts !== this.lifts) { // the ball is elsewhere by now
      this.speak ||= speak;
      return;
    }
    if (!this.felt || Math.abs(size(f.force) - size(this.felt.force)) > 1e-3) this.rested = 0;
    this.felt = f;
    this.keep(f.trace);
    this.giveWay(f);
    this.sound.play(size(f.force));
    this.view.place(this.device, f, RADIUS);
    this.showForce();
    if (speak) this.services.announce(this.describe());
  }

  private keep(trace: Float64Array): void {
    for (const newtons of trace) if (++this.phase % THIN === 0) this.trace.push(newtons);
    this.trace.splice(0, Math.max(0, this.trace.length - KEPT / PERIOD / THIN));
  }

  /** A hand is no vice: pushed back too far, it follows the ball. */
  private giveWay(f: Felt): void {
    const off = this.device.map((x, i) => x - f.ball[i]!) as Vec3, far = size(off) / YIELD;
    if (f.contact && far > 1) this.device = f.ball.map((x, i) => x + off[i]! / far) as Vec3;
  }

  /** What a person hears who does not see it. */
  private describe(): string {
    const f = this.felt;
    if (!f?.contact) return texts.away;
    const sides = f.normal.map((x, axis) => ({ x, word: texts.sides[axis]![x < 0 ? 0 : 1] }))
      .filter(({ x }) => Math.abs(x) > 0.38).sort((a, b) => Math.abs(b.x) - Math.abs(a.x));
    return texts.touched(size(f.force), sides.map((s) => s.word).join(' '));
  }

  private where(): void {
    const [x, y, z] = (this.felt?.ball ?? this.device).map((v) => 1000 * v) as Vec3;
    this.services.toast(`${texts.where(x, y, z)}. ${this.describe()}`);
  }

  // ---- the guessing game

  private guess(): void {
    this.secret = Math.floor(this.chance() * OBJECTS.length);
    this.services.announce(texts.hidden);
    this.inside = -1; // even the same object is made again: the time it takes must not tell
    void this.apply();
  }

  private answer(object: number): void {
    const secret = this.secret;
    if (secret === null || !this.ready) return;
    this.secret = null;
    this.game.of++;
    if (object === secret) this.game.won++;
    const { won, of } = this.game, name = texts.objects[secret]!;
    this.services.toast(object === secret ? texts.right(name, won, of) : texts.wrong(texts.objects[object]!, name, won, of));
    if (this.options.object === secret) this.showOptions();
    else this.change({ object: secret });
  }

  commands(): Command[] {
    const c = texts.commands, stage = this.view.stage;
    const lead = (id: string, label: string, key: string, axis: number, way: number): Command =>
      ({ id: `touch.${id}`, label, key, button: false, run: () => this.nudge(axis, way) });
    return [
      { id: 'touch.object', label: c.object, key: 'o', enabled: () => this.secret === null, run: () => this.change({ object: (this.options.object + 1) % OBJECTS.length }) },
      { id: 'touch.guess', label: c.guess, key: 'g', enabled: () => this.ready, run: () => this.guess() },
      { id: 'touch.sound', label: c.sound, key: 'm', run: () => {
        this.change({ sound: !this.options.sound });
        this.services.toast(this.options.sound ? texts.soundOn : texts.soundOff);
      } },
      { id: 'touch.where', label: c.where, key: 'i', run: () => this.where() },
      { id: 'touch.dress', label: c.dress, key: 'd', run: () => (location.hash = '#/dress') },
      { id: 'touch.home', label: c.home, key: 'Home', run: () => this.home() },
      lead('left', c.left, 'ArrowLeft', 0, -1), lead('right', c.right, 'ArrowRight', 0, 1),
      lead('up', c.up, 'ArrowUp', 2, 1), lead('down', c.down, 'ArrowDown', 2, -1),
      lead('away', c.away, 'PageUp', 1, 1), lead('near', c.near, 'PageDown', 1, -1),
      { id: 'touch.turnLeft', label: c.turnLeft, key: 'q', button: false, run: () => stage.orbit(20, 0) },
      { id: 'touch.turnRight', label: c.turnRight, key: 'e', button: false, run: () => stage.orbit(-20, 0) },
      { id: 'touch.closer', label: c.closer, key: '+', button: false, run: () => stage.zoom(1.2) },
      { id: 'touch.further', label: c.further, key: '-', button: false, run: () => stage.zoom(1 / 1.2) },
      ...texts.objects.map((name, i): Command =>
        ({ id: `touch.answer${i + 1}`, label: c.answer(name), key: String(i + 1), button: false, enabled: () => this.secret !== null, run: () => this.answer(i) })),
    ];
  }
}

export function createRoom(): Room {
  return new TouchRoom();
}
