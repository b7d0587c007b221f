/** The query lab: bodies to drag, turn and reshape, and what the library proves about their gaps. */
import { Quaternion, Vector3 } from 'three';
import './query.css';
import { KINDS, type Body, type Contact, type Kind, type Surface } from '../../core/query';
import type { Hollow, Sent, Solved, Surfaces } from '../../core/handlers/query';
import { bytesOf } from '../../files/read';
import { gestures } from '../../input/pointers';
import { button, element } from '../../shell/dom';
import type { Command, History, Room, Services } from '../../shell/room';
import { query as texts } from '../../texts/query';
import { opened, type Opened } from './drop';
import { formOf, formsOf, nameOf } from './forms';
import { Plot } from './plot';
import { asKind, BODIES_MAX, CORNERS_MAX, fresh, fromLink, isScene, named, start, toJson, toLink, TRIANGLES_MAX, type SceneDocument } from './scene';
import { colourOf, QueryView } from './view';

const VERTICES = 1500;
const STEP = 0.1;
/** ms without a change before dents are drawn. */
const DENT_PAUSE = 150;
/** How far the eye is from a body that is looked at. */
const NEAR = 5;
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
  private showDents = true;
  private through = false;
  private fresh = true;
  /** Whether all bodies are to be seen with the next answer. */
  private framing = true;
  private dragged: { index: number; from: Vector3 } | null = null;
  private plotted: ArrayLike<number> = [];
  private stops: (() => void)[] = [];
  private readonly big = element('p', { className: 'big' });
  private readonly relation = element('span', { className: 'relation' });
  private readonly table = element('table');
  private readonly list = element('div', { className: 'list', role: 'group', 'aria-label': texts.bodies });
  private readonly kind = element('select', { 'aria-label': texts.kind });
  private readonly form = element('select', { 'aria-label': texts.form });
  private readonly about = element('p', { className: 'about' });
  private readonly note = element('p', { className: 'note', role: 'status' });
  private readonly depth = element('div', { className: 'depth', role: 'img' });
  /** Surfaces by the numbers that the worker knows them by, and which of these it has. */
  private readonly numbersOf = new WeakMap<Surface, number>();
  private readonly sent = new Set<number>();
  private surfaces = 0;
  /** Dents by body, as far as they are known, and whether some are on their way. */
  private readonly hollows: (Hollow | undefined)[] = [];
  private digging = 0;
  private saying = 0;
  private readonly plot = new Plot(texts.plot);
  private readonly sliders: Slider[] = [];

  async mount(host: HTMLElement, services: Services): Promise<void> {
    this.services = services;
    host.classList.add('query');
    const stage = element('div', { className: 'stage' });
    host.append(stage, this.numbersCard(), this.sidePanel());
    this.view = new QueryView(stage);
    this.view.stage.around(...host.querySelectorAll<HTMLElement>('.panel'));
    this.view.stage.canvas.setAttribute('aria-label', texts.bodies);
    this.history = services.history(start, 'query', isScene);
    this.stops.push(this.history.subscribe(() => void this.solve()));
    this.listen();
    // a link may also be put into the address of this page
    const linked = (): void => void this.openLink();
    window.addEventListener('hashchange', linked);
    this.stops.push(() => window.removeEventListener('hashchange', linked));
    await this.openLink();
    await this.solve();
  }

  unmount(): void {
    clearTimeout(this.saying);
    clearTimeout(this.digging);
    this.digging = 0;
    for (const stop of this.stops) stop();
    this.view.dispose();
  }

  state(): unknown {
    return {
      document: this.doc, json: toJson(this.doc), contacts: this.solved?.contacts, dents: this.solved?.dents, hollows: this.hollows.map((h) => h && { depth: h.depth, vertex: h.vertex, way: h.way }), faults: this.solved?.faults, settled: this.answered === this.asked && !this.digging,
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
    for (const kind of KINDS) if (kind !== 'compound') this.kind.append(element('option', { value: kind, text: texts.kinds[kind] }));
    this.form.addEventListener('change', () => this.edit((b) => ({ ...b, size: [1, 1, 1], surface: formOf(this.form.value) })));
    this.kind.addEventListener('change', () => this.edit((b) => asKind(b, this.kind.value as Kind)));
    const long = (b: Body): boolean => b.kind === 'capsule' || b.kind === 'cylinder' || b.kind === 'cone';
    const solid = (b: Body): boolean => b.kind !== 'halfspace' && b.kind !== 'compound';
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
    return element('aside', { className: 'panel side', 'aria-label': texts.body }, this.list, this.kind, this.form, this.about, this.note, this.depth, ...sliders, element('div', { className: 'small', text: texts.plot }), this.plot.canvas);
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
    this.view.place(d.bodies, s.meshes, d.selected, this.through || this.showPath && clashing.size > 0, clashing, this.showDents);
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
    this.kind.replaceChildren(...[...this.kind.options].filter((o) => o.value !== 'compound'), ...(body.kind === 'compound' ? [element('option', { value: 'compound', text: texts.kinds.compound })] : []));
    this.kind.value = body.kind;
    this.showForm(body);
    for (const x of this.sliders) {
      x.row.hidden = !x.shown(body);
      x.input.value = String(x.get(body));
      x.output.textContent = x.get(body).toFixed(2);
    }
    const fault = s.faults[d.selected], dent = s.dents[d.selected] ?? 0;
    this.note.textContent = fault ? texts.refused(fault) : dent > 0 ? texts.dent(dent.toPrecision(2)) : '';
    this.note.hidden = this.note.textContent === '';
    this.showDepth();
    this.plot.draw(this.plotted, texts.plotEmpty);
  }

  /** Which polyhedron or mesh it is, where it is one of those that the lab has. */
  private showForm(body: Body): void {
    const forms = formsOf(body.kind), own = nameOf(body.kind, body.surface);
    this.form.hidden = forms.length === 0;
    this.form.replaceChildren(...forms.map((f) => element('option', { value: f, text: texts.forms[f] ?? f })), ...(own ? [] : [element('option', { value: '', text: texts.own, disabled: '' })]));
    this.form.value = own ?? '';
    const corners = (body.surface?.vertices.length ?? 0) / 3, faces = (body.surface?.triangles?.length ?? 0) / 3;
    this.about.textContent = body.kind === 'compound' ? texts.parts(body.parts!.length) : !body.surface ? '' : faces ? texts.corners(corners, faces) : texts.hull(corners);
    this.about.hidden = this.about.textContent === '';
  }

  /** The scale of the colours of a dent, with its number. */
  private showDepth(): void {
    const drawn = this.showDents ? this.view.drawnDent(this.doc.selected) : null;
    this.depth.hidden = !drawn;
    if (!drawn) return;
    const text = texts.deepest(drawn.depth.toPrecision(3), drawn.times);
    this.depth.style.setProperty('--from', colourOf(this.doc.selected));
    this.depth.setAttribute('aria-label', `${texts.dentScale}: ${text}`);
    this.depth.replaceChildren(element('span', { text: texts.dentScale }), element('span', { className: 'ramp' }), element('span', { className: 'ends' }, element('span', { text: '0' }), element('span', { text })), button(texts.lookAtDent, () => this.lookAtDent(), '', texts.lookAtDent));
  }

  private lookAtDent(): void {
    const { way } = this.hollows[this.doc.selected] ?? { way: [] }, [w, x, y, z] = this.body.rotation;
    if (way.length !== 3) return;
    this.focus(true);
    this.view.stage.face(new Vector3(...(way as [number, number, number])).applyQuaternion(new Quaternion(x, y, z, w).normalize()));
  }

  // ---- documents

  /** Bodies with their surfaces by number, and those surfaces that the worker has not got. */
  private wire(bodies: readonly Body[]): { bodies: Sent[]; surfaces: Surfaces } {
    const surfaces: Surfaces = [];
    const one = ({ surface, parts, ...rest }: Body): Sent => {
      let id = surface && this.numbersOf.get(surface);
      if (surface && id === undefined) this.numbersOf.set(surface, (id = ++this.surfaces));
      if (surface && !this.sent.has(id!) && !surfaces.some(([n]) => n === id)) surfaces.push([id!, surface]);
      return { ...rest, ...(id !== undefined ? { surface: id } : {}), ...(parts ? { parts: parts.map(one) } : {}) };
    };
    return { bodies: bodies.map(one), surfaces };
  }

  private async solve(): Promise<void> {
    const d = this.doc, ask = ++this.asked, wired = this.wire(d.bodies);
    const solved = await this.services.core.latest<Solved>('query', 'query.solve', { ...wired, pair: d.pair, vertices: VERTICES, fresh: this.fresh, details: true });
    if (!solved) return;
    for (const [id] of wired.surfaces) this.sent.add(id);
    this.fresh = false;
    this.solved = solved;
    this.answered = Math.max(this.answered, ask);
    solved.meshes.forEach((mesh, i) => { if (mesh || !solved.hollow[i]) delete this.hollows[i]; });
    this.hollows.length = solved.meshes.length;
    this.show();
    if (this.framing) this.view.frame();
    this.framing = false;
    this.dig();
    // once nothing changes any more, however it was changed
    clearTimeout(this.saying);
    this.saying = window.setTimeout(() => this.say(), 600);
  }

  /** Asks for dents once bodies are not reshaped any more, for a slider should not wait for them. */
  private dig(): void {
    clearTimeout(this.digging);
    this.digging = 0;
    const indices = this.solved!.hollow.flatMap((h, i) => (h && !this.hollows[i] ? [i] : []));
    if (!indices.length || !this.showDents) return;
    const asked = window.setTimeout(() => {
      void this.services.core.call<Hollow[]>('query.dents', { indices, vertices: VERTICES }).catch(() => []).then((found) => {
        if (this.digging !== asked) return; // reshaped in the meantime, or left
        this.digging = 0;
        for (const h of found) this.hollows[h.index] = h;
        this.solved = { ...this.solved!, meshes: this.solved!.meshes.map((_, i) => found.find((h) => h.index === i)?.mesh ?? null) };
        this.show();
      });
    }, DENT_PAUSE);
    this.digging = asked;
  }

  private say(): void {
    const chosen = this.solved?.contacts.find((c) => this.doc.pair.includes(c.a) && this.doc.pair.includes(c.b));
    if (chosen && chosen.status >= 0) this.services.announce(texts.announce(texts.relations[chosen.relation] ?? '', number(chosen.gap)));
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
    this.framing = true;
    this.plotted = [];
    this.push(next);
    this.services.toast(texts.opened(next.bodies.length));
  }

  /** A scene, or a mesh or points as a body; refused before anything changes. */
  async drop(file: File): Promise<void> {
    const found = await opened(file.name, await bytesOf(file));
    if ('scene' in found) {
      await this.services.core.call('query.try', this.wire(found.scene.bodies));
      return this.replace(found.scene);
    }
    const d = this.doc, points = found.surface.vertices.length / 3;
    if (d.bodies.length >= BODIES_MAX) throw new Error(texts.full);
    if (found.kind === 'polyhedron') found.surface = { vertices: await this.services.core.call<number[]>('query.hull', found.surface.vertices) };
    const used = d.bodies.flatMap((b) => [b, ...(b.parts ?? [])]).map((b) => b.surface), sum = (count: (s: Surface) => number): number => [...used, found.surface].reduce((n, s) => n + (s ? count(s) : 0), 0) / 3;
    if (sum((s) => s.vertices.length) > CORNERS_MAX || sum((s) => s.triangles?.length ?? 0) > TRIANGLES_MAX) throw new Error(texts.tooFine(CORNERS_MAX, TRIANGLES_MAX));
    const { body, factor } = this.ofSurface(found, file.name);
    await this.services.core.call('query.try', this.wire([body]));
    this.push({ bodies: [...d.bodies, body], selected: d.bodies.length, pair: [d.selected, d.bodies.length] });
    const name = file.name.slice(0, 60);
    this.services.toast(body.kind === 'mesh' ? texts.dropped(name, found.surface.triangles!.length / 3, factor) : texts.points(name, points, factor));
  }

  /** At the size of the other bodies, about its middle. */
  private ofSurface({ surface, kind }: Extract<Opened, { surface: Surface }>, file: string): { body: Body; factor: number } {
    const { vertices } = surface, lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    vertices.forEach((v, i) => {
      lo[i % 3] = Math.min(lo[i % 3]!, v);
      hi[i % 3] = Math.max(hi[i % 3]!, v);
    });
    const half = Math.max(...hi.map((h, k) => (h - lo[k]!) / 2));
    const factor = half >= 0.3 && half <= 3 ? 1 : 1 / (half || 1);
    const about = { ...surface, vertices: vertices.map((v, i) => factor * (v - (lo[i % 3]! + hi[i % 3]!) / 2)) };
    const taken = this.doc.bodies.map((b) => b.name);
    return { factor, body: { ...fresh(kind, this.doc.bodies.length, taken), name: named(file.replace(/\.\w+$/, ''), taken), surface: about } };
  }

  private async openLink(): Promise<void> {
    const code = /[?&]scene=([\w-]+)/.exec(location.hash)?.[1];
    if (!code) return;
    try {
      const linked = fromLink(code);
      await this.services.core.call('query.try', this.wire(linked.bodies));
      this.replace(linked);
    } catch (error) {
      this.services.toast((error as Error).message);
    }
    window.history.replaceState(null, '', '#/query');
  }

  private async link(): Promise<void> {
    const code = toLink(this.doc);
    if (code === null) return this.services.toast(texts.tooFar);
    window.history.replaceState(null, '', `#/query?scene=${code}`);
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
      // of bodies that take long, such as large meshes, fewer places
      const count = Math.round(Math.min(160, Math.max(24, 4e5 / (this.solved?.microseconds || 1))));
      const back = await this.services.core.call<Float64Array>('query.drag', { pair: [other, d.index], way: way.toArray(), count });
      this.plotted = Array.from(back).reverse();
      this.show();
    } catch (error) {
      this.services.toast((error as Error).message);
    }
  }

  private focus(near: boolean): void {
    if (near) this.view.stage.look(new Vector3(...this.body.position), NEAR);
    else this.view.frame();
  }

  private add(): void {
    const d = this.doc;
    if (d.bodies.length >= BODIES_MAX) return;
    const kinds: Kind[] = ['ellipsoid', 'box', 'superovoid', 'polyhedron', 'mesh', 'capsule', 'cylinder', 'superellipsoid', 'cone', 'sphere', 'halfspace'];
    const kind = kinds[(d.bodies.length - 2 + kinds.length) % kinds.length]!;
    const bodies = [...d.bodies, fresh(kind, d.bodies.length, d.bodies.map((b) => b.name))];
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
      { id: 'query.dent', label: c.dent, key: 'g', run: () => { this.showDents = !this.showDents; this.show(); this.dig(); } },
      { id: 'query.arrows', label: c.arrows, key: 'd', run: () => { this.showArrows = !this.showArrows; this.show(); } },
      { id: 'query.through', label: c.see, key: 's', run: () => { this.through = !this.through; this.show(); } },
      { id: 'query.open', label: c.open, key: 'o', run: () => void this.services.openFile('.json,.zip,.obj,.stl,.off,.dae,.gltf,.glb,.xyz,.csv,.txt').then((f) => f && this.drop(f)).catch((e: Error) => this.services.toast(e.message)) },
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
  if (b.parts) return { ...b, parts: b.parts.map((p) => ({ ...scaled(p, factor), position: p.position.map((v) => v * factor) as Body['position'] })) };
  return { ...b, size: b.size.map((v) => Math.min(4, Math.max(0.05, v * factor))) as Body['size'] };
}

export function createRoom(): Room {
  return new QueryRoom();
}
