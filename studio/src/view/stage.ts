/** One view of a scene: renderer, light, ground, and a camera that orbits, pans and zooms. */
import {
  AmbientLight, Color, DirectionalLight, GridHelper, PerspectiveCamera, Raycaster, Scene, Spherical, Vector2, Vector3,
} from 'three';
import { Renderer } from './renderer';

export class Stage {
  readonly renderer = new Renderer();
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.05, 500);
  readonly target = new Vector3();
  private readonly orbitAt = new Spherical(9, 1.15, 0.6);
  private readonly grid = new GridHelper(20, 20);
  private readonly watch: ResizeObserver;
  private readonly theme: MutationObserver;
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private asked = 0;
  /** Where on the screen the picture's middle is, and who is to know when it moves. */
  middle = { x: 0, y: 0 };
  fitted: (middle: { x: number; y: number }) => void = () => undefined;
  /** Called before each picture. */
  before: () => void = () => undefined;
  frames = 0;
  private panels: HTMLElement[] = [];
  /** How large the part of the picture is that panels leave, as a share of its height. */
  private room = 1;

  /** `floor`: the height of the grid. */
  constructor(private readonly host: HTMLElement, floor = -2) {
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    host.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.camera.up.set(0, 0, 1);
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(4, -6, 9);
    const fill = new DirectionalLight(0xaaccff, 0.7);
    fill.position.set(-6, 4, 2);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = floor;
    this.scene.add(new AmbientLight(0xffffff, 0.9), sun, fill, this.grid);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(host);
    this.theme = new MutationObserver(() => this.colour());
    this.theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    this.dark.addEventListener('change', this.colour);
    this.colour();
    this.place();
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  private readonly colour = (): void => {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new Color(style.getPropertyValue('--back').trim() || '#12161c');
    const line = new Color(style.getPropertyValue('--line').trim() || '#323b48');
    const colours = this.grid.geometry.getAttribute('color');
    for (let i = 0; i < colours.count; i++) colours.setXYZ(i, line.r, line.g, line.b);
    colours.needsUpdate = true;
    this.draw();
  };

  private resize(): void {
    const w = Math.max(1, this.host.clientWidth), h = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.fit();
  }

  private place(): void {
    const p = new Vector3().setFromSpherical(this.orbitAt);
    this.camera.position.set(p.x, -p.z, p.y).add(this.target);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    this.draw();
  }

  orbit(dx: number, dy: number): void {
    this.orbitAt.theta -= dx * 0.008;
    this.orbitAt.phi = Math.min(3.1, Math.max(0.04, this.orbitAt.phi - dy * 0.008));
    this.place();
  }
  zoom(factor: number): void {
    this.orbitAt.radius = Math.min(120, Math.max(0.5, this.orbitAt.radius / factor));
    this.place();
  }
  pan(dx: number, dy: number): void {
    this.target.add(this.plane(dx, dy, this.target).negate());
    this.place();
  }
  /** `radius`: in a picture of which panels leave as much as it is high; from farther in a narrower one. */
  look(target: Vector3, radius: number): void {
    this.target.copy(target);
    this.orbitAt.radius = radius / this.room;
    this.place();
  }

  /** From a side: the direction to the eye. */
  face(direction: Vector3): void {
    this.orbitAt.setFromVector3(new Vector3(direction.x, direction.z, -direction.y).setLength(this.orbitAt.radius));
    this.orbit(0, 0);
  }
  /** Panels over the picture: its middle is that of what they leave, and it is seen from farther where that is less. */
  around(...panels: HTMLElement[]): void {
    this.panels = panels;
    this.fit();
  }
  private fit(): void {
    const w = Math.max(1, this.host.clientWidth), h = Math.max(1, this.host.clientHeight), picture = this.host.getBoundingClientRect();
    let [left, right, top, bottom] = [0, 0, 0, 0];
    for (const panel of this.panels) {
      const box = panel.getBoundingClientRect(), x = box.left - picture.left, y = box.top - picture.top;
      if (box.width > 0.6 * w) y + box.height / 2 < h / 2 ? (top = Math.max(top, y + box.height)) : (bottom = Math.max(bottom, h - y));
      else x + box.width / 2 < w / 2 ? (left = Math.max(left, x + box.width)) : (right = Math.max(right, w - x));
    }
    const room = Math.min(1, Math.max(0.35, Math.min(w - left - right, h - top - bottom) / h));
    this.orbitAt.radius *= this.room / room;
    this.room = room;
    this.middle = { x: (w + left - right) / 2, y: (h + top - bottom) / 2 };
    this.fitted(this.middle);
    this.camera.setViewOffset(w, h, (right - left) / 2, (bottom - top) / 2, w, h);
    this.place();
  }

  /** A move on the screen, in pixels, as a move in the plane across the view through a point. */
  plane(dx: number, dy: number, through: Vector3): Vector3 {
    const away = this.camera.position.distanceTo(through);
    const unit = (2 * away * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.host.clientHeight);
    const e = this.camera.matrixWorld.elements;
    return new Vector3(e[0]! * dx - e[4]! * dy, e[1]! * dx - e[5]! * dy, e[2]! * dx - e[6]! * dy).multiplyScalar(unit);
  }

  ray(x: number, y: number): Raycaster {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * x) / this.host.clientWidth - 1, 1 - (2 * y) / this.host.clientHeight), this.camera);
    return caster;
  }

  /** Where a point of the scene is on the screen. */
  project(p: Vector3): { x: number; y: number } {
    const v = p.clone().project(this.camera);
    return { x: ((v.x + 1) / 2) * this.host.clientWidth, y: ((1 - v.y) / 2) * this.host.clientHeight };
  }

  /** One picture with the next frame, however often it is asked for. */
  draw(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.before();
      this.renderer.render(this.scene, this.camera);
      this.frames++;
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    this.watch.disconnect();
    this.theme.disconnect();
    this.dark.removeEventListener('change', this.colour);
    this.renderer.dispose();
  }
}
