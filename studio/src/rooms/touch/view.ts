/** The picture of the touch lab: the object, the ball, the hand's place behind it, and the force. */
import { ArrowHelper, BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Mesh, MeshLambertMaterial, SphereGeometry, Vector3 } from 'three';
import type { Felt, Vec3 } from '../../core/touch';
import type { MeshArrays } from '../../core/query';
import { Stage } from '../../view/stage';

/** Units of the picture per metre, and per newton of the arrow. */
const SCALE = 40, ARROW = 0.4, ARROW_MAX = 2.5;
export const scaled = (p: Vec3): Vector3 => new Vector3(...p).multiplyScalar(SCALE);

export class TouchView {
  readonly stage: Stage;
  private readonly object = new Mesh(new BufferGeometry(), new MeshLambertMaterial({ color: 0xa98bf0 }));
  private readonly ball = new Mesh(new SphereGeometry(1, 24, 16), new MeshLambertMaterial({ color: 0xf2a154 }));
  private readonly hand = new Mesh(new SphereGeometry(0.05, 12, 8), new MeshLambertMaterial({ color: 0xd8433b, depthTest: false }));
  private readonly spring = new Line(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3)),
    new LineBasicMaterial({ color: 0xd8433b, depthTest: false }));
  private readonly arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, 0x1d8a5a, 0.25, 0.14);

  private placed = '';

  constructor(host: HTMLElement, label: string) {
    this.stage = new Stage(host);
    this.stage.canvas.setAttribute('aria-label', label);
    this.stage.canvas.setAttribute('role', 'application');
    this.spring.frustumCulled = false;
    for (const marker of [this.hand, this.spring]) marker.renderOrder = 2;
    this.stage.scene.add(this.object, this.ball, this.hand, this.spring, this.arrow);
    this.stage.orbit(35, 0);
    this.stage.look(new Vector3(0, 0, 0.1), 8);
  }

  show(mesh: MeshArrays): void {
    this.object.geometry.dispose();
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(mesh.positions.map((x) => x * SCALE), 3));
    g.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
    g.setIndex(new BufferAttribute(mesh.triangles, 1));
    this.object.geometry = g;
    this.stage.draw();
  }

  /** Hides the object; it can still be felt. */
  hide(hidden: boolean): void {
    this.object.visible = !hidden;
    this.stage.draw();
  }

  /** Where hand and ball are; a new picture only if a tenth of a pixel could differ. */
  place(device: Vec3, felt: Felt | null, radius: number): void {
    const now = [...device, ...(felt?.ball ?? []), ...(felt?.force ?? []).map((f) => f / 100)].map((x) => Math.round(x * 2e5)).join();
    if (now === this.placed) return;
    this.placed = now;
    const hand = scaled(device), ball = felt ? scaled(felt.ball) : hand;
    this.hand.position.copy(hand);
    this.ball.position.copy(ball);
    this.ball.scale.setScalar(radius * SCALE);
    const line = this.spring.geometry.getAttribute('position');
    line.setXYZ(0, ball.x, ball.y, ball.z);
    line.setXYZ(1, hand.x, hand.y, hand.z);
    line.needsUpdate = true;
    const force = felt ? new Vector3(...felt.force) : new Vector3();
    const size = force.length();
    this.arrow.visible = size > 1e-3;
    if (this.arrow.visible) {
      this.arrow.position.copy(ball);
      this.arrow.setDirection(force.divideScalar(size));
      this.arrow.setLength(0.25 + Math.min(ARROW_MAX, ARROW * size), 0.25, 0.14);
    }
    this.stage.draw();
  }

  /**
   * Where a finger on the screen leads the ball: pressed onto what is under it, by its radius less
   * `press` off the surface; beside the object, in the plane across the view through the middle.
   */
  finger(x: number, y: number, radius: number, press: number): Vec3 {
    const ray = this.stage.ray(x, y);
    const hit = ray.intersectObject(this.object)[0];
    const at = new Vector3();
    if (hit?.face) {
      at.copy(hit.point).addScaledVector(hit.normal ?? hit.face.normal, (radius - press) * SCALE);
    } else {
      const view = this.stage.camera.getWorldDirection(new Vector3());
      const way = -this.stage.camera.position.dot(view) / ray.ray.direction.dot(view);
      ray.ray.at(way, at);
    }
    return at.divideScalar(SCALE).toArray();
  }

  project(p: Vec3): { x: number; y: number } {
    return this.stage.project(scaled(p));
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.stage.dispose();
  }
}
