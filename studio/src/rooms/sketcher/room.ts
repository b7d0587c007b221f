/**
 * The Multibody Sketcher [Thesis, 4.1 to 4.3]: from strokes to an articulated body with hitboxes that
 * can be posed, proven free of self-collision, pulled about, and saved for other programs.
 *
 * The sketch is a value in the history; everything here is made from it. Models, contacts, sweeps,
 * physics and files are the library's, in the worker.
 */
import type { Built, KeysArgs, StepArgs } from '../../core/handlers/sketcher';
import type { FittedPart, Format, SelfContact, Sweep } from '../../core/model';
import { bytesOf, BYTES_MAX, colladaOf, endingOf, gltfOf, meshOfFile, meshOfTree, type MeshData } from '../../files/read';
import { jsonOf, mjcfOf, sketchFromJson, treeOfScene, urdfOf, type Assets, type ReadRobot } from '../../files/robot';
import { unzip, zip } from '../../files/zip';
import { recognise } from '../../input/recognise';
import { bonesOf } from '../../input/strokes';
import type { Command, History, Room, Services } from '../../shell/room';
import { sketcher as texts } from '../../texts/sketcher';
import { CameraBox, sides, type Side } from '../../view/camera-box';
import { Renderer } from '../../view/renderer';
import { Views, type View } from '../../view/views';
import { anglesOf, boneFrameOf, compose, describe, inverse, toBone, type Description, type Frame } from './describe';
import * as doc from './document';
import { listen, type GestureTaker, type Pinch, type Touch } from './gestures';
import { Panel } from './panel';
import { handlesOf, SketchScene, type Handle, type Selection } from './scene';
import './sketcher.css';

export type Mode = 'skeleton' | 'joint' | 'hitbox' | 'pose' | 'physics';
export const modes: readonly Mode[] = ['skeleton', 'joint', 'hitbox', 'pose', 'physics'];
const SNAP = 26;
const LIMIT = 0.02;

/** Is what was saved a sketch that can be opened? */
function isSketch(saved: unknown): boolean {
  try {
    sketchFromJson(saved);
    return true;
  } catch {
    return false;
  }
}

export class SketcherRoom implements Room {
  mode: Mode = 'skeleton';
  selection: Selection = { node: null, bone: null, body: null };
  pose: doc.Pose = {};
  parts = 1;
  boneLength = 0.4;
  boneDirection = 90;
  keyTime = 0;
  proof: Sweep | null = null;
  contacts: SelfContact[] = [];
  private services!: Services;
  private history!: History<doc.Sketch>;
  /** While a finger moves something: shown, and kept when it is lifted. */
  private draft: doc.Sketch | null = null;
  private description: Description | null = null;
  private frames = new Map<number, Frame>();
  private readonly views = new Views();
  private readonly boxes: CameraBox[] = [];
  private scene!: SketchScene;
  private renderer!: Renderer;
  private panel!: Panel;
  private host!: HTMLElement;
  private area!: HTMLElement;
  private status!: HTMLElement;
  private stop: (() => void)[] = [];
  private view!: View;
  private dragging: { node?: number; body?: number; bone?: number; from?: doc.Vec3; face?: { from: Touch; start: doc.Body; axis: 0 | 1 | 2; side: 1 | -1; along: doc.Vec3 } } = {};
  private hand: { pull: StepArgs['pull']; twist: StepArgs['twist'] } = { pull: null, twist: null };
  private running = 0;
  private drawn = false;
  private saidAt = 0;
  private version = 0;
  /** Frames of the physics, and what the latest cost in the worker, in milliseconds. */
  private steps = 0;
  private costs: number[] = [];

  get sketch(): doc.Sketch {
    return this.draft ?? this.history.value;
  }

  /* ---- life ------------------------------------------------------------------------------------ */

  async mount(host: HTMLElement, services: Services): Promise<void> {
    this.services = services;
    this.host = host;
    this.history = services.history<doc.Sketch>(doc.empty, 'sketcher', isSketch);
    const root = document.createElement('div');
    root.className = 'sketcher';
    const bar = document.createElement('div');
    bar.className = 'sketcher-modes';
    bar.setAttribute('role', 'toolbar');
    bar.setAttribute('aria-label', texts.bar);
    for (const mode of modes) bar.append(this.button(texts.modes[mode], () => this.setMode(mode), `mode-${mode}`));
    bar.append(this.button('+', () => this.addView(1), 'view-add', texts.commands.addView), this.button('−', () => this.addView(-1), 'view-remove', texts.commands.removeView));
    this.area = document.createElement('div');
    this.area.className = 'sketcher-area';
    const canvas = document.createElement('canvas');
    canvas.tabIndex = 0;
    canvas.setAttribute('aria-label', texts.canvas);
    this.status = document.createElement('p');
    this.status.className = 'sketcher-status';
    this.area.append(canvas, this.status);
    this.panel = new Panel(this);
    root.append(bar, this.area, this.panel.element);
    host.replaceChildren(root);
    this.renderer = new Renderer(canvas);
    this.scene = new SketchScene();
    this.view = this.views.list[0]!;
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.area);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const repaint = (): void => this.theme();
    dark.addEventListener('change', repaint);
    const paint = new MutationObserver(repaint);
    paint.observe(document.documentElement, { attributes: true });
    this.stop = [listen(canvas, this.taker()), () => watch.disconnect(), () => paint.disconnect(), () => dark.removeEventListener('change', repaint), this.history.subscribe(() => void this.refresh())];
    this.theme();
    this.resize();
    this.setMode('skeleton');
    await this.refresh();
  }

  unmount(): void {
    this.running++;
    this.panel.popup.close();
    this.stop.forEach((f) => f());
    this.renderer.dispose();
    this.host.replaceChildren();
  }

  state(): unknown {
    return {
      mode: this.mode, sketch: this.sketch, selection: this.selection, views: this.views.list.map((v) => ({ ...v })), contacts: this.contacts, proof: this.proof, pose: this.pose,
      frames: [...this.frames].map(([id, f]) => ({ id, ...f })), steps: this.steps, costs: this.costs, centre: this.views.centre, scale: this.views.scale,
      message: this.status.textContent,
      handles: this.handles().map((h) => this.views.toScreen(this.view, h.at)),
      screen: this.sketch.nodes.map((n) => ({ id: n.id, ...this.views.toScreen(this.view, n.at) })),
    };
  }

  private button(label: string, run: () => void, id: string, name = label): HTMLButtonElement {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = label;
    b.dataset['id'] = id;
    b.setAttribute('aria-label', name);
    b.title = name;
    b.addEventListener('click', run);
    return b;
  }

  say(text: string): void {
    this.status.textContent = text;
    this.status.classList.remove('old');
    window.clearTimeout(this.saidAt);
    this.saidAt = window.setTimeout(() => this.status.classList.add('old'), 6000);
    this.services.announce(text);
  }

  /* ---- showing ---------------------------------------------------------------------------------- */

  private theme(): void {
    const style = getComputedStyle(this.area);
    this.scene.theme(style.backgroundColor || '#ffffff', style.color || '#888888');
    this.paint();
  }

  private resize(): void {
    const { width, height } = this.area.getBoundingClientRect();
    if (width < 1 || height < 1) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.views.layout(width, height);
    this.placeBoxes();
    this.paint();
  }

  private placeBoxes(): void {
    while (this.boxes.length > this.views.list.length) this.boxes.pop()!.corner.remove();
    this.views.list.forEach((view, i) => {
      if (!this.boxes[i]) {
        const box = new CameraBox(texts.views, texts.box, (side) => this.look(i, side));
        this.boxes.push(box);
        this.area.append(box.corner);
      }
      this.boxes[i]!.place(this.area.clientWidth - view.x - view.width + 4, view.y + 4, view.width < 300 && this.views.list.length > 1);
      this.boxes[i]!.select(view.side);
    });
  }

  look(index: number, side: Side): void {
    const view = this.views.list[index];
    if (!view) return;
    view.side = side;
    this.boxes[index]!.select(side);
    this.services.announce(texts.views[side]);
    this.paint();
  }

  /** Axes of the screen in the view that was touched last. */
  axes(): { right: doc.Vec3; up: doc.Vec3 } {
    const { right, up } = this.views.basis(this.view.side);
    return { right, up };
  }

  private addView(by: 1 | -1): void {
    if (by > 0) this.views.add();
    else this.views.remove();
    const before = this.views.list[0]!, size = Math.min(before.width, before.height);
    this.view = before;
    this.resize();
    this.views.zoom(Math.min(before.width, before.height) / size);
    this.paint();
  }

  paint(): void {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      this.scene.placeHandles(this.handles(), this.views.scale);
      this.views.render(this.renderer, this.scene.scene, (v) => this.scene.showGrid(v.side === 'orbit'));
    });
  }

  private rebuild(): void {
    const touching = new Set<number>();
    if (this.mode !== 'physics') {
      for (const c of this.contacts) {
        if (c.gap <= 0) for (const [l, p] of [[c.linkA, c.partA], [c.linkB, c.partB]] as const) touching.add(this.description?.parts[l]?.[p] ?? -1);
      }
    }
    this.scene.build(this.sketch, this.selection, this.mode, touching);
    this.scene.contacts(this.mode === 'physics' ? [] : this.contacts);
    this.scene.place(this.frames);
    this.paint();
  }

  private takePoses(d: Description, poses: ArrayLike<number>): void {
    for (const b of d.bones) {
      const p = Array.from({ length: 7 }, (_, i) => poses[7 * b.link + i]!);
      this.frames.set(b.id, compose({ at: [p[0]!, p[1]!, p[2]!], turn: [p[3]!, p[4]!, p[5]!, p[6]!] }, b.inLink));
    }
  }

  /** After a change of the sketch: the model anew, its pose and self-contacts. */
  async refresh(): Promise<void> {
    const version = ++this.version;
    const s = this.sketch;
    if (this.mode === 'physics') this.running++; // the puppet of the model before ends
    const exists = (l: readonly { id: number }[], id: number | null): number | null => (l.some((o) => o.id === id) ? id : null);
    this.selection = { node: exists(s.nodes, this.selection.node), bone: exists(s.bones, this.selection.bone), body: exists(s.bones.flatMap((b) => b.bodies), this.selection.body) };
    this.frames = new Map(s.bones.map((b) => [b.id, boneFrameOf(s, b)]));
    this.proof = null;
    this.contacts = [];
    this.rebuild();
    if (this.draft) return;
    this.pose = doc.clampPose(s, s.pose ?? {}); // an older studio kept none
    this.panel.show();
    if (!s.bones.length) return this.mode === 'physics' ? this.say(texts.empty) : undefined;
    const d = describe(s, this.mode === 'physics');
    try {
      const built = await this.services.core.call<Built>('sketcher.build', {
        numbers: d.numbers, names: d.names, joints: d.coordinates.map((c) => c.joint), angles: anglesOf(d, this.posing() ? this.pose : {}), limit: LIMIT,
      });
      if (version !== this.version) return;
      this.description = d;
      this.takePoses(d, built.poses);
      this.contacts = built.contacts;
      // what was shown at once is right but for contacts and the pose
      if (built.contacts.length) {
        this.rebuild();
        this.panel.show();
      } else {
        this.scene.place(this.frames);
        this.paint();
      }
      if (this.mode === 'physics') void this.startPhysics();
    } catch (e) {
      if (version === this.version) this.say((e as Error).message);
    }
  }

  private posing(): boolean {
    return this.mode === 'pose' || this.mode === 'physics';
  }

  edit(e: doc.Edit): void {
    this.draft = null;
    if (e.note) this.say(texts.notes[e.note]);
    if (e.sketch !== this.history.value) this.keep(e.sketch);
    else void this.refresh();
  }

  /** What was changed has no mass of a file any more, which is told. */
  private keep(changed: doc.Sketch): void {
    const { sketch, names } = doc.dropMasses(this.history.value, changed);
    this.history.push(sketch);
    if (names.length) this.say(texts.massDropped(names));
  }

  /** An edit that a finger has not finished. */
  private sketchDraft(s: doc.Sketch): void {
    this.draft = s;
    void this.refresh();
  }
  /** Exponents of a body while the grid is open. */
  preview(body: number, e: [number, number]): void {
    this.sketchDraft(doc.changeBody(this.sketch, body, (b) => ({ ...b, e })).sketch);
  }
  keepPreview(): void {
    this.keepDraft();
  }
  private keepDraft(): void {
    const d = this.draft;
    this.draft = null;
    if (d && d !== this.history.value) this.keep(d);
  }

  setMode(mode: Mode): void {
    const left = this.mode;
    this.mode = mode;
    if (left === 'physics') {
      this.running++;
      this.hand = { pull: null, twist: null };
      void this.services.core.call('sketcher.stop', {});
    }
    this.host.querySelectorAll<HTMLElement>('.sketcher-modes [data-id^=mode-]').forEach((b) => b.setAttribute('aria-pressed', String(b.dataset['id'] === `mode-${mode}`)));
    this.say(texts.hints[mode]);
    void this.refresh();
  }

  /* ---- gestures --------------------------------------------------------------------------------- */

  private world(t: Touch, depth?: doc.Vec3): doc.Vec3 {
    return this.views.toWorld(this.view, t.x, t.y, depth);
  }
  private nodeAt(t: Touch): doc.Node | null {
    const reach = SNAP / this.views.scale;
    return doc.nearestNode(this.sketch, this.world(t), reach, (v) => doc.norm(this.views.flat(this.view, v)));
  }
  private boneAt(t: Touch): { bone: doc.Bone; share: number } | null {
    const flat = (v: doc.Vec3): doc.Vec3 => this.views.flat(this.view, v);
    return doc.nearestBone(this.sketch, this.world(t), SNAP / this.views.scale, (v) => doc.norm(flat(v)), flat);
  }
  private bodyAt(t: Touch): number | null {
    return this.scene.pick(this.frames, this.sketch, this.world(t), this.views.basis(this.view.side).towards);
  }
  /** The bone under a finger by where bones are now: its body, or the bone itself. */
  private movedBoneAt(t: Touch): number | null {
    const body = this.bodyAt(t);
    if (body !== null) return doc.bodyOf(this.sketch, body)!.bone.id;
    let best: number | null = null;
    let least: number = SNAP;
    for (const b of this.sketch.bones) {
      const f = this.frames.get(b.id)!;
      const end = compose(f, { at: toBone(this.sketch, b, doc.nodeOf(this.sketch, b.b).at), turn: [1, 0, 0, 0] }).at;
      const p = this.views.toScreen(this.view, f.at), q = this.views.toScreen(this.view, end);
      const square = (q.x - p.x) ** 2 + (q.y - p.y) ** 2 || 1;
      const u = Math.min(1, Math.max(0, ((t.x - p.x) * (q.x - p.x) + (t.y - p.y) * (q.y - p.y)) / square));
      const d = Math.hypot(p.x + u * (q.x - p.x) - t.x, p.y + u * (q.y - p.y) - t.y);
      if (d < least) {
        least = d;
        best = b.id;
      }
    }
    return best;
  }

  private taker(): GestureTaker {
    return {
      begin: (t) => {
        this.view = this.views.at(t.x, t.y);
        this.dragging = {};
        if (this.view.side === 'orbit') return;
        if (this.mode === 'pose') {
          const bone = this.movedBoneAt(t);
          if (bone !== null) this.select({ node: null, bone, body: null });
          this.dragging = { bone: bone ?? -1, from: this.world(t) };
        }
        if (this.mode === 'physics') this.grab(t);
        if (this.mode === 'hitbox') this.grabFace(t);
      },
      move: (path) => this.drag(path),
      tap: (t) => this.tap(t),
      stroke: (path) => this.stroke(path),
      hold: (t) => this.hold(t),
      holdMove: (t, client) => this.holdMove(t, client),
      holdEnd: () => {
        this.panel.popup.close();
        this.keepDraft();
        if (this.dragging.node !== undefined) this.weldHere(this.dragging.node);
        if (this.mode === 'pose') this.keepPose();
        this.hand = { pull: null, twist: null };
      },
      pinch: (p) => this.pinch(p),
      pinchEnd: () => {
        this.keepDraft();
        this.hand = { pull: null, twist: null };
      },
      cancel: () => {
        this.scene.stroke([]);
        if (this.draft) this.edit({ sketch: this.history.value });
        this.dragging = {};
        this.hand = { ...this.hand, pull: null };
        this.paint();
      },
    };
  }

  private drag(path: readonly Touch[]): void {
    const now = path[path.length - 1]!;
    const before = path[path.length - 2] ?? now;
    if (this.view.side === 'orbit') {
      this.views.yaw -= (now.x - before.x) / 150;
      this.views.pitch = Math.min(1.5, Math.max(-1.5, this.views.pitch + (now.y - before.y) / 150));
    } else if (this.mode === 'physics') {
      if (this.hand.pull) this.hand.pull = { ...this.hand.pull, target: [...this.world(now, this.hand.pull.point as unknown as doc.Vec3)] };
    } else if (this.mode === 'pose') {
      this.turnBone(now);
    } else if (this.dragging.face) {
      this.dragFace(now);
    } else if (this.mode === 'skeleton' || this.mode === 'hitbox') {
      this.scene.stroke(path.map((t) => this.world(t)));
    } else {
      this.views.pan(this.view, now.x - before.x, now.y - before.y);
    }
    this.paint();
  }

  private tap(t: Touch): void {
    this.hand = { pull: null, twist: null };
    if (this.view.side === 'orbit') return this.say(texts.orbitOnly);
    const node = this.nodeAt(t);
    const bone = this.boneAt(t);
    if (this.mode === 'skeleton') {
      if (node) this.select({ node: node.id, bone: null, body: null });
      else if (bone) {
        const made = doc.splitBone(this.sketch, bone.bone.id, bone.share);
        this.selection = { node: made.made?.[0] ?? null, bone: null, body: null };
        this.edit(made);
      } else this.select({ node: null, bone: null, body: null });
    } else if (this.mode === 'joint') {
      this.select({ node: node?.id ?? null, bone: null, body: null });
    } else if (this.mode === 'hitbox') {
      const body = this.bodyAt(t);
      this.select({ node: null, bone: body === null ? (bone?.bone.id ?? null) : null, body });
    } else {
      this.select({ node: null, bone: this.movedBoneAt(t), body: null });
    }
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.rebuild();
    this.panel.show();
  }

  private stroke(path: readonly Touch[]): void {
    this.scene.stroke([]);
    this.hand = { pull: null, twist: null };
    if (this.view.side === 'orbit') return;
    if (this.mode === 'skeleton') this.strokeBones(path);
    if (this.dragging.face) this.keepDraft();
    else if (this.mode === 'pose') this.keepPose();
    else if (this.mode === 'hitbox') this.strokeBody(path);
    this.paint();
  }

  private strokeBones(path: readonly Touch[]): void {
    const corners = bonesOf(path);
    if (corners.length < 2) return this.say(texts.notes.short);
    let s = this.sketch;
    // an end on the middle of a bone splits it there, and branches off
    const anchor = (t: Touch): number | null => {
      const node = this.nodeAt(t);
      if (node) return node.id;
      const hit = this.boneAt(t);
      if (!hit || hit.share < 0.1 || hit.share > 0.9) return null;
      const made = doc.splitBone(s, hit.bone.id, hit.share);
      s = made.sketch;
      return made.made?.[0] ?? null;
    };
    const from = anchor(corners[0]!);
    const to = anchor(corners[corners.length - 1]!);
    const depth = from !== null ? doc.nodeOf(s, from).at : to !== null ? doc.nodeOf(s, to).at : ([0, 0, 0] as const);
    const made = doc.addChain(s, corners.map((t) => this.world(t, depth)), from, to);
    this.selection = { node: null, bone: made.made?.[0] ?? null, body: null };
    this.edit(made.made ? made : { ...made, sketch: this.history.value });
    if (!made.note) this.say(texts.bones(made.made?.length ?? 0));
  }

  private strokeBody(path: readonly Touch[]): void {
    const found = recognise(path);
    if (!found.ok) return this.say(texts.noEllipse[found.why]);
    const { centre, a, b, angle } = found.ellipse;
    const hit = this.boneUnder(centre, a);
    if (!hit) return this.say(texts.noBone);
    const { right, up, towards } = this.views.basis(this.view.side);
    const along = doc.add(doc.scale(right, Math.cos(angle)), doc.scale(up, -Math.sin(angle)));
    const across = doc.cross(towards, along);
    // z of the body along the longer axis of the ellipse: that is where tapers act
    const turn = doc.fromAxes(across, towards, along);
    const middle = doc.add(doc.nodeOf(this.sketch, hit.bone.a).at, doc.scale(doc.boneVector(this.sketch, hit.bone), hit.share));
    const at = this.world(centre, middle);
    const made = doc.addBody(this.sketch, hit.bone.id, {
      at: toBone(this.sketch, hit.bone, at), turn: doc.multiply(doc.conjugate(hit.bone.frame), turn),
      size: [b / this.views.scale, b / this.views.scale, a / this.views.scale], e: [1, 1], taper: [0, 0],
    });
    this.selection = { node: null, bone: null, body: made.made?.[0] ?? null };
    this.edit(made);
  }

  /** The bone that an ellipse was drawn over: the nearest to its centre within its longer axis. */
  private boneUnder(centre: Touch, reach: number): { bone: doc.Bone; share: number } | null {
    const flat = (v: doc.Vec3): doc.Vec3 => this.views.flat(this.view, v);
    return doc.nearestBone(this.sketch, this.world(centre), reach / this.views.scale, (v) => doc.norm(flat(v)), flat);
  }

  private hold(t: Touch): void {
    if (this.view.side === 'orbit' || this.dragging.face) return;
    const node = this.nodeAt(t);
    const body = this.bodyAt(t);
    if (this.mode === 'skeleton' && node) {
      this.dragging = { node: node.id };
      this.select({ node: node.id, bone: null, body: null });
      navigator.vibrate?.(20);
    } else if (this.mode === 'hitbox' && body !== null) {
      this.select({ node: null, bone: null, body });
      this.dragging = { body };
      const r = this.area.getBoundingClientRect();
      this.panel.openGrid(body, r.left + t.x, r.top + t.y);
    }
  }

  private holdMove(t: Touch, client: Touch): void {
    if (this.dragging.node !== undefined) {
      const node = doc.nodeOf(this.sketch, this.dragging.node);
      const moved = doc.moveNode(this.sketch, node.id, this.world(t, node.at));
      if (!moved.note) this.sketchDraft(moved.sketch);
    } else if (this.dragging.face) {
      this.dragFace(t);
    } else if (this.dragging.body !== undefined) {
      this.panel.popup.slide(client.x, client.y);
    } else if (this.mode === 'physics' || this.mode === 'pose') this.drag([t, t]);
  }

  /** Handles of the selected body. */
  private handles(): Handle[] {
    const found = this.mode !== 'hitbox' || this.selection.body === null ? null : doc.bodyOf(this.sketch, this.selection.body);
    const frame = found && this.frames.get(found.bone.id);
    return frame ? handlesOf(frame, found.body, this.views.scale) : [];
  }

  /** A handle of the selected body under a finger. One that points at the eye cannot be dragged. */
  private grabFace(t: Touch): void {
    let least = SNAP / 1.5;
    for (const h of this.handles()) {
      const p = this.views.toScreen(this.view, h.at), d = Math.hypot(p.x - t.x, p.y - t.y);
      if (d >= least || doc.norm(this.views.flat(this.view, h.along)) < 0.3) continue;
      least = d;
      this.dragging = { face: { from: t, start: h.body, axis: h.axis, side: h.side, along: h.along } };
    }
  }

  /** The face follows the finger; the one on the other side stays. */
  private dragFace(to: Touch): void {
    const { from, start, axis, side, along } = this.dragging.face!;
    const flat = this.views.flat(this.view, along);
    const by = doc.dot(doc.sub(this.world(to), this.world(from)), flat) / doc.dot(flat, flat);
    this.sketchDraft(doc.changeBody(this.sketch, start.id, () => doc.dragFace(start, axis, side, by)).sketch);
  }

  /** After a joint was dragged onto another one they are welded. */
  private weldHere(id: number): void {
    const node = this.sketch.nodes.find((n) => n.id === id);
    const others = { ...this.sketch, nodes: this.sketch.nodes.filter((n) => n.id !== id) };
    const near = node && doc.nearestNode(others, node.at, SNAP / this.views.scale, (v) => doc.norm(this.views.flat(this.view, v)));
    if (near && !doc.component(this.sketch, id).has(near.id)) this.edit(doc.weldNodes(this.sketch, id, near.id));
  }

  private pinch(p: Pinch): void {
    const id = this.selection.body;
    if (this.mode === 'hitbox' && id !== null && this.view.side !== 'orbit' && !(p.mouse && this.bodyAt(p.at) !== id)) {
      this.sketchDraft(this.turned(id, -p.angle, p.factor, p.dx, p.dy));
    } else if (this.mode === 'physics' && this.selection.bone !== null && this.description) {
      const link = this.description.bones.find((b) => b.id === this.selection.bone)!.link;
      this.hand = { pull: null, twist: { link, axis: [...this.views.basis(this.view.side).towards], angle: (this.hand.twist?.angle ?? 0) - p.angle } };
    } else {
      this.views.pan(this.view, p.dx, p.dy);
      this.views.zoom(p.factor);
      this.paint();
    }
  }

  /** A body turned in the plane of the view, scaled, and moved by pixels. */
  private turned(id: number, angle: number, factor: number, dx: number, dy: number): doc.Sketch {
    const found = doc.bodyOf(this.sketch, id)!;
    const { right, up, towards } = this.views.basis(this.view.side);
    const back = doc.conjugate(found.bone.frame);
    const shift = doc.rotate(back, doc.add(doc.scale(right, dx / this.views.scale), doc.scale(up, -dy / this.views.scale)));
    const turn = doc.about(doc.rotate(back, towards), angle);
    return doc.changeBody(this.sketch, id, (b) => ({ ...b, at: doc.add(b.at, shift), turn: doc.multiply(turn, b.turn), size: doc.scale(b.size, factor) })).sketch;
  }

  /** Turns a bone about the axis of its joint that faces the view most, to follow the finger. */
  private turnBone(t: Touch): void {
    const id = this.dragging.bone;
    const link = doc.treeOf(this.sketch).find((l) => l.bone.id === id);
    const frame = this.frames.get(id ?? -1);
    if (!link || link.parent < 0 || !frame || !this.dragging.from) return;
    const { joint, at } = doc.nodeOf(this.sketch, link.node);
    const hinge = compose(frame, { at: toBone(this.sketch, link.bone, at), turn: [1, 0, 0, 0] }).at;
    const { towards } = this.views.basis(this.view.side);
    const free = (['x', 'y', 'z'] as const).filter((a) => joint[a][1] > joint[a][0]);
    const facing = (a: 'x' | 'y' | 'z'): number => doc.dot(doc.rotate(frame.turn, [a === 'x' ? 1 : 0, a === 'y' ? 1 : 0, a === 'z' ? 1 : 0]), towards);
    const axis = free.sort((a, b) => Math.abs(facing(b)) - Math.abs(facing(a)))[0];
    if (!axis) return;
    const c = this.views.toScreen(this.view, hinge), f = this.views.toScreen(this.view, this.dragging.from);
    let by = Math.atan2(f.y - c.y, f.x - c.x) - Math.atan2(t.y - c.y, t.x - c.x);
    by -= 2 * Math.PI * Math.round(by / (2 * Math.PI));
    const angles = [...(this.pose[link.bone.id] ?? [0, 0, 0])] as [number, number, number];
    const i = ({ x: 0, y: 1, z: 2 } as const)[axis];
    angles[i] += ((by * 180) / Math.PI) * (facing(axis) < 0 ? -1 : 1);
    this.dragging.from = this.world(t);
    void this.setPose({ ...this.pose, [link.bone.id]: angles }, false);
  }

  /** Shows a pose; `done`: it is an edit, and not on the way to one. */
  async setPose(pose: doc.Pose, done = true): Promise<void> {
    this.pose = doc.clampPose(this.sketch, pose);
    if (done) return this.keepPose();
    const d = this.description;
    if (!d) return;
    const version = this.version;
    const built = await this.services.core.call<Built>('sketcher.pose', { angles: anglesOf(d, this.pose), limit: LIMIT });
    if (version !== this.version || d !== this.description) return;
    this.takePoses(d, built.poses);
    this.contacts = built.contacts;
    this.rebuild();
    this.panel.show();
  }

  private keepPose(): void {
    if (JSON.stringify(this.pose) !== JSON.stringify(this.history.value.pose)) this.edit({ sketch: { ...this.history.value, pose: this.pose } });
  }

  /* ---- key frames ------------------------------------------------------------------------------- */

  private keys(): KeysArgs | null {
    const d = this.description;
    const { keys } = this.sketch;
    if (!d || keys.length < 2) {
      this.say(texts.keysNeeded);
      return null;
    }
    return { times: keys.map((k) => k.time), rows: keys.map((k) => anglesOf(d, k.pose)), samples: Math.max(2, Math.round((keys[keys.length - 1]!.time - keys[0]!.time) * 60)), cubic: false };
  }

  async prove(): Promise<void> {
    const args = this.keys();
    if (!args) return;
    this.say(texts.working);
    const d = this.description!;
    this.proof = await this.services.core.call<Sweep>('sketcher.sweep', args);
    const name = (link: number): string => this.sketch.bones.find((b) => b.id === d.owners[link])?.name ?? '';
    const p = this.proof;
    this.say(p.answer === 'free' ? texts.free : p.answer === 'contact' ? texts.contactAt(p.upper, name(p.linkA), name(p.linkB)) : texts.undecided(p.lower));
  }

  async play(): Promise<void> {
    const args = this.keys();
    const d = this.description;
    if (!args || !d) return;
    const turn = ++this.running;
    const poses = await this.services.core.call<Float64Array>('sketcher.play', args);
    const width = poses.length / args.samples;
    for (let i = 0; i < args.samples && turn === this.running && d === this.description; i++) {
      this.takePoses(d, poses.subarray(i * width, (i + 1) * width));
      this.scene.place(this.frames);
      this.paint();
      await new Promise(requestAnimationFrame);
    }
    if (turn === this.running) void this.refresh();
  }

  /* ---- physics ---------------------------------------------------------------------------------- */

  private async startPhysics(): Promise<void> {
    const d = this.description;
    const turn = ++this.running;
    this.steps = 0;
    this.costs = [];
    if (!d || !this.sketch.bones.length) return this.say(texts.empty);
    try {
      await this.services.core.call('sketcher.start', { angles: anglesOf(d, this.pose), fixed: true, gravity: 9.81, ground: NaN });
      while (turn === this.running && this.mode === 'physics') {
        const poses = await this.services.core.call<Float64Array>('sketcher.step', { dt: 1 / 60, frames: 1, ...this.hand });
        if (turn !== this.running) return;
        this.steps++;
        this.costs = [...this.costs.slice(-119), poses[poses.length - 1]!];
        this.takePoses(d, poses);
        this.scene.place(this.frames);
        this.paint();
        await new Promise(requestAnimationFrame);
      }
    } catch (e) {
      if (turn === this.running) this.say((e as Error).message);
    }
  }

  private grab(t: Touch): void {
    const id = this.movedBoneAt(t);
    if (id === null || !this.description) return;
    this.select({ node: null, bone: id, body: null });
    const point = this.world(t, this.frames.get(id)!.at);
    this.hand = { pull: { link: this.description.bones.find((b) => b.id === id)!.link, point: [...point], target: [...point] }, twist: null };
  }

  /** Pulls or twists the selected bone for a while, without a finger. */
  private nudge(twist: boolean): void {
    const id = this.selection.bone ?? this.sketch.bones[this.sketch.bones.length - 1]?.id;
    const d = this.description;
    const link = d?.bones.find((b) => b.id === id)?.link;
    if (link === undefined || id === undefined) return this.say(texts.empty);
    const at = compose(this.frames.get(id)!, { at: toBone(this.sketch, doc.boneOf(this.sketch, id), doc.nodeOf(this.sketch, doc.boneOf(this.sketch, id).b).at), turn: [1, 0, 0, 0] }).at;
    this.hand = twist ? { pull: null, twist: { link, axis: [...this.views.basis(this.view.side).towards], angle: 1 } } : { pull: { link, point: [...at], target: [at[0] + 0.2, at[1], at[2] + 0.5] }, twist: null };
    window.setTimeout(() => (this.hand = { pull: null, twist: null }), 800);
  }

  /* ---- files ------------------------------------------------------------------------------------ */

  async save(format: Format | 'sketch'): Promise<void> {
    const s = this.sketch;
    const name = s.name.replace(/[^\w-]+/g, '_').slice(0, 40) || 'sketch';
    try {
      if (format === 'sketch') {
        this.services.saveFile(`${name}.sketch.json`, new Blob([JSON.stringify(s, null, 1)], { type: 'application/json' }));
        return this.say(texts.saved(`${name}.sketch.json`));
      }
      if (!s.bones.length) return this.say(texts.empty);
      const d = describe(s);
      if (this.mode === 'physics') this.running++;
      await this.services.core.call('sketcher.build', { numbers: d.numbers, names: d.names, joints: d.coordinates.map((c) => c.joint), angles: anglesOf(d, {}), limit: -1 });
      const files = await this.services.core.call<{ name: string; data: Uint8Array }[]>('sketcher.write', { name, format, angles: anglesOf(d, this.pose) });
      const single = files.length === 1;
      const data = single ? files[0]!.data : zip(files);
      const out = single ? files[0]!.name : `${name}.${format}.zip`;
      this.services.saveFile(out, new Blob([data as BlobPart]));
      this.say(texts.saved(out));
      if (this.mode === 'physics') await this.refresh();
    } catch (e) {
      this.say((e as Error).message);
    }
  }

  async drop(file: File): Promise<void> {
    const short = file.name.slice(0, 60);
    try {
      await this.take(file.name, await bytesOf(file), short);
    } catch (e) {
      const why = texts.refused(short, (e as Error).message);
      this.say(why);
      this.services.toast(why);
    }
  }

  /** By the ending of its name; an archive holds a model and the meshes beside it. */
  private async take(name: string, bytes: Uint8Array, short: string, assets: Assets = new Map()): Promise<void> {
    const ending = endingOf(name);
    const text = (): string => new TextDecoder().decode(bytes);
    const robot = (r: ReadRobot): void => this.open(r.sketch, r.notes, short);
    if (ending === 'json') robot(jsonOf(text()));
    else if (ending === 'urdf') robot(urdfOf(text(), assets));
    else if (ending === 'xml' || ending === 'mjcf') robot(mjcfOf(text(), assets));
    else if (ending === 'zip' && !assets.size) {
      const files = await unzip(bytes, BYTES_MAX);
      const model = [/\.urdf$/i, /\.(xml|mjcf)$/i, /\.json$/i, /\.(dae|gltf|glb)$/i, /\.(obj|stl)$/i].map((e) => [...files.keys()].find((f) => e.test(f))).find(Boolean);
      if (!model) throw new Error(texts.noModel);
      await this.take(model, files.get(model)!, short, files);
    } else if (!this.sketch.bones.length && /^(gltf|glb|dae)$/.test(ending)) {
      // without bones the nodes of the scene are the bones; skins are fitted to them
      const tree = ending === 'dae' ? colladaOf(text()) : gltfOf(bytes);
      const made = treeOfScene(tree, name.replace(/\.\w+$/, ''));
      const skin = made.skinned ? meshOfTree(tree) : null; // refused before anything is opened
      robot(made);
      if (skin) await this.fit(skin).catch((e: Error) => this.say(texts.opened(short, [...made.notes, e.message])));
    } else await this.fit(meshOfFile(name, bytes));
  }

  private open(s: doc.Sketch, notes: string[], name: string): void {
    this.selection = { node: null, bone: null, body: null };
    this.draft = null;
    this.history.push(s);
    this.showAll();
    if (name) this.say(texts.opened(name, notes));
  }

  /** The fitter proposes the bodies of each bone for a mesh; they take the place of the old ones. */
  private async fit(mesh: MeshData): Promise<void> {
    let s = this.sketch;
    if (!s.bones.length) throw new Error(texts.bonesFirst);
    this.say(texts.working);
    const bones = Float64Array.from(s.bones.flatMap((b) => [...doc.nodeOf(s, b.a).at, ...doc.nodeOf(s, b.b).at]));
    const parts = await this.services.core.call<FittedPart[]>('sketcher.fit', { points: mesh.points, triangles: mesh.triangles, bones, parts: this.parts });
    const fresh = new Set(parts.map((p) => s.bones[p.bone]!.id));
    s = { ...s, bones: s.bones.map((b) => (fresh.has(b.id) ? { ...b, bodies: [] } : b)) };
    for (const p of parts) {
      const bone = this.sketch.bones[p.bone]!;
      const f = compose(inverse(boneFrameOf(s, bone)), { at: p.at as unknown as doc.Vec3, turn: p.turn as unknown as doc.Quat });
      s = doc.addBody(s, bone.id, { ...f, size: p.size as unknown as doc.Vec3, e: p.e as [number, number], taper: p.taper as [number, number] }).sketch;
    }
    this.edit({ sketch: s });
    this.say(texts.fitted(parts.length));
  }

  /* ---- commands --------------------------------------------------------------------------------- */

  showAll(): void {
    const { nodes } = this.sketch;
    if (!nodes.length) {
      this.views.centre = [0, 0, 1];
      this.views.scale = 180;
      return this.paint();
    }
    const lo = [0, 1, 2].map((i) => Math.min(...nodes.map((n) => n.at[i]!)));
    const hi = [0, 1, 2].map((i) => Math.max(...nodes.map((n) => n.at[i]!)));
    this.views.centre = [0, 1, 2].map((i) => (lo[i]! + hi[i]!) / 2) as unknown as doc.Vec3;
    const size = Math.max(0.2, ...[0, 1, 2].map((i) => hi[i]! - lo[i]!));
    const v = this.views.list[0]!;
    this.views.scale = (0.7 * Math.min(v.width, v.height)) / size;
    this.paint();
  }

  private next(kind: 'node' | 'bone' | 'body'): void {
    const s = this.sketch;
    const list = kind === 'node' ? s.nodes : kind === 'bone' ? s.bones : s.bones.flatMap((b) => b.bodies);
    if (!list.length) return this.say(texts.empty);
    const i = list.findIndex((o) => o.id === this.selection[kind]);
    this.select({ node: null, bone: null, body: null, [kind]: list[(i + 1) % list.length]!.id });
  }

  /** Adds a bone by numbers: from the selected joint, of a length, in a direction in the view. */
  addBone(): void {
    const from = this.selection.node ?? null;
    const start: doc.Vec3 = from !== null ? doc.nodeOf(this.sketch, from).at : this.views.toWorld(this.view, this.view.x + this.view.width / 2, this.view.y + this.view.height / 2);
    const { right, up } = this.views.basis(this.view.side);
    const a = (this.boneDirection * Math.PI) / 180;
    const end = doc.add(start, doc.add(doc.scale(right, this.boneLength * Math.cos(a)), doc.scale(up, this.boneLength * Math.sin(a))));
    const made = doc.addChain(this.sketch, [start, end], from);
    const bone = made.sketch.bones[made.sketch.bones.length - 1];
    this.selection = { node: bone?.b ?? null, bone: null, body: null };
    this.edit(made);
  }

  private addBody(): void {
    const id = this.selection.bone ?? this.sketch.bones[this.sketch.bones.length - 1]?.id;
    if (id === undefined) return this.say(texts.empty);
    const bone = doc.boneOf(this.sketch, id);
    const half = doc.norm(doc.boneVector(this.sketch, bone)) / 2;
    const middle = doc.scale(toBone(this.sketch, bone, doc.nodeOf(this.sketch, bone.b).at), 0.5);
    const made = doc.addBody(this.sketch, id, { at: middle, turn: doc.between([0, 0, 1], middle), size: [0.35 * half, 0.35 * half, half], e: [1, 1], taper: [0, 0] });
    this.selection = { node: null, bone: null, body: made.made?.[0] ?? null };
    this.edit(made);
  }

  private nudgeBy(dx: number, dy: number): void {
    const { node, body } = this.selection;
    if (this.mode === 'hitbox' && body !== null) return this.edit({ sketch: this.turned(body, 0, 1, dx * 8, dy * 8) });
    if (node !== null && this.mode === 'skeleton') {
      const { right, up } = this.views.basis(this.view.side);
      const by = doc.add(doc.scale(right, dx * 0.05), doc.scale(up, -dy * 0.05));
      return this.edit(doc.moveNode(this.sketch, node, doc.add(doc.nodeOf(this.sketch, node).at, by)));
    }
    if (this.view.side === 'orbit') {
      this.views.yaw += dx * 0.1;
      this.views.pitch += dy * 0.1;
    } else this.views.pan(this.view, -dx * 20, -dy * 20);
    this.paint();
  }

  private change(angle: number, factor: number): void {
    const { body, bone } = this.selection;
    if (body !== null) return this.edit({ sketch: this.turned(body, angle, factor, 0, 0) });
    if (this.mode === 'pose' && bone !== null && angle) {
      const a = this.pose[bone] ?? [0, 0, 0];
      void this.setPose({ ...this.pose, [bone]: [a[0], a[1] + (angle * 180) / Math.PI, a[2]] });
    }
  }

  private removeSelected(): void {
    const { node, bone, body } = this.selection;
    if (body !== null) return this.edit(doc.removeBody(this.sketch, body));
    if (bone !== null) return this.edit(doc.removeBone(this.sketch, bone));
    if (node === null) return this.say(texts.empty);
    const gone = this.sketch.bones.filter((b) => b.a === node || b.b === node);
    this.edit({ sketch: gone.reduce((s, b) => doc.removeBone(s, b.id).sketch, this.sketch) });
  }

  commands(): Command[] {
    const c = texts.commands;
    // the buttons are in the room's own panel, by mode
    const make = (id: string, label: string, key: string | undefined, run: () => void, only?: readonly Mode[]): Command => ({
      id, label, button: false, ...(key ? { key } : {}), run, ...(only ? { enabled: () => only.includes(this.mode) } : {}),
    });
    const one = <T,>(f: (s: T) => void, v: T | null | undefined): void => (v === null || v === undefined ? this.say(texts.empty) : f(v));
    return [
      ...modes.map((m, i) => make(`mode.${m}`, texts.modes[m], String(i + 1), () => this.setMode(m))),
      ...sides.map((s) => make(`view.${s}`, texts.views[s], undefined, () => this.look(this.views.list.indexOf(this.view), s))),
      make('view.add', c.addView, 'v', () => this.addView(1)),
      make('view.remove', c.removeView, 'Backspace', () => this.addView(-1)),
      make('view.in', c.zoomIn, '+', () => { this.views.zoom(1.2); this.paint(); }),
      make('view.out', c.zoomOut, '-', () => { this.views.zoom(1 / 1.2); this.paint(); }),
      make('view.all', c.fitView, 'f', () => this.showAll()),
      make('next.node', c.nextNode, 'j', () => this.next('node')),
      make('next.bone', c.nextBone, 'b', () => this.next('bone')),
      make('next.body', c.nextBody, 'o', () => this.next('body')),
      make('bone.add', c.addBone, 'n', () => this.addBone(), ['skeleton']),
      make('bone.split', c.split, 's', () => one((b) => this.edit(doc.splitBone(this.sketch, b, 0.5)), this.selection.bone), ['skeleton']),
      make('node.weld', c.weld, 'w', () => one((n) => this.weldHere(n), this.selection.node), ['skeleton']),
      make('mirror.all', c.mirrorAll, 'y', () => this.edit(doc.mirrorSketch(this.sketch)), ['skeleton']),
      make('remove', c.remove, 'Delete', () => this.removeSelected()),
      make('move.left', c.left, 'ArrowLeft', () => this.nudgeBy(-1, 0)),
      make('move.right', c.right, 'ArrowRight', () => this.nudgeBy(1, 0)),
      make('move.up', c.up, 'ArrowUp', () => this.nudgeBy(0, -1)),
      make('move.down', c.down, 'ArrowDown', () => this.nudgeBy(0, 1)),
      make('turn.left', c.turnLeft, 'q', () => this.change(0.1, 1), ['hitbox', 'pose']),
      make('turn.right', c.turnRight, 'e', () => this.change(-0.1, 1), ['hitbox', 'pose']),
      make('larger', c.larger, '.', () => this.change(0, 1.1), ['hitbox']),
      make('smaller', c.smaller, ',', () => this.change(0, 1 / 1.1), ['hitbox']),
      ...Object.keys(doc.presets).map((p) => make(`preset.${p}`, texts.presets[p as keyof typeof texts.presets], `F${6 + Object.keys(doc.presets).indexOf(p)}`, () => one((n) => this.edit(doc.setJoint(this.sketch, n, doc.presets[p]!)), this.selection.node), ['joint'])),
      make('body.add', c.addBody, 'a', () => this.addBody(), ['hitbox']),
      make('body.shape', c.shape, 'x', () => one((b) => this.panel.openGrid(b), this.selection.body), ['hitbox']),
      make('body.mirror', c.mirror, 'm', () => one((b) => this.edit(doc.mirrorBody(this.sketch, b, 1)), this.selection.body), ['hitbox']),
      make('fit', c.fit, 't', () => void this.services.openFile('.obj,.stl,.gltf,.glb,.dae').then((f) => f && this.drop(f))),
      make('key.add', c.key, 'k', () => { this.edit(doc.setKey(this.sketch, this.keyTime, this.pose)); this.keyTime = Math.round((this.keyTime + 1) * 1000) / 1000; this.panel.show(); }, ['pose']),
      make('key.remove', c.removeKey, 'l', () => this.edit(doc.removeKey(this.sketch, this.sketch.keys.length - 1)), ['pose']),
      make('key.play', c.play, 'p', () => void this.play(), ['pose']),
      make('key.prove', c.prove, 'c', () => void this.prove(), ['pose']),
      make('physics.pull', c.pull, 'u', () => this.nudge(false), ['physics']),
      make('physics.twist', c.twist, 'i', () => this.nudge(true), ['physics']),
      make('file.new', c.blank, undefined, () => this.open({ ...doc.empty }, [], '')),
      make('file.open', c.open, 'g', () => void this.services.openFile('.json,.urdf,.xml,.mjcf,.zip,.obj,.stl,.gltf,.glb,.dae').then((f) => f && this.drop(f))),
      make('save.sketch', texts.sketch, 'z', () => void this.save('sketch')),
      make('save.json', texts.scene, undefined, () => void this.save('json')),
      ...(Object.keys(texts.formats) as (keyof typeof texts.formats)[]).map((f) => make(`save.${f}`, texts.formats[f], undefined, () => void this.save(f))),
    ];
  }
}

export function createRoom(): Room {
  return new SketcherRoom();
}
