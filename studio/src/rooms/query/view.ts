/** The picture of the query lab: bodies, witness points, path, arrows. */
import {
  ArrowHelper, BufferAttribute, BufferGeometry, Color, DoubleSide, EdgesGeometry, Group, Line, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial,
  PlaneGeometry, SphereGeometry, Vector3,
} from 'three';
import type { Body, Contact, Derivatives, MeshArrays } from '../../core/query';
import { Stage } from '../../view/stage';

const COLOURS = [0x4f8df5, 0xf2a154, 0x57c99a, 0xd86fae, 0xa98bf0, 0x5bc0d8, 0xd8c25b, 0xe07a6a];
export const colourOf = (i: number): string => '#' + new Color(COLOURS[i % COLOURS.length]!).getHexString();

export class QueryView {
  readonly stage: Stage;
  private readonly meshes: Mesh<BufferGeometry, MeshLambertMaterial>[] = [];
  private readonly marks = new Group();
  private readonly ball = new SphereGeometry(1, 16, 12);
  private readonly outline = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.5 }));

  constructor(host: HTMLElement) {
    this.stage = new Stage(host);
    this.outline.visible = false;
    this.stage.scene.add(this.marks, this.outline);
  }

  /** New meshes where there are some, poses for all, and no more bodies than there are. */
  place(bodies: readonly Body[], meshes: readonly (MeshArrays | null)[], selected: number, through: boolean, clashing: ReadonlySet<number>): void {
    while (this.meshes.length > bodies.length) this.drop(this.meshes.pop()!);
    bodies.forEach((body, i) => {
      let mesh = this.meshes[i];
      if (!mesh) {
        mesh = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ color: COLOURS[i % COLOURS.length] }));
        mesh.userData['index'] = i;
        this.meshes[i] = mesh;
        this.stage.scene.add(mesh);
      }
      const arrays = meshes[i];
      if (arrays) this.shape(mesh, arrays);
      else if (body.kind === 'halfspace' && mesh.geometry.type !== 'PlaneGeometry') {
        mesh.geometry.dispose();
        mesh.geometry = new PlaneGeometry(14, 14);
      }
      const flat = body.kind === 'halfspace', m = mesh.material;
      m.side = flat ? DoubleSide : 0;
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

  private shape(mesh: Mesh, arrays: MeshArrays): void {
    mesh.geometry.dispose();
    mesh.geometry = new BufferGeometry();
    mesh.geometry.setAttribute('position', new BufferAttribute(arrays.positions, 3));
    mesh.geometry.setAttribute('normal', new BufferAttribute(arrays.normals, 3));
    mesh.geometry.setIndex(new BufferAttribute(arrays.triangles, 1));
    if (arrays.triangles.length < 40) {
      // a box: its normals are those of its corners, so it is shaded by face instead
      mesh.geometry = mesh.geometry.toNonIndexed();
      mesh.geometry.computeVertexNormals();
      this.outline.geometry = new EdgesGeometry(mesh.geometry);
    }
  }

  private drop(mesh: Mesh<BufferGeometry, MeshLambertMaterial>): void {
    this.stage.scene.remove(mesh);
    mesh.geometry.dispose();
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
