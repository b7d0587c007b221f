/** The picture of the mannequin: figure, garment and pins. */
import { BufferAttribute, BufferGeometry, CircleGeometry, DoubleSide, Mesh, MeshLambertMaterial, Plane, SphereGeometry, Vector3 } from 'three';
import { PARTS } from '../../core/figure';
import type { Garment } from '../../core/garments';
import type { Vec3 } from '../../core/play';
import type { Surface } from '../../files/terrain';
import { Stage } from '../../view/stage';
import { superovoid } from '../../view/superovoid';

const COLOURS: Record<Garment, number> = { poncho: 0xc2603f, cape: 0x5b3f8c, skirt: 0x2f7f6f, tube: 0x27598f };
const MIDDLE = new Vector3(0, 0, 0.88);

export class DressView {
  readonly stage: Stage;
  private readonly figure: Mesh[];
  private readonly cloth = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ side: DoubleSide }));
  private readonly pins: Mesh[] = [];
  private triangles: Uint32Array = new Uint32Array();

  constructor(host: HTMLElement, label: string) {
    this.stage = new Stage(host, 0);
    this.stage.canvas.setAttribute('aria-label', label);
    this.stage.canvas.setAttribute('role', 'application');
    const skin = new MeshLambertMaterial({ color: 0xd9c3a5 });
    this.figure = PARTS.map((p) => new Mesh(superovoid(p.size, p.exponents, p.taper), skin));
    const floor = new Mesh(new CircleGeometry(0.9, 64), new MeshLambertMaterial({ color: 0x8892a0, transparent: true, opacity: 0.35 }));
    floor.position.z = -0.004;
    this.cloth.frustumCulled = false;
    this.stage.scene.add(...this.figure, this.cloth, floor);
    this.stage.orbit(-40, -18);
    this.stage.look(MIDDLE, 3.6);
  }

  wear(garment: Garment, triangles: Uint32Array, vertices: number): void {
    this.cloth.geometry.dispose();
    const g = new BufferGeometry();
    for (const name of ['position', 'normal']) g.setAttribute(name, new BufferAttribute(new Float32Array(3 * vertices), 3));
    g.setIndex(new BufferAttribute(triangles, 1));
    this.triangles = triangles;
    this.cloth.geometry = g;
    this.cloth.material.color.set(COLOURS[garment]);
  }

  show(picture: Float32Array, parts: Float64Array, pins: readonly Vec3[]): void {
    const half = picture.length / 2, g = this.cloth.geometry;
    if (g.getAttribute('position')?.array.length !== half) return; // of the garment before
    (['position', 'normal'] as const).forEach((name, i) => {
      const a = g.getAttribute(name) as BufferAttribute;
      a.array.set(picture.subarray(i * half, (i + 1) * half));
      a.needsUpdate = true;
    });
    this.figure.forEach((mesh, i) => {
      const [x = 0, y = 0, z = 0, w = 1, qx = 0, qy = 0, qz = 0] = parts.subarray(7 * i, 7 * i + 7);
      mesh.position.set(x, y, z);
      mesh.quaternion.set(qx, qy, qz, w);
    });
    while (this.pins.length < pins.length) {
      const pin = new Mesh(new SphereGeometry(0.014, 12, 8), new MeshLambertMaterial({ color: 0xf2c14e }));
      this.pins.push(pin);
      this.stage.scene.add(pin);
    }
    this.pins.forEach((pin, i) => {
      pin.visible = i < pins.length;
      if (pins[i]) pin.position.set(...pins[i]);
    });
    this.stage.draw();
  }

  rayAt(x: number, y: number): { origin: Vec3; direction: Vec3 } {
    const { origin, direction } = this.stage.ray(x, y).ray;
    return { origin: origin.toArray(), direction: direction.toArray() };
  }

  /** Where the ray of a pixel meets the plane through a point that faces the camera. */
  facing(x: number, y: number, through: Vec3): Vec3 | null {
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new Vector3()), new Vector3(...through));
    return this.stage.ray(x, y).ray.intersectPlane(plane, new Vector3())?.toArray() ?? null;
  }

  /** A point's pixel. */
  on(p: Vec3): { x: number; y: number } {
    return this.stage.project(new Vector3(...p));
  }

  /** Figure and garment as one surface, for files; the garment's vertices come first. */
  surface(drape: Float64Array): Surface {
    const points = [...drape], corners = [...this.triangles], at = new Vector3();
    for (const mesh of this.figure) {
      const first = points.length / 3, position = mesh.geometry.getAttribute('position');
      mesh.updateMatrixWorld();
      for (let i = 0; i < position.count; i++) points.push(...at.fromBufferAttribute(position, i).applyMatrix4(mesh.matrixWorld).toArray());
      for (const i of mesh.geometry.index!.array) corners.push(first + i);
    }
    return { positions: Float64Array.from(points), triangles: Uint32Array.from(corners) };
  }

  garment(drape: Float64Array): Surface {
    return { positions: drape, triangles: this.triangles };
  }

  dispose(): void {
    for (const mesh of [...this.figure, this.cloth, ...this.pins]) mesh.geometry.dispose();
    this.stage.dispose();
  }
}
