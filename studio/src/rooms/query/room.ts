/** The query lab: bodies to drag, turn and reshape, and what the library proves about their gaps. */
import { Quaternion, Vector3 } from 'three';
import './query.css';
import { KINDS, type Body, type Contact, type Kind } from '../../core/query';
import type { Solved } from '../../core/handlers/query';
import { gestures } from '../../input/pointers';
import { button, element } from '../../shell/dom';
import type { Command, History, Room, Services } from '../../shell/room';
import { query as texts } from '../../texts/query';
import { Plot } from './plot';
import { asKind, BODIES_MAX, fresh, fromJson, fromLink, isScene, start, toJson, toLink, type SceneDocument } from './scene';
import { colourOf, QueryView } from './view';

const VERTICES = 1500;
const STEP = 0.1;
type Slider = { input: HTMLInputElement; output: HTMLOutputElement; row: HTMLElement; get(b: Body): number; set(b: Body, v: number): Body; shown(b: Body): boolean };

const number = (v: number): string => (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5 ? v.toFixed(6) : v === 0 ? '0' : v.toExponential(3));
const triple = (v: readonly number[]): string => v.map((x) => x.toFixed(4)).join(' ');

class QueryRoom implements Room {
  private services!: Services;
  private view!: QueryView;
  private history!: History<SceneDocument>;
  private solved: Solved | null = null;
  private answered = 0;
  private asked = 0;
  private turning = false;
  private showPath = true;
  private showArrows = true;
  private through = false;
  private fresh = true;
  private dragged: { index: number; from: Vector3 } | null = null;
  private plotted: ArrayLike<number> = [];
  private stops: (() => void)[] = [];
  private readonly big = element('p', { className: 'big' });
  private readonly relation = element('span', { className: 'relation' });
  private readonly table = element('table');
  private readonly list = element('div', { className: 'list', role: 'group', 'aria-label': texts.bodies });
  private readonly kind = element('select', { 'aria-label': texts.kind });
  private readonly note = element('p', { className: 'note', role: 'status' });
  private readonly plot = new Plot(texts.plot);
  private readonly sliders: Slider[] = [];

  async mount(host: HTMLElement, services: Services): Promise<void> {
    this.services = services;
    host.classList.add('query');
    const stage = element('div', { className: 'stage' });
    host.append(stage, this.numbersCard(), this.sidePanel());
    this.view = new QueryView(stage);
    this.view.stage.canvas.setAttribute('aria-label', texts.bodies);
    this.history = services.history(start, 'query', isScene);
    this.stops.push(this.history.subscribe(() => void this.solve()));
    this.openLink();
    this.listen();
    await this.solve();
  }

  unmount(): void {
    for (const stop of this.stops) stop();
    this.view.dispose();
  }

  state(): unknown {
    return {
      document: this.doc, json: toJson(this.doc), contacts: this.solved?.contacts, dents: this.solved?.dents, faults: this.solved?.faults, settled: this.answered === this.asked,
      path: this.solved ? [...this.solved.path] : [], derivatives: this.solved?.derivatives, microseconds: this.solved?.microseconds, turning: this.turning,
      plot: Array.from(this.plotted), frames: this.view.stage.frames, screen: this.doc.bodies.map((b) => this.view.stage.project(new Vector3(...b.position))),
    };
  }

  private get doc(): SceneDocument {
    return this.history.value;
  }
  private get body(): Body {
    return this.doc.bodies[this.doc.selected] ?? this.doc.bodies[0]!;
  }

  // ---- what there is on the screen

  private numbersCard(): HTMLElement {
    return element('section', { className: 'panel card-numbers', 'aria-label': texts.contact }, this.big, this.relation, element('div', { className: 'fine' }, this.table));
  }

  private sidePanel(): HTMLElement {
    for (const kind of KINDS) this.kind.append(element('option', { value: kind, text: texts.kinds[kind] }));
    this.kind.addEventListener('change', () => this.edit((b) => asKind(b, this.kind.value as Kind)));
    const long = (b: Body): boolean => b.kind === 'capsule' || b.kind === 'cylinder' || b.kind === 'cone';
    const solid = (b: Body): boolean => b.kind !== 'halfspace';
    const axis = (i: 0 | 1 | 2, b: Body, v: number): Body => {
      const size: Body['size'] = [...b.size];
      size[i] = v;
      if (b.kind === 'sphere') size.fill(v);
      if (long(b) && i === 0) size[1] = v;
      return { ...b, size };
    };
    const smooth = (b: Body): boolean => b.kind === 'superellipsoid' || b.kind === 'superovoid';
    const pairOf = (key: 'exponents' | 'taper', i: 0 | 1, b: Body, v: number): Body => {
      const next: [number, number] = [...b[key]];
      next[i] = v;
      return { ...b, [key]: next };
    };
    const sliders = [
      this.slider(texts.sizeX, 0.1, 3, 0.01, (b) => b.size[0], (b, v) => axis(0, b, v), solid),
      this.slider(texts.sizeY, 0.1, 3, 0.01, (b) => b.size[1], (b, v) => axis(1, b, v), (b) => solid(b) && !long(b) && b.kind !== 'sphere'),
      this.slider(texts.sizeZ, 0.1, 3, 0.01, (b) => b.size[2], (b, v) => axis(2, b, v), (b) => solid(b) && b.kind !== 'sphere'),
      this.slider(texts.e1, 0.02, 2, 0.01, (b) => b.exponents[0], (b, v) => pairOf('exponents', 0, b, v), smooth),
      this.slider(texts.e2, 0.02, 2, 0.01, (b) => b.exponents[1], (b, v) => pairOf('exponents', 1, b, v), smooth),
      this.slider(texts.tx, -0.95, 0.95, 0.01, (b) => b.taper[0], (b, v) => pairOf('taper', 0, b, v), (b) => b.kind === 'superovoid'),
      this.slider(texts.ty, -0.95, 0.95, 0.01, (b) => b.taper[1], (b, v) => pairOf('taper', 1, b, v), (b) => b.kind === 'superovoid'),
    ];
    return element('aside', { className: 'panel side', 'aria-label': texts.body }, this.list, this.kind, this.note, ...sliders, element('div', { className: 'small', text: texts.plot }), this.plot.canvas);
  }

  private slider(label: string, min: number, max: number, step: number, get: Slider['get'], set: Slider['set'], shown: Slider['shown']): HTMLElement {
    const input = element('input', { type: 'range', min: String(min), max: String(max), step: String(step), 'aria-label': label });
    const output = element('output');
    const row = element('label', {}, element('span', { text: label }), output, input);
    let sliding = false;
    input.addEventListener('input', () => {
      this.edit((b) => set(b, Number(input.value)), sliding);
      sliding = true;
    });
    input.addEventListener('change', () => (sliding = false));
    this.sliders.push({ input, output, row, get, set, shown });
    return row;
  }

  private show(): void {
    const d = this.doc, s = this.solved;
    if (!s) return;
    const chosen = s.contacts.find((c) => c.a === Math.min(...d.pair) && c.b === Math.max(...d.pair)) ?? null;
    const clashing = new Set(s.contacts.filter((c) => c.relation === 3).flatMap((c) => [c.a, c.b]));
    this.view.place(d.bodies, s.meshes, d.selected, this.through || this.showPath && clashing.size > 0, clashing);
    this.view.mark(s.contacts, chosen, this.showPath ? s.path : null, this.showArrows ? s.derivatives : null, d.bodies);
    this.showNumbers(chosen, s);
    this.showPanel(s);
  }

  private showNumbers(c: Contact | null, s: Solved): void {
    this.table.replaceChildren();
    if (!c || c.status < 0) {
      this.big.textContent = '—';
      this.relation.textContent = c?.message ?? '';
      return;
    }
    const relation = texts.relations[c.relation] ?? '';
    this.big.textContent = number(c.gap);
    this.relation.textContent = relation;
    this.relation.className = `relation ${relation}`;
    const row = (name: string, value: string): void => this.table.append(element('tr', {}, element('th', { scope: 'row', text: name }), element('td', { text: value })));
    row(texts.bounds, `${c.lower.toPrecision(12)}`);
    row('', `${c.upper.toPrecision(12)}`);
    row(texts.width, (c.upper - c.lower).toExponential(1));
    row(texts.pointA, triple(c.pointA));
    row(texts.pointB, triple(c.pointB));
    row(texts.normal, triple(c.normal));
    row(texts.status, c.status === 0 ? 'solved' : c.message);
    row(texts.iterations, String(c.iterations));
    row(texts.time, `${s.microseconds.toFixed(1)} µs`);
  }

  private showPanel(s: Solved): void {
    const d = this.doc, body = this.body;
    this.list.replaceChildren(...d.bodies.map((b, i) => {
      const made = button(b.name, () => this.select(i), '', '');
      const swatch = element('span', { className: 'swatch' });
      swatch.style.background = colourOf(i);
      made.append(swatch, b.name);
      made.setAttribute('aria-pressed', String(i === d.selected));
      return made;
    }));
    this.kind.value = body.kind;
    for (const x of this.sliders) {
      x.row.hidden = !x.shown(body);
      x.input.value = String(x.get(body));
      x.output.textContent = x.get(body).toFixed(2);
    }
    const fault = s.faults[d.selected], dent = s.dents[d.selected] ?? 0;
    this.note.textContent = fault ? texts.refused(fault) : dent > 0 ? texts.dent(dent.toPrecision(2)) : '';
    this.note.hidden = this.note.textContent === '';
    this.plot.draw(this.plotted, texts.plotEmpty);
  }

  // ---- documents

  private async solve(): Promise<void> {
    const d = this.doc, ask = ++this.asked;
    const solved = await this.services.core.latest<Solved>('query', 'query.solve', { bodies: d.bodies, pair: d.pair, vertices: VERTICES, fresh: this.fresh, details: true });
    if (!solved) return;
    this.fresh = false;
    this.solved = solved;
    this.answered = Math.max(this.answered, ask);
    this.show();
  }

  private push(next: SceneDocument, merge = false): void {
    this.history.push(next, merge);
  }

  private edit(change: (b: Body) => Body, merge = false, index = this.doc.selected): void {
    const bodies = this.doc.bodies.map((b, i) => (i === index ? change(b) : b));
    this.push({ ...this.doc, bodies }, merge);
  }

  /** The body to work on; the pair becomes this one and the one before. */
  private select(index: number): void {
    const d = this.doc;
    if (index === d.selected && d.bodies.length < 3) return;
    const other = d.pair.includes(index) ? d.pair.find((i) => i !== index)! : d.selected !== index ? d.selected : d.pair[0];
    this.push({ ...d, selected: index, pair: d.bodies.length > 1 ? [other, index] : [0, 0] }, true);
  }

  private replace(next: SceneDocument): void {
    this.fresh = true;
    this.plotted = [];
    this.push(next);
    this.services.toast(texts.opened(next.bodies.length));
  }

  async drop(file: File): Promise<void> {
    if (file.size > 2e6) throw new Error(texts.tooLarge);
    this.replace(fromJson(await file.text()));
  }

  private openLink(): void {
    const code = /[?&]scene=([\w-]+)/.exec(location.hash)?.[1];
    if (!code) return;
    try {
      this.push(fromLink(code));
    } catch (error) {
      this.services.toast((error as Error).message);
    }
    window.history.replaceState(null, '', '#/query');
  }

  private async link(): Promise<void> {
    window.history.replaceState(null, '', `#/query?scene=${toLink(this.doc)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      this.services.toast(texts.copied);
    } catch {
      this.services.toast(texts.linkInBar);
    }
  }

  // ---- hands

  private listen(): void {
    const { stage } = this.view;
    let orbiting = false, second = false, begun = false, pinched = -1;
    this.stops.push(gestures(stage.canvas, {
      tap: (at) => {
        const hit = this.view.pick(at.x, at.y);
        if (hit >= 0) this.select(hit);
      },
      doubleTap: (at) => {
        const hit = this.view.pick(at.x, at.y);
        if (hit >= 0) this.select(hit);
        this.focus(hit >= 0);
      },
      hold: (at) => {
        const hit = this.view.pick(at.x, at.y);
        if (hit < 0) return;
        this.select(hit);
        this.toggleTurning();
      },
      dragStart: (at, other) => {
        const hit = this.view.pick(at.x, at.y);
        second = other;
        orbiting = hit < 0;
        begun = false;
        if (hit >= 0) {
          this.select(hit);
          this.dragged = { index: hit, from: new Vector3(...this.doc.bodies[hit]!.position) };
        }
      },
      drag: (_at, dx, dy) => {
        if (orbiting) return second ? stage.pan(dx, dy) : stage.orbit(dx, dy);
        if (this.turning !== second) this.turnBy(dx, dy, begun);
        else this.moveBy(stage.plane(dx, dy, new Vector3(...this.body.position)), begun);
        begun = true;
      },
      dragEnd: () => void this.endDrag(),
      pinchStart: (at) => {
        pinched = this.view.pick(at.x, at.y);
        begun = false;
        if (pinched >= 0) this.select(pinched);
      },
      pinch: (m) => {
        if (pinched < 0) {
          stage.zoom(m.scale);
          stage.pan(m.dx, m.dy);
          return;
        }
        const axis = new Vector3().subVectors(stage.camera.position, stage.target).normalize();
        this.edit((b) => scaled(turned(b, axis, -m.turn), m.scale), begun);
        begun = true;
      },
      pinchEnd: () => (pinched = -1),
    }));
  }

  private toggleTurning(): void {
    this.turning = !this.turning;
    this.services.toast(this.turning ? texts.turning : texts.moving);
  }

  private moveBy(v: Vector3, merge = false): void {
    this.edit((b) => ({ ...b, position: [b.position[0] + v.x, b.position[1] + v.y, b.position[2] + v.z] }), merge);
  }

  private turnBy(dx: number, dy: number, merge = false): void {
    const e = this.view.stage.camera.matrixWorld.elements;
    const axis = new Vector3(e[0]! * dy + e[4]! * dx, e[1]! * dy + e[5]! * dx, e[2]! * dy + e[6]! * dx);
    const angle = axis.length() * 0.01;
    if (angle > 0) this.edit((b) => turned(b, axis.normalize(), angle), merge);
  }

  /** The gap along the line from where a body was to where it is now. */
  private async endDrag(): Promise<void> {
    const d = this.dragged;
    this.dragged = null;
    if (!d || this.doc.bodies.length < 2) return;
    const body = this.doc.bodies[d.index]!, other = this.doc.pair.find((i) => i !== d.index) ?? 0;
    const way = d.from.clone().sub(new Vector3(...body.position));
    if (way.length() < 1e-9) return;
    try {
      const back = await this.services.core.call<Float64Array>('query.drag', { pair: [other, d.index], way: way.toArray(), count: 160 });
      this.plotted = Array.from(back).reverse();
      const chosen = this.solved?.contacts.find((c) => [c.a, c.b].includes(d.index));
      if (chosen) this.services.announce(texts.announce(texts.relations[chosen.relation] ?? '', number(chosen.gap)));
      this.show();
    } catch (error) {
      this.services.toast((error as Error).message);
    }
  }

  private focus(near: boolean): void {
    const at = near ? new Vector3(...this.body.position) : new Vector3();
    this.view.stage.look(at, near ? 5 : 9);
  }

  private add(): void {
    const d = this.doc;
    if (d.bodies.length >= BODIES_MAX) return;
    const kinds: Kind[] = ['ellipsoid', 'box', 'superovoid', 'capsule', 'cylinder', 'superellipsoid', 'cone', 'sphere', 'halfspace'];
    const bodies = [...d.bodies, fresh(kinds[(d.bodies.length - 2 + 9) % 9]!, d.bodies.length)];
    this.push({ bodies, selected: bodies.length - 1, pair: [d.selected, bodies.length - 1] });
  }

  private remove(): void {
    const d = this.doc;
    const bodies = d.bodies.filter((_b, i) => i !== d.selected);
    this.fresh = true;
    this.push({ bodies, selected: 0, pair: [0, Math.min(1, bodies.length - 1)] });
  }

  private nextPair(): void {
    const d = this.doc, pairs = this.solved?.contacts ?? [];
    const at = pairs.findIndex((c) => d.pair.includes(c.a) && d.pair.includes(c.b));
    const next = pairs[(at + 1) % Math.max(1, pairs.length)];
    if (next) this.push({ ...d, pair: [next.a, next.b], selected: next.b }, true);
  }

  commands(): Command[] {
    const c = texts.commands, stage = this.view.stage;
    const step = (x: number, y: number) => () => (this.turning ? this.turnBy(10 * x, -10 * y) : this.moveBy(stage.plane(60 * STEP * x * 5, -60 * STEP * y * 5, new Vector3(...this.body.position))));
    const depth = (s: number) => () => this.moveBy(new Vector3().subVectors(stage.target, stage.camera.position).normalize().multiplyScalar(s * STEP));
    const view = new Vector3().subVectors(stage.camera.position, stage.target).normalize();
    return [
      { id: 'query.add', label: c.add, key: 'a', run: () => this.add(), enabled: () => this.doc.bodies.length < BODIES_MAX },
      { id: 'query.remove', label: c.remove, key: 'Delete', run: () => this.remove(), enabled: () => this.doc.bodies.length > 1 },
      { id: 'query.next', label: c.next, key: 'n', run: () => this.select((this.doc.selected + 1) % this.doc.bodies.length) },
      { id: 'query.pair', label: c.pair, key: 'p', run: () => this.nextPair() },
      { id: 'query.mode', label: c.mode, key: 't', run: () => this.toggleTurning() },
      { id: 'query.path', label: c.path, key: 'i', run: () => { this.showPath = !this.showPath; this.show(); } },
      { id: 'query.arrows', label: c.arrows, key: 'd', run: () => { this.showArrows = !this.showArrows; this.show(); } },
      { id: 'query.through', label: c.see, key: 's', run: () => { this.through = !this.through; this.show(); } },
      { id: 'query.open', label: c.open, key: 'o', run: () => void this.services.openFile('.json').then((f) => f && this.drop(f)).catch((e: Error) => this.services.toast(e.message)) },
      { id: 'query.save', label: c.save, run: () => this.services.saveFile('scene.json', new Blob([toJson(this.doc)], { type: 'application/json' })) },
      { id: 'query.link', label: c.link, key: 'l', run: () => void this.link() },
      { id: 'query.fresh', label: c.fresh, run: () => this.replace(start) },
      { id: 'query.left', label: c.left, key: 'ArrowLeft', button: false, run: step(-1, 0) },
      { id: 'query.right', label: c.right, key: 'ArrowRight', button: false, run: step(1, 0) },
      { id: 'query.up', label: c.up, key: 'ArrowUp', button: false, run: step(0, 1) },
      { id: 'query.down', label: c.down, key: 'ArrowDown', button: false, run: step(0, -1) },
      { id: 'query.farther', label: c.farther, key: 'PageUp', button: false, run: depth(1) },
      { id: 'query.nearer', label: c.nearer, key: 'PageDown', button: false, run: depth(-1) },
      { id: 'query.turnLeft', label: c.turnLeft, key: ',', button: false, run: () => this.edit((b) => turned(b, view, 0.1)) },
      { id: 'query.turnRight', label: c.turnRight, key: '.', button: false, run: () => this.edit((b) => turned(b, view, -0.1)) },
      { id: 'query.larger', label: c.larger, key: ']', button: false, run: () => this.edit((b) => scaled(b, 1.1)) },
      { id: 'query.smaller', label: c.smaller, key: '[', button: false, run: () => this.edit((b) => scaled(b, 1 / 1.1)) },
      { id: 'query.zoomIn', label: c.zoomIn, key: '+', button: false, run: () => stage.zoom(1.2) },
      { id: 'query.zoomOut', label: c.zoomOut, key: '-', button: false, run: () => stage.zoom(1 / 1.2) },
      { id: 'query.orbitLeft', label: c.orbitLeft, key: 'q', button: false, run: () => stage.orbit(30, 0) },
      { id: 'query.orbitRight', label: c.orbitRight, key: 'e', button: false, run: () => stage.orbit(-30, 0) },
      { id: 'query.focus', label: c.focus, key: 'f', button: false, run: () => this.focus(true) },
    ];
  }
}

function turned(b: Body, axis: Vector3, angle: number): Body {
  const [w, x, y, z] = b.rotation;
  const q = new Quaternion().setFromAxisAngle(axis, angle).multiply(new Quaternion(x, y, z, w)).normalize();
  return { ...b, rotation: [q.w, q.x, q.y, q.z] };
}

function scaled(b: Body, factor: number): Body {
  return { ...b, size: b.size.map((v) => Math.min(4, Math.max(0.05, v * factor))) as Body['size'] };
}

export function createRoom(): Room {
  return new QueryRoom();
}
