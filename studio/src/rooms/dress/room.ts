/**
 * Dress the mannequin, the touch lab's costume designer [SQMap, 7]: a garment is cut, put on a figure of
 * superovoids, pinned and pulled. Figure and cloth are computed in the worker.
 */
import './dress.css';
import { anglesOf, attach, PARTS, pinnedAt, place, POSES, type PartPin, type Placed, type Pose } from '../../core/figure';
import { cut, CUTS, GARMENTS, type Garment } from '../../core/garments';
import type { Dressed, DressFrame, DressPick } from '../../core/handlers/dress';
import type { Vec3 } from '../../core/play';
import { terrainGltf, terrainObj } from '../../files/terrain';
import { zip } from '../../files/zip';
import { gestures } from '../../input/pointers';
import { button, element } from '../../shell/dom';
import type { Command, History, Room, Services } from '../../shell/room';
import { dress as texts } from '../../texts/dress';
import { DressView } from './view';

interface Wardrobe {
  garment: Garment;
  pose: Pose;
  length: number;
  width: number;
  pins: PartPin[];
}
type Measure = keyof typeof CUTS;

const REACH = 22; // px around a pin
const PULL = { far: 0.22, steps: 40 }; // m towards the eye, and for how long
const QUIET = 0.025; // m/s: a cloth that is slower is at rest
const REST = { least: 60, most: 720 }; // steps after which it may be, and is said to be
const STEPS = { second: 60, most: 4 }; // of the clock, and for one picture

const fresh = (garment: Garment, length: number, width: number, pose: Pose): Wardrobe => ({ garment, pose, length, width, pins: cut(garment, length, width).pins });

function isWardrobe(saved: unknown): boolean {
  const w = saved as Partial<Wardrobe> | null;
  const within = (name: Measure): boolean => Number.isFinite(w?.[name]) && w![name]! >= CUTS[name][0] && w![name]! <= CUTS[name][1];
  const isPin = (p: PartPin): boolean => Number.isInteger(p?.vertex) && p.vertex >= 0 && Boolean(PARTS[p.part]) &&
    Array.isArray(p.at) && p.at.length === 3 && p.at.every((x) => Math.abs(x) < 2);
  return typeof w === 'object' && w !== null && GARMENTS.includes(w.garment!) && POSES.includes(w.pose!) && within('length') && within('width') &&
    Array.isArray(w.pins) && w.pins.every(isPin);
}

class DressRoom implements Room {
  private services!: Services;
  private view!: DressView;
  private history!: History<Wardrobe>;
  private worn = ''; // garment and cut on the figure
  private vertices = 0;
  private parts: Placed[] = place(anglesOf('cross'));
  private hold: { through: Vec3; at: Vec3 } | 'wait' | 'view' | null = null;
  private pulls = 0;
  private pending = false;
  private making = 0;
  private frame = 0;
  private frames = 0;
  private since = 0; // steps since a hand or the document changed something
  private time = 0;
  private resting = false;
  private speed = 0;
  private readonly choices = new Map<string, HTMLButtonElement>();
  private readonly sliders = new Map<Measure, HTMLInputElement>();
  private readonly note = element('p', { className: 'note' });
  private readonly stop = new AbortController();

  async mount(host: HTMLElement, services: Services): Promise<void> {
    this.services = services;
    host.classList.add('dress');
    const stage = element('div', { className: 'stage' });
    const card = this.card();
    const cross = element('div', { className: 'cross', 'aria-hidden': 'true' });
    host.append(stage, cross, card);
    this.view = new DressView(stage, texts.stage);
    this.view.stage.fitted = ({ x, y }) => Object.assign(cross.style, { left: `${x}px`, top: `${y}px` });
    this.view.stage.around(card);
    this.history = services.history<Wardrobe>(fresh('poncho', 1, 1, 'stand'), 'dress', isWardrobe);
    this.listen();
    this.stop.signal.addEventListener('abort', this.history.subscribe(() => void this.apply()));
    await this.apply();
    this.tick();
  }

  unmount(): void {
    cancelAnimationFrame(this.frame);
    this.stop.abort();
    void this.services.core.call('dress.close', {});
    this.view.dispose();
  }

  state(): unknown {
    const w = this.history.value;
    return {
      json: JSON.stringify(w), ...w, vertices: this.vertices, frames: this.frames, speed: this.speed, resting: this.resting,
      hangs: this.making > 0 ? 0 : this.since / STEPS.second,
      holding: this.hold !== null && typeof this.hold === 'object', places: w.pins.map((p) => this.view.on(pinnedAt(this.parts, p))),
      parts: this.parts.map((p, i) => ({ name: PARTS[i]!.name, ...p, on: this.view.on(p.position) })),
    };
  }

  // ---- the card

  private card(): HTMLElement {
    const group = <T extends string>(label: string, names: readonly T[], said: Record<T, string>, choose: (name: T) => void): HTMLElement => {
      const buttons = names.map((name) => {
        const made = button(said[name], () => choose(name));
        this.choices.set(name, made);
        return made;
      });
      return element('div', { className: 'group', role: 'group', 'aria-label': label }, ...buttons);
    };
    const card = element('section', { className: 'panel card-cut' },
      group(texts.garment, GARMENTS, texts.garments, (name) => this.wear(name)), group(texts.pose, POSES, texts.poses, (name) => this.take(name)));
    for (const name of Object.keys(CUTS) as Measure[]) {
      const [min, max, step] = CUTS[name];
      const input = element('input', { type: 'range', min: String(min), max: String(max), step: String(step), 'aria-label': texts[name] });
      const output = element('output');
      input.addEventListener('input', () => (output.textContent = input.value));
      input.addEventListener('change', () => this.measure(name, Number(input.value)));
      this.sliders.set(name, input);
      card.append(element('label', {}, element('span', { text: texts[name] }), output, input));
    }
    card.append(this.note);
    return card;
  }

  private showCard(): void {
    const w = this.history.value;
    for (const [name, made] of this.choices) made.setAttribute('aria-pressed', String(name === w.garment || name === w.pose));
    for (const [name, input] of this.sliders) {
      input.value = String(w[name]);
      (input.previousElementSibling as HTMLElement).textContent = w[name].toFixed(2);
    }
    this.note.textContent = `${texts.worn(texts.garments[w.garment], this.vertices)}, ${texts.pins(w.pins.length)}`;
  }

  // ---- edits

  private change(change: Partial<Wardrobe>): void {
    this.history.push({ ...this.history.value, ...change });
  }

  private wear(garment: Garment): void {
    const w = this.history.value;
    this.history.push(fresh(garment, w.length, w.width, w.pose));
    this.services.announce(texts.garments[garment]);
  }

  private take(pose: Pose): void {
    this.change({ pose });
    this.services.announce(texts.posed(texts.poses[pose]));
  }

  private measure(name: Measure, value: number): void {
    const [min, max] = CUTS[name], w = { ...this.history.value, [name]: Math.round(100 * Math.min(max, Math.max(min, value))) / 100 };
    this.history.push(fresh(w.garment, w.length, w.width, w.pose));
  }

  /** Brings figure and cloth to what the document says. */
  private async apply(again = false): Promise<void> {
    const w = this.history.value, worn = `${w.garment} ${w.length} ${w.width}`, { core } = this.services;
    this.wake();
    if (worn !== this.worn || again) {
      this.worn = worn;
      this.making++;
      try {
        const made = await core.call<Dressed>('dress.wear', w);
        if (this.worn === worn) {
          this.vertices = made.vertices;
          this.view.wear(w.garment, made.triangles, made.vertices);
        }
      } finally {
        this.making--;
      }
    } else {
      void core.call('dress.pose', w);
      void core.call('dress.pins', w);
    }
    this.showCard();
  }

  // ---- hands

  private listen(): void {
    const off = gestures(this.view.stage.canvas, {
      hold: (at) => void this.pin(at.x, at.y),
      dragStart: (at, second) => {
        this.hold = second ? 'view' : 'wait';
        if (!second) void this.grab(at.x, at.y);
      },
      drag: (at, dx, dy) => {
        if (this.hold === 'view') this.view.stage.orbit(dx, dy);
        else if (this.hold && this.hold !== 'wait') this.hold.at = this.view.facing(at.x, at.y, this.hold.through) ?? this.hold.at;
      },
      dragEnd: () => this.letGo(),
      pinch: (m) => {
        this.view.stage.zoom(m.scale);
        this.view.stage.orbit(m.dx, m.dy);
      },
    });
    this.stop.signal.addEventListener('abort', off);
  }

  /** What is seen at a pixel: the cloth, or the figure in front of it, or nothing. */
  private async seen(x: number, y: number): Promise<{ vertex: number; at: Vec3 } | null> {
    const hit = await this.services.core.call<DressPick>('dress.pick', this.view.rayAt(x, y));
    const behind = hit.partHit && hit.clothHit && hit.partHit[3]! < hit.clothHit[3]! - 0.02;
    return hit.clothHit && !behind ? { vertex: hit.vertex, at: hit.clothHit.slice(0, 3) as Vec3 } : null;
  }

  private async grab(x: number, y: number): Promise<void> {
    const cloth = await this.seen(x, y);
    if (this.hold !== 'wait') return; // lifted in the meantime
    if (!cloth) {
      this.hold = 'view';
      return;
    }
    this.hold = { through: cloth.at, at: cloth.at };
    this.wake();
    void this.services.core.call('dress.grab', { vertex: cloth.vertex, at: cloth.at });
  }

  private letGo(): void {
    if (this.hold && typeof this.hold === 'object') void this.services.core.call('dress.letGo', {});
    this.hold = null;
    this.pulls = 0;
    this.wake();
  }

  /** Takes the pin under a pixel away, or pins the cloth there to the part that is nearest. */
  private async pin(x: number, y: number): Promise<void> {
    const w = this.history.value;
    const near = w.pins.find((p) => {
      const on = this.view.on(pinnedAt(this.parts, p));
      return Math.hypot(on.x - x, on.y - y) < REACH;
    });
    if (near) {
      this.change({ pins: w.pins.filter((p) => p !== near) });
      return this.services.toast(texts.unpinned);
    }
    const cloth = await this.seen(x, y);
    if (!cloth) return this.services.toast(texts.noCloth);
    const pin = attach(this.parts, cloth.vertex, cloth.at);
    this.change({ pins: [...this.history.value.pins.filter((p) => p.vertex !== cloth.vertex), pin] });
    this.services.toast(texts.pinned(PARTS[pin.part]!.name));
  }

  private get cross(): [number, number] {
    const { x, y } = this.view.stage.middle;
    return [x, y];
  }

  /** By key: the cloth at the cross comes towards the eye, and is let go. */
  private async pull(): Promise<void> {
    const cloth = await this.seen(...this.cross);
    if (!cloth) return this.services.toast(texts.noCloth);
    const eye = this.view.stage.camera.position, way = cloth.at.map((x, i) => eye.getComponent(i) - x), far = Math.hypot(...way);
    this.hold = { through: cloth.at, at: cloth.at.map((x, i) => x + (PULL.far * way[i]!) / far) as Vec3 };
    this.pulls = PULL.steps;
    this.wake();
    await this.services.core.call('dress.grab', { vertex: cloth.vertex, at: cloth.at });
  }

  // ---- time

  private wake(): void {
    this.since = 0;
    this.resting = false;
  }

  private tick(): void {
    this.frame = requestAnimationFrame((now) => {
      const steps = Math.min(STEPS.most, Math.max(1, Math.round(((now - this.time) / 1000) * STEPS.second)));
      if (!this.pending) this.time = now;
      if (!this.pending && this.making === 0 && !this.resting) void this.advance(steps);
      this.tick();
    });
  }

  private async advance(steps: number): Promise<void> {
    this.pending = true;
    const lead = this.hold && typeof this.hold === 'object' ? this.hold.at : null, worn = this.worn;
    try {
      const f = await this.services.core.call<DressFrame>('dress.frame', { steps, lead });
      if (worn === this.worn && this.making === 0) this.show(f, steps);
    } catch (error) {
      this.resting = true;
      this.services.toast((error as Error).message);
    } finally {
      this.pending = false;
    }
  }

  private show(f: DressFrame, steps: number): void {
    this.parts = this.parts.map((_, i) => {
      const row = [...f.parts.subarray(7 * i, 7 * i + 7)];
      return { position: row.slice(0, 3) as Vec3, rotation: row.slice(3) as Placed['rotation'] };
    });
    this.view.show(f.picture, f.parts, this.history.value.pins.map((p) => pinnedAt(this.parts, p)));
    this.speed = f.speed;
    this.frames++;
    this.since += steps;
    this.resting = this.hold === null && this.since > REST.least && (f.still ? f.speed < QUIET || this.since > REST.most : false);
    if (this.pulls > 0 && (this.pulls -= steps) <= 0) this.letGo();
  }

  // ---- files

  private async save(kind: 'scene' | 'gltf' | 'obj'): Promise<void> {
    const drape = await this.services.core.call<Float64Array>('dress.drape', {});
    const name = kind === 'scene' ? 'mannequin.zip' : `mannequin.${kind}`;
    const write = { obj: () => terrainObj(this.view.surface(drape)), gltf: () => terrainGltf(this.view.surface(drape)), scene: () => this.scene(drape) };
    this.services.saveFile(name, new Blob([write[kind]() as BlobPart]));
    this.services.announce(texts.saved(name));
  }

  /** What `ovoid simulate` reads: the figure as it stands, and the garment as it hangs. */
  private scene(drape: Float64Array): Uint8Array {
    const figure = this.parts.map((p, i) => {
      const { name, size, exponents, taper } = PARTS[i]!;
      return { name, kind: 'superovoid', semi_axes: size, exponents, taper, position: p.position, rotation: p.rotation, fixed: true };
    });
    const pins = this.history.value.pins.map((p) => p.vertex);
    const scene = {
      title: texts.title, time: [0, 2],
      bodies: [{ name: 'floor', kind: 'halfspace', normal: [0, 0, 1], offset: 0 }, ...figure],
      cloths: [{ name: this.history.value.garment, file: 'garment.obj', thickness: 0.008, density: 0.2, bending: 2e-5, damping: 2, friction: 0.6, pins }],
    };
    const file = (name: string, text: string): { name: string; data: Uint8Array } => ({ name, data: new TextEncoder().encode(text) });
    return zip([file('scene.json', `${JSON.stringify(scene, null, 1)}\n`), file('garment.obj', terrainObj(this.view.garment(drape)))]);
  }

  commands(): Command[] {
    const c = texts.commands, stage = this.view.stage, w = (): Wardrobe => this.history.value;
    const next = <T>(list: readonly T[], now: T): T => list[(list.indexOf(now) + 1) % list.length]!;
    const command = (id: keyof typeof c, key: string, run: () => void, shown = true): Command => ({ id: `dress.${id}`, label: c[id], key, run, button: shown });
    const resize = (id: keyof typeof c, key: string, name: Measure, way: number): Command =>
      command(id, key, () => this.measure(name, w()[name] + way * 2 * CUTS[name][2]), false);
    return [
      command('back', 't', () => (location.hash = '#/touch')),
      command('garment', 'g', () => this.wear(next(GARMENTS, w().garment))),
      command('pose', 'p', () => this.take(next(POSES, w().pose))),
      command('pin', 'n', () => void this.pin(...this.cross)),
      command('pull', 'u', () => void this.pull()),
      command('unpin', 'r', () => this.change({ pins: [] })),
      command('again', 'a', () => void this.apply(true)),
      resize('longer', 'l', 'length', 1), resize('shorter', 'k', 'length', -1), resize('wider', 'w', 'width', 1), resize('narrower', 's', 'width', -1),
      command('scene', 'j', () => void this.save('scene')),
      command('gltf', 'f', () => void this.save('gltf')),
      command('obj', 'o', () => void this.save('obj')),
      command('turnLeft', 'ArrowLeft', () => stage.orbit(20, 0), false), command('turnRight', 'ArrowRight', () => stage.orbit(-20, 0), false),
      command('lookUp', 'ArrowUp', () => stage.orbit(0, 20), false), command('lookDown', 'ArrowDown', () => stage.orbit(0, -20), false),
      command('closer', '+', () => stage.zoom(1.2), false), command('further', '-', () => stage.zoom(1 / 1.2), false),
    ];
  }
}

export function createRoom(): Room {
  return new DressRoom();
}
