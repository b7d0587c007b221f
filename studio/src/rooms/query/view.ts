/** The picture of the query lab: bodies with their dents, witness points, path, arrows. */
import {
  ArrowHelper, Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Line, LineBasicMaterial, Mesh, MeshLambertMaterial,
  PlaneGeometry, Sphere, SphereGeometry, Vector3,
} from 'three';
import type { Body, Contact, Derivatives, MeshArrays } from '../../core/query';
import { Stage } from '../../view/stage';

const COLOURS = [0x4f8df5, 0xf2a154, 0x57c99a, 0xd86fae, 0xa98bf0, 0x5bc0d8, 0xd8c25b, 0xe07a6a];
export const colourOf = (i: number): string => '#' + new Color(COLOURS[i % COLOURS.length]!).getHexString();

/** The deepest dents are drawn as deep as this share of the body, and none shallower than it is. */
const DRAWN_DEPTH = 0.16;
/** The colour of the deepest place, and of the end of the scale in query.css. */
const DEEP = 0xff2d55;

/** A dent as it is drawn: its depth, and how many times as deep. */
export interface DrawnDent { depth: number; times: number }

export class QueryView {
  readonly stage: Stage;
  /** What each mesh was made of, and its dent where that is drawn. */
  private readonly sources: { arrays: MeshArrays; dents: boolean; dent: DrawnDent | null }[] = [];
  private readonly meshes: Mesh<BufferGeometry, MeshLambertMaterial>[] = [];
  private readonly marks = new Group();
  private readonly ball = new SphereGeometry(1, 16, 12);
  constructor(host: HTMLElement) {
    this.stage = new Stage(host);
    this.stage.scene.add(this.marks);
  }

  /** New meshes where there are some, poses for all, and no more bodies than there are. */
  place(bodies: readonly Body[], meshes: readonly (MeshArrays | null)[], selected: number, through: boolean, clashing: ReadonlySet<number>, dents: boolean): void {
    while (this.meshes.length > bodies.length) this.drop(this.meshes.pop()!);
    this.sources.length = Math.min(this.sources.length, bodies.length);
    bodies.forEach((body, i) => {
      let mesh = this.meshes[i];
      if (!mesh) {
        mesh = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ color: COLOURS[i % COLOURS.length] }));
        mesh.userData['index'] = i;
        this.meshes[i] = mesh;
        this.stage.scene.add(mesh);
      }
      const arrays = meshes[i] ?? (this.sources[i]?.dents !== dents ? this.sources[i]?.arrays : undefined);
      if (body.kind === 'halfspace') {
        if (mesh.geometry.type !== 'PlaneGeometry') {
          this.bare(mesh);
          mesh.geometry = new PlaneGeometry(14, 14);
          mesh.material.vertexColors = false;
          mesh.material.color.setHex(COLOURS[i % COLOURS.length]!);
        }
        delete this.sources[i];
      } else if (arrays) this.sources[i] = { arrays, dents, dent: this.shape(mesh, arrays, dents, COLOURS[i % COLOURS.length]!) };
      const flat = body.kind === 'halfspace', m = mesh.material;
      m.side = flat || body.kind === 'mesh' ? DoubleSide : 0;
      m.transparent = flat || through;
      m.opacity = flat ? 0.25 : through ? 0.45 : 1;
      m.depthWrite = !m.transparent;
      m.emissive.setHex(clashing.has(i) ? 0x661111 : i === selected ? 0x101822 : 0);
      m.needsUpdate = true;
      const [w, x, y, z] = body.rotation, n = Math.hypot(w, x, y, z) || 1;
      mesh.position.set(...body.position);
      mesh.quaternion.set(x / n, y / n, z / n, w / n);
    });
    this.stage.draw();
  }

  /** The dent of a body, if it is drawn. */
  drawnDent(index: number): DrawnDent | null {
    return this.sources[index]?.dent ?? null;
  }

  /** Gives away what a mesh shows: its geometry, and the cover over its dent. */
  private bare(mesh: Mesh): void {
    mesh.geometry.dispose();
    for (const child of [...mesh.children] as Mesh<BufferGeometry, MeshLambertMaterial>[]) {
      mesh.remove(child);
      child.geometry.dispose();
      child.material.dispose();
    }
  }

  private shape(mesh: Mesh<BufferGeometry, MeshLambertMaterial>, arrays: MeshArrays, dents: boolean, colour: number): DrawnDent | null {
    this.bare(mesh);
    mesh.geometry = new BufferGeometry();
    mesh.geometry.setAttribute('position', new BufferAttribute(arrays.positions, 3));
    mesh.geometry.setAttribute('normal', new BufferAttribute(arrays.normals, 3));
    mesh.geometry.setIndex(new BufferAttribute(arrays.triangles, 1));
    const drawn = dents && arrays.dent ? this.dent(mesh, arrays, arrays.dent, colour) : null;
    mesh.material.vertexColors = drawn !== null;
    mesh.material.color.setHex(drawn ? 0xffffff : colour);
    if (arrays.flat || arrays.triangles.length < 40) {
      // normals at corners are not those of the faces
      mesh.geometry = mesh.geometry.toNonIndexed();
      mesh.geometry.computeVertexNormals();
    }
    return drawn;
  }

  /** Colours by depth, the hollow deepened so that it is seen, and the hull over it. */
  private dent(mesh: Mesh, arrays: MeshArrays, ways: Float32Array, colour: number): DrawnDent | null {
    const depths = Float32Array.from({ length: ways.length / 3 }, (_, i) => Math.hypot(ways[3 * i]!, ways[3 * i + 1]!, ways[3 * i + 2]!));
    const depth = depths.reduce((a, b) => Math.max(a, b), 0);
    if (!(depth > 0)) return null;
    const size = new Vector3();
    mesh.geometry.computeBoundingBox();
    mesh.geometry.boundingBox!.getSize(size);
    const times = Math.max(1, (DRAWN_DEPTH * Math.min(size.x, size.y, size.z)) / depth);
    const colours = new Float32Array(ways.length), base = new Color(colour), deep = new Color(DEEP), mix = new Color();
    depths.forEach((d, i) => mix.lerpColors(base, deep, Math.min(1, d / depth)).toArray(colours, 3 * i));
    const inwards = arrays.positions.map((p, i) => p - (times - 1) * ways[i]!);
    mesh.geometry.setAttribute('position', new BufferAttribute(inwards, 3));
    mesh.geometry.setAttribute('color', new BufferAttribute(colours, 3));
    mesh.geometry.computeVertexNormals();
    const cover = new BufferGeometry(), { triangles } = arrays, over: number[] = [];
    for (let i = 0; i < triangles.length; i += 3) {
      const corners = [triangles[i]!, triangles[i + 1]!, triangles[i + 2]!];
      if (corners.some((v) => depths[v]! > 1e-3 * depth)) over.push(...corners);
    }
    cover.setAttribute('position', new BufferAttribute(arrays.positions.map((p, i) => p + ways[i]!), 3));
    cover.setIndex(over);
    cover.computeVertexNormals();
    const bridge = new Mesh(cover, new MeshLambertMaterial({ color: 0xffffff, transparent: true, opacity: 0.3, depthWrite: false, side: DoubleSide }));
    bridge.renderOrder = 2;
    mesh.add(bridge);
    return { depth, times };
  }

  private drop(mesh: Mesh<BufferGeometry, MeshLambertMaterial>): void {
    this.stage.scene.remove(mesh);
    this.bare(mesh);
    mesh.material.dispose();
  }

  private dot(at: readonly number[], colour: number, size: number): void {
    const mesh = new Mesh(this.ball, new MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.5, depthTest: false }));
    mesh.position.set(at[0]!, at[1]!, at[2]!);
    mesh.scale.setScalar(size);
    mesh.renderOrder = 5;
    this.marks.add(mesh);
  }

  private line(points: Vector3[], colour: number): void {
    const line = new Line(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color: colour, depthTest: false }));
    line.renderOrder = 4;
    this.marks.add(line);
  }

  private arrow(from: Vector3, to: Vector3, colour: number): void {
    const length = to.length();
    if (!(length > 1e-6)) return;
    const arrow = new ArrowHelper(to.clone().normalize(), from, length, colour, Math.min(0.25, 0.4 * length), Math.min(0.14, 0.25 * length));
    for (const part of [arrow.line, arrow.cone]) {
      part.renderOrder = 4;
      (part.material as LineBasicMaterial).depthTest = false;
    }
    this.marks.add(arrow);
  }

  /** What is known about contacts: all lines, and of the chosen pair points, normal, path and slopes. */
  mark(contacts: readonly Contact[], chosen: Contact | null, path: Float64Array | null, slopes: Derivatives | null, bodies: readonly Body[]): void {
    for (const child of [...this.marks.children]) {
      this.marks.remove(child);
      if (child instanceof ArrowHelper) child.dispose();
      else {
        const mesh = child as Mesh;
        if (mesh.geometry !== this.ball) mesh.geometry.dispose();
        (mesh.material as MeshLambertMaterial).dispose();
      }
    }
    for (const c of contacts) if (c.status >= 0 && c !== chosen) this.line([new Vector3(...c.pointA), new Vector3(...c.pointB)], 0x8a97a8);
    if (chosen && chosen.status >= 0) {
      const colour = chosen.gap > 0 ? 0x1fbf75 : 0xe5484d;
      this.line([new Vector3(...chosen.pointA), new Vector3(...chosen.pointB)], colour);
      this.dot(chosen.pointA, colour, 0.055);
      this.dot(chosen.pointB, colour, 0.055);
      this.arrow(new Vector3(...chosen.pointA), new Vector3(...chosen.normal).multiplyScalar(0.7), 0xffffff);
    }
    if (path) {
      for (const side of [0, 3]) {
        const points: Vector3[] = [];
        for (let i = side; i + 2 < path.length; i += 6) points.push(new Vector3(path[i], path[i + 1], path[i + 2]));
        this.line(points, 0xff8c1a);
        points.forEach((p, i) => this.dot(p.toArray(), 0xff8c1a, i === 0 ? 0.05 : 0.032));
      }
    }
    if (slopes && chosen) {
      [chosen.a, chosen.b].forEach((index, k) => {
        const body = bodies[index], g = slopes.gap[k];
        if (body && g) this.arrow(new Vector3(...body.position), new Vector3(g[0], g[1], g[2]), 0x34d399);
      });
    }
    this.stage.draw();
  }

  /** A place from which all bodies are seen. */
  frame(): void {
    const box = new Box3();
    for (const mesh of this.meshes) if (mesh.geometry.type !== 'PlaneGeometry') box.expandByObject(mesh);
    const ball = box.getBoundingSphere(new Sphere());
    // a ball that fills the height of the picture is 3.1 radii away; bodies rarely reach the corners of their box
    if (ball.radius > 0) this.stage.look(ball.center, Math.min(60, Math.max(2, 2.5 * ball.radius)));
  }

  pick(x: number, y: number): number {
    const hit = this.stage.ray(x, y).intersectObjects(this.meshes.filter((m) => m.geometry.type !== 'PlaneGeometry'), false)[0];
    return hit ? (hit.object.userData['index'] as number) : -1;
  }

  dispose(): void {
    this.mark([], null, null, null, []);
    for (const mesh of this.meshes) this.drop(mesh);
    this.ball.dispose();
    this.stage.dispose();
  }
}
