/**
 * What the sketcher shows: bones, joints, bodies, ranges as pie charts, contacts, handles of the
 * selected body, and a grid. It is made anew from the sketch after an edit, and only moved while
 * bodies move.
 */
import {
  AmbientLight, BufferAttribute, BufferGeometry, CircleGeometry, Color, CylinderGeometry, DirectionalLight,
  DoubleSide, Group, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion,
  Scene, SphereGeometry, Vector3, type Object3D,
} from 'three';
import { superovoid } from '../../view/superovoid';
import { compose, type Frame } from './describe';
import { add, boneVector, dot, norm, nodeOf, rotate, scale, treeOf, type Body, type Sketch, type Vec3 } from './document';

export interface Selection {
  node: number | null;
  bone: number | null;
  body: number | null;
}

const colours = { bone: 0x3b82d0, node: 0x3aa655, picked: 0xf28c28, body: 0xb9c3d6, hit: 0xd64545, axis: [0xd64545, 0x3aa655, 0x3b82d0] };
const UP = new Vector3(0, 1, 0);
const STICK = new CylinderGeometry(0.008, 0.022, 1, 10);
const BALL = new SphereGeometry(1, 16, 12);

export interface Handle {
  at: Vec3;
  /** Outwards. */
  along: Vec3;
  axis: 0 | 1 | 2;
  side: 1 | -1;
  body: Body;
}

/** Handles of a body's six sides, a little outside of them: 14 pixels at `scale` pixels a metre. */
export function handlesOf(bone: Frame, b: Body, scaleOf: number): Handle[] {
  const f = compose(bone, { at: b.at, turn: b.turn });
  return ([0, 1, 2] as const).flatMap((axis) => ([1, -1] as const).map((side) => {
    const along = rotate(f.turn, [0, 1, 2].map((i) => (i === axis ? side : 0)) as unknown as Vec3);
    return { at: add(f.at, scale(along, b.size[axis] + 14 / scaleOf)), along, axis, side, body: b };
  }));
}

export class SketchScene {
  private readonly handles = Array.from({ length: 6 }, (_, i) =>
    new Mesh(new SphereGeometry(7, 12, 8), new MeshBasicMaterial({ color: colours.axis[i >> 1]!, depthTest: false, transparent: true })));
  readonly scene = new Scene();
  private readonly bones = new Map<number, Group>();
  private surfaces = new Map<Body, BufferGeometry>();
  private readonly extras = new Group();
  private readonly grid: LineSegments;
  private readonly strokeLine = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0x7bd88f }));

  constructor() {
    const key = new DirectionalLight(0xffffff, 2.2);
    key.position.set(-2, -5, 6);
    this.scene.add(new AmbientLight(0xffffff, 1.4), key, this.extras, this.strokeLine, ...this.handles);
    this.strokeLine.frustumCulled = false;
    for (const h of this.handles) h.renderOrder = 5;
    this.grid = makeGrid();
    this.scene.add(this.grid);
  }

  /** Colours of the page's theme. */
  theme(background: string, line: string): void {
    this.scene.background = new Color(background);
    (this.grid.material as LineBasicMaterial).color = new Color(line);
  }

  build(s: Sketch, sel: Selection, mode: string, touching: ReadonlySet<number>): void {
    for (const g of this.bones.values()) this.scene.remove(g);
    this.bones.clear();
    this.extras.children.slice().forEach((c) => dispose(this.extras, c));
    // joints and sticks are as large as suits the bones
    const k = s.bones.reduce((n, b) => n + norm(boneVector(s, b)), 0) / (0.42 * Math.max(1, s.bones.length));
    const balls = new Set<number>();
    const before = this.surfaces;
    this.surfaces = new Map();
    for (const bone of s.bones) {
      const group = new Group();
      const v = boneVector(s, bone);
      const stick = new Mesh(STICK, material(sel.bone === bone.id ? colours.picked : colours.bone));
      const along = rotate([bone.frame[0], -bone.frame[1], -bone.frame[2], -bone.frame[3]], scale(v, 1 / norm(v)));
      stick.quaternion.setFromUnitVectors(UP, new Vector3(...along));
      stick.position.set(...scale(along, norm(v) / 2));
      stick.scale.set(k, norm(v), k);
      group.add(stick);
      for (const id of [bone.a, bone.b]) {
        if (balls.has(id)) continue;
        balls.add(id);
        const ball = new Mesh(BALL, material(sel.node === id ? colours.picked : colours.node));
        ball.scale.setScalar(k * (sel.node === id ? 0.045 : 0.033));
        ball.position.set(...(id === bone.a ? ([0, 0, 0] as const) : scale(along, norm(v))));
        group.add(ball);
      }
      for (const body of bone.bodies) {
        // a body that has not changed keeps its surface
        const surface = before.get(body) ?? superovoid(body.size, body.e, body.taper);
        before.delete(body);
        this.surfaces.set(body, surface);
        group.add(bodyMesh(body, surface, mode, sel.body === body.id, touching.has(body.id)));
      }
      this.bones.set(bone.id, group);
      this.scene.add(group);
    }
    for (const surface of before.values()) surface.dispose();
    if (mode === 'joint') this.addPies(s, sel);
  }

  /** Moves bones: frames by the id of the bone. */
  place(frames: ReadonlyMap<number, Frame>): void {
    for (const [id, group] of this.bones) {
      const f = frames.get(id);
      if (f) {
        group.position.set(...f.at);
        group.quaternion.set(f.turn[1], f.turn[2], f.turn[3], f.turn[0]);
      }
    }
  }

  /** Ranges of the joints as pie charts, each across its axis, at the node; all of them faint, the
   *  selected one strong. */
  private addPies(s: Sketch, sel: Selection): void {
    for (const link of treeOf(s)) {
      if (link.parent < 0) continue;
      const node = nodeOf(s, link.node);
      const strong = sel.node === node.id;
      const radius = Math.min(0.3, 0.5 * norm(boneVector(s, link.bone)));
      const q = new Quaternion(link.bone.frame[1], link.bone.frame[2], link.bone.frame[3], link.bone.frame[0]);
      (['x', 'y', 'z'] as const).forEach((axis, i) => {
        const [lo, hi] = node.joint[axis];
        if (hi <= lo) return;
        const pie = new Mesh(
          new CircleGeometry(radius, 40, (lo * Math.PI) / 180, ((hi - lo) * Math.PI) / 180),
          new MeshBasicMaterial({ color: colours.axis[i]!, transparent: true, opacity: strong ? 0.5 : 0.14, side: DoubleSide, depthWrite: false }),
        );
        // a pie lies in xy with its zero along x: across z as it is, across y with zero along x, across x with zero along z
        const turn = axis === 'z' ? new Quaternion() : axis === 'y' ? new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2) : new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
        const from = nodeOf(s, link.bone.a).id === node.id ? 0 : Math.PI;
        if (axis !== 'x' && from) turn.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI));
        pie.quaternion.copy(q).multiply(turn);
        pie.position.set(...node.at);
        this.extras.add(pie);
      });
    }
  }

  /** Handles of the selected body, as large whatever the scale. */
  placeHandles(list: readonly Handle[], scaleOf: number): void {
    this.handles.forEach((h, i) => {
      h.visible = list.length > 0;
      if (list[i]) h.position.set(...list[i].at);
      h.scale.setScalar(1 / scaleOf);
    });
  }

  /** Points of contact with their gaps, as short lines. */
  contacts(list: readonly { pointA: number[]; pointB: number[] }[]): void {
    const points: number[] = [];
    for (const c of list) points.push(...c.pointA, ...c.pointB);
    const line = this.extras.getObjectByName('contacts');
    if (line) dispose(this.extras, line);
    if (!points.length) return;
    const g = new BufferGeometry().setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
    const made = new LineSegments(g, new LineBasicMaterial({ color: colours.hit, depthTest: false }));
    made.name = 'contacts';
    this.extras.add(made);
  }

  /** The path that is being drawn. */
  stroke(points: readonly Vec3[]): void {
    this.strokeLine.geometry.dispose();
    this.strokeLine.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(Float32Array.from(points.flat()), 3));
    this.strokeLine.visible = points.length > 1;
  }

  /** The body at a point of a view, by its rest or moved frames: nearest to the eye first. */
  pick(frames: ReadonlyMap<number, Frame>, s: Sketch, p: Vec3, towards: Vec3): number | null {
    let best: number | null = null;
    let nearest = -Infinity;
    for (const bone of s.bones) {
      const frame = frames.get(bone.id);
      if (!frame) continue;
      for (const body of bone.bodies) {
        const hit = rayHit(compose(frame, { at: body.at, turn: body.turn }), body, p, towards);
        if (hit !== null && hit > nearest) {
          nearest = hit;
          best = body.id;
        }
      }
    }
    return best;
  }

  showGrid(on: boolean): void {
    this.grid.visible = on;
  }
}

/** Where a line through p along d enters the box-like region of a body: its largest parameter, or null. */
function rayHit(f: Frame, b: Body, p: Vec3, d: Vec3): number | null {
  const inverse: [number, number, number, number] = [f.turn[0], -f.turn[1], -f.turn[2], -f.turn[3]];
  const q = rotate(inverse, [p[0] - f.at[0], p[1] - f.at[1], p[2] - f.at[2]]);
  const u = rotate(inverse, d);
  const middle = -dot(q, u);
  const reach = norm(b.size) * 1.5;
  for (let i = 0; i <= 64; i++) {
    const t = middle + reach - (2 * reach * i) / 64;
    const x: Vec3 = [q[0] + t * u[0], q[1] + t * u[1], q[2] + t * u[2]];
    const zeta = x[2] / b.size[2];
    if (Math.abs(zeta) > 1) continue;
    const m = (Math.abs(x[0] / (b.size[0] * (1 + b.taper[0] * zeta))) ** (2 / b.e[0]) + Math.abs(x[1] / (b.size[1] * (1 + b.taper[1] * zeta))) ** (2 / b.e[0])) ** (b.e[0] / 2);
    if (m ** (2 / b.e[1]) + Math.abs(zeta) ** (2 / b.e[1]) <= 1) return t;
  }
  return null;
}

const materials = new Map<string, MeshLambertMaterial>();
/** One material per look, for all meshes. */
function material(color: number, opacity = 1): MeshLambertMaterial {
  const key = `${color} ${opacity}`;
  const made = materials.get(key) ?? new MeshLambertMaterial({ color, opacity, transparent: opacity < 1, depthWrite: opacity > 0.5 });
  materials.set(key, made);
  return made;
}

function bodyMesh(body: Body, surface: BufferGeometry, mode: string, picked: boolean, touching: boolean): Mesh {
  const opacity = mode === 'skeleton' || mode === 'joint' ? 0.25 : mode === 'hitbox' ? 0.75 : 1;
  const mesh = new Mesh(surface, material(touching ? colours.hit : picked ? colours.picked : colours.body, opacity));
  mesh.position.set(...body.at);
  mesh.quaternion.set(body.turn[1], body.turn[2], body.turn[3], body.turn[0]);
  return mesh;
}

/** Lines of a floor and of the planes behind it: the movement of the camera can be told by them. */
function makeGrid(): LineSegments {
  const points: number[] = [];
  for (let i = -4; i <= 4; i++) {
    points.push(i / 2, -2, 0, i / 2, 2, 0, -2, i / 2, 0, 2, i / 2, 0);
    if (i >= 0) points.push(-2, 2, i / 2, 2, 2, i / 2);
    points.push(i / 2, 2, 0, i / 2, 2, 2);
  }
  const g = new BufferGeometry().setAttribute('position', new BufferAttribute(Float32Array.from(points), 3));
  return new LineSegments(g, new LineBasicMaterial({ color: 0x888888, transparent: true, opacity: 0.35 }));
}

function dispose(parent: Object3D, child: Object3D): void {
  parent.remove(child);
  child.traverse((o) => {
    if (o instanceof Mesh || o instanceof LineSegments) {
      o.geometry.dispose();
      (o.material as { dispose(): void }).dispose();
    }
  });
}
