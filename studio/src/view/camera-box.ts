/**
 * The open-box camera widget [Thesis, 4.2]: a cube whose back, bottom and left faces are folded
 * outwards, so that all six can be touched; each shows the body from its side. The disc beside it is
 * the seventh view, which orbits; on the front face it would leave a finger nothing of that.
 */
export const sides = ['front', 'back', 'left', 'right', 'top', 'bottom', 'orbit'] as const;
export type Side = (typeof sides)[number];

const SVG = 'http://www.w3.org/2000/svg';
const faces: { readonly [side in Exclude<Side, 'orbit'>]: string } = {
  front: '32,56 66,56 66,90 32,90',
  top: '32,54 66,54 92,28 58,28',
  right: '68,56 68,90 94,64 94,30',
  back: '59,26 93,26 106,2 72,2',
  left: '30,56 30,90 2,96 2,62',
  bottom: '32,92 66,92 58,118 24,118',
};

export class CameraBox {
  /** The box, and for small views a button that opens it: they would be hidden below it. */
  readonly corner = document.createElement('div');
  private readonly button = document.createElement('button');
  private readonly element: SVGSVGElement;
  private readonly parts = new Map<Side, SVGElement>();

  constructor(private readonly labels: { readonly [side in Side]: string }, title: string, choose: (side: Side) => void) {
    this.element = document.createElementNS(SVG, 'svg');
    this.element.setAttribute('viewBox', '0 0 120 120');
    this.element.setAttribute('class', 'camera-box');
    this.element.setAttribute('role', 'radiogroup');
    this.element.setAttribute('aria-label', title);
    for (const side of sides) {
      const shape = document.createElementNS(SVG, side === 'orbit' ? 'circle' : 'polygon');
      if (side === 'orbit') {
        for (const [k, v] of Object.entries({ cx: '100', cy: '100', r: '14' })) shape.setAttribute(k, v);
      } else {
        shape.setAttribute('points', faces[side]);
      }
      shape.setAttribute('role', 'radio');
      shape.setAttribute('tabindex', '0');
      shape.setAttribute('aria-label', labels[side]);
      shape.setAttribute('data-side', side);
      const tip = document.createElementNS(SVG, 'title');
      tip.textContent = labels[side];
      shape.append(tip);
      shape.addEventListener('click', () => {
        this.open(false);
        choose(side);
      });
      shape.addEventListener('keydown', (event) => {
        const key = (event as KeyboardEvent).key;
        if (key === 'Enter' || key === ' ') {
          event.preventDefault();
          choose(side);
        }
      });
      this.parts.set(side, shape);
      this.element.append(shape);
    }
    this.corner.className = 'camera-corner';
    this.button.type = 'button';
    this.button.addEventListener('click', () => this.open(!this.corner.classList.contains('open')));
    this.corner.append(this.button, this.element);
  }

  private open(on: boolean): void {
    this.corner.classList.toggle('open', on);
    this.button.setAttribute('aria-expanded', String(on));
  }

  /** Its place, from the right and the top of the drawing area. */
  place(right: number, top: number, small: boolean): void {
    this.corner.classList.toggle('small', small);
    this.corner.style.right = `${right}px`;
    this.corner.style.top = `${top}px`;
  }

  select(side: Side): void {
    this.button.textContent = this.labels[side].split(/\W/)[0]!;
    this.button.setAttribute('aria-label', `${this.labels[side]}: ${this.element.getAttribute('aria-label')}`);
    for (const [s, part] of this.parts) {
      part.setAttribute('aria-checked', String(s === side));
    }
  }
}
