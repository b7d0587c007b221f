/**
 * The panel beside the drawing area: what can be set in the mode at hand, and the shape of a body. All
 * that a gesture does can be done here by numbers, too.
 */
import { sketcher as texts } from '../../texts/sketcher';
import * as doc from './document';
import { ExponentGrid, ExponentPopup, type Shaped } from '../../view/exponents';
import type { SketcherRoom } from './room';

export class Panel {
  readonly element = document.createElement('aside');
  private readonly grid: ExponentGrid;
  readonly popup: ExponentPopup;
  /** The body whose shape the popup changes. */
  private shaping = -1;

  constructor(private readonly room: SketcherRoom) {
    this.grid = new ExponentGrid(texts.exponents, (e, done) => done && room.selection.body !== null && room.edit(doc.changeBody(room.sketch, room.selection.body, (b) => ({ ...b, e }))));
    this.grid.element.dataset['id'] = 'exponents';
    this.popup = new ExponentPopup(texts.exponents, (e) => room.preview(this.shaping, e), () => room.keepPreview());
    this.element.className = 'sketcher-panel';
    this.element.setAttribute('aria-label', texts.panel);
  }

  show(): void {
    const active = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement) ? document.activeElement.dataset['id'] : undefined;
    const parts: HTMLElement[] = [];
    const { mode } = this.room;
    if (mode === 'skeleton') parts.push(...this.skeleton());
    if (mode === 'joint') parts.push(...this.joint());
    if (mode === 'hitbox') parts.push(...this.body());
    if (mode === 'pose') parts.push(...this.pose());
    if (mode === 'physics') parts.push(...this.buttons('physics.'));
    const gaps = document.createElement('p');
    gaps.textContent = texts.contacts(this.room.contacts.length);
    gaps.dataset['id'] = 'contacts';
    if (mode !== 'physics') parts.push(gaps);
    parts.push(...this.files());
    this.element.replaceChildren(...parts);
    if (active) this.element.querySelector<HTMLElement>(`[data-id="${CSS.escape(active)}"]`)?.focus();
  }

  private heading(text: string): HTMLElement {
    const h = document.createElement('h2');
    h.textContent = text;
    return h;
  }

  private field(id: string, label: string, value: number, set: (v: number) => void, range?: [number, number, number], spoken = label): HTMLElement {
    const wrap = document.createElement('label');
    wrap.className = range ? 'field wide' : 'field';
    const name = document.createElement('span');
    name.textContent = range ? `${label}: ${Math.round(value * 100) / 100}` : label;
    const input = document.createElement('input');
    input.type = range ? 'range' : 'number';
    if (range) [input.min, input.max, input.step] = range.map(String) as [string, string, string];
    else input.step = 'any';
    input.value = String(Math.round(value * 1e4) / 1e4);
    input.dataset['id'] = id;
    input.setAttribute('aria-label', spoken);
    if (range) input.addEventListener('input', () => (name.textContent = `${label}: ${input.value}`));
    input.addEventListener('change', () => {
      if (Number.isFinite(input.valueAsNumber)) set(input.valueAsNumber);
    });
    wrap.append(name, input);
    return wrap;
  }

  /** Buttons for the room's commands whose ids begin so. */
  private buttons(...prefixes: string[]): HTMLElement[] {
    const row = document.createElement('div');
    row.className = 'row';
    for (const c of this.room.commands()) {
      if (!prefixes.some((p) => c.id.startsWith(p))) continue;
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = c.label;
      b.dataset['id'] = c.id;
      if (c.key) b.title = `${c.label} (${c.key})`;
      b.addEventListener('click', () => c.run());
      row.append(b);
    }
    return [row];
  }

  private skeleton(): HTMLElement[] {
    const { room } = this;
    const out = [
      this.heading(texts.modes.skeleton),
      this.field('bone-length', texts.length, room.boneLength, (v) => (room.boneLength = Math.min(10, Math.max(0.01, v)))),
      this.field('bone-direction', texts.direction, room.boneDirection, (v) => (room.boneDirection = v)),
    ];
    const bone = room.sketch.bones.find((b) => b.id === room.selection.bone);
    if (bone) {
      const wrap = document.createElement('label');
      wrap.className = 'field';
      const name = document.createElement('span');
      name.textContent = texts.name;
      const input = document.createElement('input');
      input.value = bone.name;
      input.maxLength = 60;
      input.dataset['id'] = 'bone-name';
      input.addEventListener('change', () => room.edit(doc.renameBone(room.sketch, bone.id, input.value)));
      wrap.append(name, input);
      out.push(wrap);
      if (bone.inertial) {
        const mass = document.createElement('p');
        mass.className = 'mass';
        mass.textContent = texts.massKept(bone.inertial.mass);
        out.push(mass);
      }
    }
    return [...out, ...this.buttons('bone.', 'node.', 'mirror.', 'next.', 'remove')];
  }

  /** Three sliders, each with two ends, and the presets. */
  private joint(): HTMLElement[] {
    const { room } = this;
    const node = room.sketch.nodes.find((n) => n.id === room.selection.node);
    const out = [this.heading(texts.modes.joint)];
    if (!node) return [...out, ...this.buttons('next.node')];
    for (const axis of ['x', 'y', 'z'] as const) {
      const [lo, hi] = node.joint[axis];
      const set = (range: doc.Range): void => room.edit(doc.setJoint(room.sketch, node.id, { ...node.joint, [axis]: range }));
      const box = document.createElement('fieldset');
      box.className = `axis-${axis}`;
      const legend = document.createElement('legend');
      legend.textContent = texts.axes[axis];
      box.append(legend, this.field(`joint-${axis}-from`, texts.from, lo, (v) => set([v, hi]), [-180, 0, 1], `${texts.axes[axis]}: ${texts.from}`), this.field(`joint-${axis}-to`, texts.to, hi, (v) => set([lo, v]), [0, 180, 1], `${texts.axes[axis]}: ${texts.to}`));
      out.push(box);
    }
    return [...out, ...this.buttons('preset.', 'next.node')];
  }

  private body(): HTMLElement[] {
    const { room } = this;
    const found = room.selection.body !== null ? doc.bodyOf(room.sketch, room.selection.body) : null;
    const out = [this.heading(texts.modes.hitbox)];
    if (found) {
      const { body } = found;
      const change = (f: (b: doc.Body) => doc.Body): void => room.edit(doc.changeBody(room.sketch, body.id, f));
      this.grid.show(this.shaped(found));
      const label = document.createElement('p');
      label.textContent = `${texts.exponents}: ${body.e[0]} ${body.e[1]}`;
      out.push(label, this.grid.element);
      out.push(this.field('taper-x', texts.taperX, body.taper[0], (v) => change((b) => ({ ...b, taper: [v, b.taper[1]] })), [-0.9, 0.9, 0.05]));
      out.push(this.field('taper-y', texts.taperY, body.taper[1], (v) => change((b) => ({ ...b, taper: [b.taper[0], v] })), [-0.9, 0.9, 0.05]));
      out.push(this.faces(change));
    }
    out.push(this.field('parts', texts.parts, room.parts, (v) => (room.parts = Math.min(4, Math.max(1, Math.round(v))))));
    return [...out, ...this.buttons('body.', 'turn.', 'larger', 'smaller', 'next.b', 'remove', 'fit')];
  }

  /** One side of a body further out or in, the other one staying. */
  private faces(change: (f: (b: doc.Body) => doc.Body) => void): HTMLElement {
    const row = document.createElement('div');
    row.className = 'row faces';
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', texts.faces);
    (['x', 'y', 'z'] as const).forEach((axis, i) => {
      for (const side of [1, -1] as const) {
        for (const by of [0.02, -0.02]) {
          const b = document.createElement('button');
          b.type = 'button';
          b.textContent = `${side > 0 ? '+' : '−'}${axis} ${by > 0 ? '▲' : '▼'}`;
          b.setAttribute('aria-label', `${texts.face} ${side > 0 ? '+' : '-'}${axis}: ${by} m`);
          b.dataset['id'] = `face-${side > 0 ? 'p' : 'n'}${axis}-${by > 0 ? 'out' : 'in'}`;
          b.addEventListener('click', () => change((o) => doc.dragFace(o, i as 0 | 1 | 2, side, by)));
          row.append(b);
        }
      }
    });
    return row;
  }

  private pose(): HTMLElement[] {
    const { room } = this;
    const out = [this.heading(texts.modes.pose), this.field('key-time', texts.time, room.keyTime, (v) => (room.keyTime = Math.max(0, v)))];
    const link = doc.treeOf(room.sketch).find((l) => l.bone.id === room.selection.bone);
    if (link && link.parent >= 0) {
      const { joint } = doc.nodeOf(room.sketch, link.node);
      const now = room.pose[link.bone.id] ?? [0, 0, 0];
      (['x', 'y', 'z'] as const).forEach((axis, i) => {
        if (joint[axis][1] <= joint[axis][0]) return;
        out.push(this.field(`angle-${axis}`, texts.axes[axis], now[i]!, (v) => {
          const a = [...(room.pose[link.bone.id] ?? [0, 0, 0])] as [number, number, number];
          a[i] = v;
          void room.setPose({ ...room.pose, [link.bone.id]: a });
        }, [joint[axis][0], joint[axis][1], 1]));
      });
    }
    const list = document.createElement('ol');
    for (const k of room.sketch.keys) {
      const item = document.createElement('li');
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = `${k.time} s`;
      b.addEventListener('click', () => {
        room.keyTime = k.time;
        void room.setPose(k.pose);
      });
      item.append(b);
      list.append(item);
    }
    return [...out, ...this.buttons('key.', 'next.bone', 'turn.'), list];
  }

  private files(): HTMLElement[] {
    const box = document.createElement('details');
    box.open = this.filesOpen;
    box.addEventListener('toggle', () => (this.filesOpen = box.open));
    const summary = document.createElement('summary');
    summary.textContent = texts.exportAs;
    box.append(summary, ...this.buttons('save.', 'file.'));
    const views = document.createElement('details');
    views.open = this.viewsOpen;
    views.addEventListener('toggle', () => (this.viewsOpen = views.open));
    const title = document.createElement('summary');
    title.textContent = texts.viewing;
    views.append(title, ...this.buttons('view.', 'move.'));
    return [box, views];
  }
  private viewsOpen = false;
  private filesOpen = false;

  /* ---- the grid under a finger ------------------------------------------------------------------- */

  private shaped({ bone, body }: { bone: doc.Bone; body: doc.Body }): Shaped {
    return { e: body.e, turn: doc.multiply(bone.frame, body.turn), taper: body.taper, ...this.room.axes() };
  }

  openGrid(body: number, x?: number, y?: number): void {
    const found = doc.bodyOf(this.room.sketch, body);
    if (!found) return;
    this.popup.open(this.shaped(found), x, y);
    this.shaping = body;
  }
}
