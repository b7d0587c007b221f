/**
 * The superellipsoid parameter widget [Thesis, 4.3]: a grid with the two exponents along its axes,
 * previews on its edges that are turned and tapered as the body is and seen from where it is seen, and a
 * cursor that follows the finger and has the shape of its place. Holding a body opens it under the finger, which then slides without
 * being lifted.
 */
import { Quaternion, Vector3 } from 'three';
import type { V3 } from './views';
import './exponents.css';

export const LEAST = 0.1;
export const MOST = 1.9;
const CELLS = 5;
const PIXELS = 400;
/** Of the cursor, and the hues of it and of the previews. */
const CURSOR = 96, RED = 2, BLUE = 212;
/** Width of a preview, as a share of the grid's. */
const ICON = 0.15;

/** A body to be shaped, and the axes of the screen that it is seen on. */
export interface Shaped {
  e: readonly [number, number];
  turn: readonly [number, number, number, number]; // w x y z
  taper?: readonly [number, number];
  right: V3;
  up: V3;
}

type Change = (e: [number, number], done: boolean) => void;
const exponentAt = (share: number): number => LEAST + share * (MOST - LEAST);

export class ExponentGrid {
  readonly element = document.createElement('div');
  private readonly canvas = document.createElement('canvas');
  private readonly cursor = document.createElement('canvas');
  private body: Shaped | null = null;
  private value: [number, number] = [1, 1];
  private drawn = '';

  constructor(private readonly label: string, private readonly change: Change) {
    this.element.className = 'exponent-grid';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'application');
    this.canvas.width = this.canvas.height = PIXELS;
    this.cursor.className = 'exponent-cursor';
    this.cursor.width = this.cursor.height = CURSOR;
    this.element.append(this.canvas, this.cursor);
    this.element.addEventListener('pointerdown', (e) => {
      this.element.setPointerCapture(e.pointerId);
      this.slide(e.clientX, e.clientY, false);
    });
    this.element.addEventListener('pointermove', (e) => {
      if (this.element.hasPointerCapture(e.pointerId)) this.slide(e.clientX, e.clientY, false);
    });
    this.element.addEventListener('pointerup', (e) => this.slide(e.clientX, e.clientY, true));
    this.element.addEventListener('contextmenu', (e) => e.preventDefault());
    this.element.addEventListener('keydown', (e) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
      if (!step) return;
      e.preventDefault();
      e.stopPropagation();
      this.set([this.value[0] + 0.1 * step[0]!, this.value[1] + 0.1 * step[1]!], true);
    });
  }

  show(body: Shaped): void {
    this.value = [body.e[0], body.e[1]];
    this.body = body;
    this.move();
    const key = JSON.stringify({ ...body, e: 0 });
    if (key === this.drawn) return;
    this.drawn = key;
    this.draw(body);
  }

  /** Takes a place of the screen as exponents. */
  slide(x: number, y: number, done: boolean): void {
    const r = this.element.getBoundingClientRect();
    this.set([exponentAt((x - r.left) / r.width), exponentAt(1 - (y - r.top) / r.height)], done);
  }

  private set(e: [number, number], done: boolean): void {
    const round = (n: number): number => Math.round(Math.min(MOST, Math.max(LEAST, n)) * 100) / 100;
    this.value = [round(e[0]), round(e[1])];
    this.move();
    this.change(this.value, done);
  }

  private move(): void {
    const at = (e: number): string => `${((e - LEAST) / (MOST - LEAST)) * 100}%`;
    this.cursor.style.left = at(this.value[0]);
    this.cursor.style.bottom = at(this.value[1]);
    this.element.setAttribute('aria-label', `${this.label}: ${this.value[0].toFixed(2)}, ${this.value[1].toFixed(2)}`);
    const c = this.cursor.getContext('2d')!;
    c.clearRect(0, 0, CURSOR, CURSOR);
    if (this.body) preview(c, CURSOR / 2, CURSOR / 2, 0.27 * CURSOR, this.value, this.body.taper ?? [0, 0], axesOf(this.body), RED);
  }

  private draw(body: Shaped): void {
    const c = this.canvas.getContext('2d')!;
    c.clearRect(0, 0, PIXELS, PIXELS);
    c.lineWidth = 1;
    const axes = axesOf(body);
    const scale = PIXELS / (1 + ICON);
    for (let i = 0; i < CELLS; i++) {
      for (let j = 0; j < CELLS; j++) {
        if (i > 0 && i < CELLS - 1 && j > 0 && j < CELLS - 1) continue;
        const [s, t] = [i / (CELLS - 1), j / (CELLS - 1)];
        preview(c, scale * (s + ICON / 2), scale * (1 - t + ICON / 2), 0.31 * ICON * scale, [exponentAt(s), exponentAt(t)], body.taper ?? [0, 0], axes);
      }
    }
  }
}

/** Right, up and towards the eye in the body's frame. */
function axesOf(body: Shaped): [Vector3, Vector3, Vector3] {
  // a little from the right and from above, so that more than one side is seen
  const right = new Vector3(...body.right), up = new Vector3(...body.up);
  const eye = right.clone().cross(up).addScaledVector(right, 0.45).addScaledVector(up, 0.45).normalize();
  const u = up.clone().cross(eye).normalize(), v = eye.clone().cross(u);
  const turn = new Quaternion(body.turn[1], body.turn[2], body.turn[3], body.turn[0]).invert();
  return [u, v, eye].map((a) => a.applyQuaternion(turn)) as [Vector3, Vector3, Vector3];
}

/** Unit superellipse in a direction from its centre. */
function curve(angle: number, e: number): [number, number] {
  const x = Math.cos(angle), y = Math.sin(angle), k = (Math.abs(x) ** (2 / e) + Math.abs(y) ** (2 / e)) ** (-e / 2);
  return [x * k, y * k];
}

/** The sides of a convex body that are turned to the eye, each with its light. */
function preview(c: CanvasRenderingContext2D, x: number, y: number, r: number, e: [number, number], taper: readonly [number, number], axes: [Vector3, Vector3, Vector3], hue = BLUE): void {
  const around = 20, along = 10;
  const rows = Array.from({ length: along + 1 }, (_, j) => {
    const [w, z] = curve(-Math.PI / 2 + (Math.PI * j) / along, e[1]);
    return Array.from({ length: around }, (_, i) => {
      const [px, py] = curve((2 * Math.PI * i) / around, e[0]);
      const p = new Vector3(w * px * (1 + taper[0] * z), w * py * (1 + taper[1] * z), z);
      return new Vector3(p.dot(axes[0]), p.dot(axes[1]), p.dot(axes[2]));
    });
  });
  for (let j = 0; j < along; j++) {
    for (let i = 0; i < around; i++) {
      const k = (i + 1) % around;
      const corners = [rows[j]![i]!, rows[j]![k]!, rows[j + 1]![k]!, rows[j + 1]![i]!];
      const n = corners[2]!.clone().sub(corners[0]!).cross(corners[3]!.clone().sub(corners[1]!)).normalize();
      if (n.z <= 0) continue;
      const light = 34 + 38 * Math.max(0, 0.4 * n.z - 0.45 * n.x + 0.75 * n.y);
      c.fillStyle = c.strokeStyle = `hsl(${hue} 62% ${light}%)`;
      c.beginPath();
      for (const p of corners) c.lineTo(x + r * p.x, y - r * p.y);
      c.closePath();
      c.fill();
      c.stroke();
    }
  }
}

/** The grid under a finger, or in the middle of the screen for keys and mouse. */
export class ExponentPopup {
  private frame: HTMLElement | null = null;
  private widget: ExponentGrid | null = null;

  /** `closed` is called once, when the shape is chosen. */
  constructor(private readonly label: string, private readonly change: (e: [number, number]) => void, private readonly closed: (changed: boolean) => void) {}

  open(body: Shaped, x = innerWidth / 2, y = innerHeight / 2): void {
    this.close();
    const frame = document.createElement('div');
    frame.className = 'exponent-popup';
    const widget = new ExponentGrid(this.label, (e, done) => {
      this.changed = true;
      this.change(e);
      if (done && !this.byKey) this.close();
    });
    widget.show(body);
    const size = Math.min(260, innerWidth - 64, innerHeight - 64);
    const share = (e: number): number => (e - LEAST) / (MOST - LEAST);
    const within = (at: number, most: number): string => `${Math.min(most - size - 32, Math.max(32, at))}px`;
    // the finger is at the exponents that the body has: sliding starts from there
    frame.style.width = frame.style.height = `${size}px`;
    frame.style.left = within(x - share(body.e[0]) * size, innerWidth);
    frame.style.top = within(y - (1 - share(body.e[1])) * size, innerHeight);
    frame.append(widget.element);
    document.body.append(frame);
    [this.frame, this.widget, this.byKey, this.changed] = [frame, widget, false, false];
    frame.addEventListener('keydown', (e) => {
      this.byKey = true;
      if (e.key !== 'Escape' && e.key !== 'Enter') return;
      e.stopPropagation();
      this.close();
    }, { capture: true });
    frame.addEventListener('pointerdown', () => (this.byKey = false), { capture: true });
    widget.element.focus();
    widget.element.addEventListener('blur', () => this.close());
  }
  private byKey = false;
  private changed = false;

  slide(x: number, y: number): void {
    this.widget?.slide(x, y, false);
  }

  close(): void {
    const { frame } = this;
    if (!frame) return;
    this.frame = this.widget = null;
    frame.remove();
    this.closed(this.changed);
  }
}
