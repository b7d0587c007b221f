/** A small plot of a function of the way: the gap along a drag, or a force over time. */
export class Plot {
  readonly canvas = document.createElement('canvas');

  constructor(label: string) {
    this.canvas.className = 'plot';
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', label);
  }

  draw(values: ArrayLike<number>, empty: string): void {
    const ratio = Math.min(2, devicePixelRatio), w = this.canvas.clientWidth || 240, h = this.canvas.clientHeight || 90;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const c = this.canvas.getContext('2d');
    if (!c) return;
    const style = getComputedStyle(this.canvas);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    c.scale(ratio, ratio);
    c.font = '11px system-ui';
    c.fillStyle = colour('--soft');
    const list = Array.from(values).filter(Number.isFinite);
    if (list.length < 2) {
      c.fillText(empty, 4, h / 2, w - 8);
      return;
    }
    const low = Math.min(0, ...list), high = Math.max(0, ...list), span = high - low || 1;
    const y = (v: number): number => h - 6 - ((v - low) / span) * (h - 20);
    c.strokeStyle = colour('--line');
    c.beginPath();
    c.moveTo(0, y(0));
    c.lineTo(w, y(0));
    c.stroke();
    c.strokeStyle = colour('--accent');
    c.lineWidth = 2;
    c.beginPath();
    list.forEach((v, i) => c.lineTo((i / (list.length - 1)) * w, y(v)));
    c.stroke();
    c.fillText(`${high.toPrecision(3)}`, 4, 11);
    c.fillText(`${low.toPrecision(3)}`, 4, h - 4);
  }
}
