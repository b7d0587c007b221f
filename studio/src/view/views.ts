/**
 * One to four views of one scene on one canvas: where each is, how it looks at the world, and which
 * point of the world a point of the screen is. Six are orthographic along the axes of the world, the
 * seventh orbits. z is up; the front is seen from -y.
 */
import { OrthographicCamera, Vector3, type Scene } from 'three';
import type { Side } from './camera-box';
import type { Renderer } from './renderer';

export type V3 = readonly [number, number, number];

export interface View {
  side: Side;
  /** In CSS pixels, in the canvas. */
  x: number;
  y: number;
  width: number;
  height: number;
}

const bases: { readonly [side in Exclude<Side, 'orbit'>]: { right: V3; up: V3 } } = {
  front: { right: [1, 0, 0], up: [0, 0, 1] },
  back: { right: [-1, 0, 0], up: [0, 0, 1] },
  left: { right: [0, -1, 0], up: [0, 0, 1] },
  right: { right: [0, 1, 0], up: [0, 0, 1] },
  top: { right: [1, 0, 0], up: [0, 1, 0] },
  bottom: { right: [1, 0, 0], up: [0, -1, 0] },
};

const cross = (a: V3, b: V3): V3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a: V3, b: V3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class Views {
  readonly list: View[] = [{ side: 'front', x: 0, y: 0, width: 1, height: 1 }];
  /** Point of the world in the middle of all views, and pixels per metre. */
  centre: V3 = [0, 0, 1];
  scale = 180;
  yaw = 0.6;
  pitch = 0.35;
  private readonly camera = new OrthographicCamera(-1, 1, 1, -1, -100, 100);

  basis(side: Side): { right: V3; up: V3; towards: V3 } {
    let b: { right: V3; up: V3 };
    if (side === 'orbit') {
      const cy = Math.cos(this.yaw), sy = Math.sin(this.yaw), cp = Math.cos(this.pitch), sp = Math.sin(this.pitch);
      b = { right: [cy, sy, 0], up: [-sy * sp, cy * sp, cp] };
    } else {
      b = bases[side];
    }
    return { ...b, towards: cross(b.right, b.up) };
  }

  add(): void {
    const next: Side[] = ['front', 'right', 'top', 'orbit'];
    if (this.list.length < 4) this.list.push({ side: next[this.list.length]!, x: 0, y: 0, width: 1, height: 1 });
  }
  remove(): void {
    if (this.list.length > 1) this.list.pop();
  }

  layout(width: number, height: number): void {
    const n = this.list.length;
    const wide = width >= height;
    const half = (i: number, of: number): [number, number] => [Math.round((i * (wide ? width : height)) / of), Math.round((wide ? width : height) / of)];
    this.list.forEach((v, i) => {
      if (n <= 2) {
        const [at, length] = half(i, n);
        Object.assign(v, wide ? { x: at, y: 0, width: length, height } : { x: 0, y: at, width, height: length });
      } else {
        const large = n === 3 && i === 0;
        const column = n === 3 ? Math.max(0, i - 1) : i % 2;
        const row = n === 3 ? (i === 0 ? 0 : 1) : Math.floor(i / 2);
        Object.assign(v, { x: large ? 0 : (column * width) / 2, y: (row * height) / 2, width: large ? width : width / 2, height: height / 2 });
      }
    });
  }

  at(x: number, y: number): View {
    return this.list.find((v) => x >= v.x && x < v.x + v.width && y >= v.y && y < v.y + v.height) ?? this.list[0]!;
  }

  /** The point of the world under a point of the canvas, as deep as `depth`. */
  toWorld(view: View, x: number, y: number, depth: V3 = [0, 0, 0]): V3 {
    const { right, up, towards } = this.basis(view.side);
    const u = (x - view.x - view.width / 2) / this.scale + dot(this.centre, right);
    const v = (view.y + view.height / 2 - y) / this.scale + dot(this.centre, up);
    const w = dot(depth, towards);
    return [0, 1, 2].map((i) => u * right[i]! + v * up[i]! + w * towards[i]!) as unknown as V3;
  }
  toScreen(view: View, p: V3): { x: number; y: number } {
    const { right, up } = this.basis(view.side);
    const d: V3 = [p[0] - this.centre[0], p[1] - this.centre[1], p[2] - this.centre[2]];
    return { x: view.x + view.width / 2 + dot(d, right) * this.scale, y: view.y + view.height / 2 - dot(d, up) * this.scale };
  }
  /** A vector without its depth in a view. */
  flat(view: View, v: V3): V3 {
    const { towards } = this.basis(view.side);
    const w = dot(v, towards);
    return [v[0] - w * towards[0], v[1] - w * towards[1], v[2] - w * towards[2]];
  }
  pan(view: View, dx: number, dy: number): void {
    const { right, up } = this.basis(view.side);
    this.centre = [0, 1, 2].map((i) => this.centre[i]! - (dx * right[i]!) / this.scale + (dy * up[i]!) / this.scale) as unknown as V3;
  }
  zoom(factor: number): void {
    this.scale = Math.min(5000, Math.max(10, this.scale * factor));
  }

  render(renderer: Renderer, scene: Scene, prepare: (view: View) => void): void {
    const size = renderer.domElement.getBoundingClientRect();
    renderer.setScissorTest(true);
    for (const view of this.list) {
      const { right, up, towards } = this.basis(view.side);
      const bottom = size.height - view.y - view.height;
      renderer.setViewport(view.x, bottom, view.width, view.height);
      renderer.setScissor(view.x, bottom, Math.max(0, view.width - 1), Math.max(0, view.height - 1));
      const c = this.camera;
      c.left = -view.width / 2 / this.scale;
      c.right = -c.left;
      c.top = view.height / 2 / this.scale;
      c.bottom = -c.top;
      c.position.set(...this.centre);
      c.matrix.makeBasis(new Vector3(...right), new Vector3(...up), new Vector3(...towards));
      c.quaternion.setFromRotationMatrix(c.matrix);
      c.updateProjectionMatrix();
      c.updateMatrixWorld();
      prepare(view);
      renderer.render(scene, c);
    }
  }
}
