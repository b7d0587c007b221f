/**
 * Pointer events to gestures, one set of code for all rooms: tap, double tap, hold, drag with one
 * finger, tap with two, and the pinch that moves, turns and scales at once. Mouse: the right or
 * middle button is a drag with `second` set, the wheel a pinch.
 */
export interface Point { x: number; y: number }
export interface PinchMove { dx: number; dy: number; scale: number; turn: number; x: number; y: number }

export interface Gestures {
  tap?(at: Point): void;
  doubleTap?(at: Point): void;
  hold?(at: Point): void;
  twoFingerTap?(at: Point): void;
  dragStart?(at: Point, second: boolean): void;
  drag?(at: Point, dx: number, dy: number): void;
  dragEnd?(at: Point): void;
  pinchStart?(at: Point): void;
  pinch?(move: PinchMove): void;
  pinchEnd?(): void;
}

const SLOP = 6; // px that a tap may move
const HOLD = 500; // ms
const DOUBLE = 350; // ms between the taps of a double tap
const TAP = 400; // ms that a tap with two fingers may last

export function gestures(target: HTMLElement, g: Gestures): () => void {
  const fingers = new Map<number, Point>();
  const stop = new AbortController();
  let start: Point | null = null, begun = 0, dragging = false, pinching = false, moved = false, timer = 0;
  let lastTap = { at: { x: 0, y: 0 }, time: -1e9 };
  let last: { x: number; y: number; span: number; angle: number } | null = null;

  const local = (e: PointerEvent | WheelEvent): Point => {
    const box = target.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const both = (): { x: number; y: number; span: number; angle: number } | null => {
    const [a, b] = [...fingers.values()];
    return a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, span: Math.hypot(b.x - a.x, b.y - a.y), angle: Math.atan2(b.y - a.y, b.x - a.x) } : null;
  };
  const down = (e: PointerEvent): void => {
    const at = local(e);
    target.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, at);
    clearTimeout(timer);
    if (fingers.size === 1) {
      start = at;
      begun = e.timeStamp;
      moved = false;
      const second = e.button > 0 || e.shiftKey;
      if (second) {
        dragging = true;
        g.dragStart?.(at, true);
      }
      else if (g.hold) timer = window.setTimeout(() => { if (start && !dragging && fingers.size === 1) { start = null; g.hold?.(at); } }, HOLD);
    } else if (fingers.size === 2) {
      if (dragging) g.dragEnd?.(at);
      dragging = false;
      pinching = true;
      last = both();
      g.pinchStart?.(last!);
    }
  };
  const move = (e: PointerEvent): void => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const at = local(e);
    fingers.set(e.pointerId, at);
    if (pinching && last) {
      const now = both();
      if (!now) return;
      if (Math.hypot(now.x - last.x, now.y - last.y) > SLOP || Math.abs(now.span - last.span) > SLOP) moved = true;
      const turn = Math.atan2(Math.sin(now.angle - last.angle), Math.cos(now.angle - last.angle));
      g.pinch?.({ dx: now.x - last.x, dy: now.y - last.y, scale: last.span > 0 ? now.span / last.span : 1, turn, x: now.x, y: now.y });
      last = now;
      return;
    }
    if (!dragging && start && Math.hypot(at.x - start.x, at.y - start.y) > SLOP) {
      clearTimeout(timer);
      dragging = true;
      g.dragStart?.(start, false);
      g.drag?.(at, at.x - start.x, at.y - start.y);
    } else if (dragging) g.drag?.(at, at.x - before.x, at.y - before.y);
  };
  const up = (e: PointerEvent): void => {
    const at = fingers.get(e.pointerId);
    if (!at) return;
    clearTimeout(timer);
    fingers.delete(e.pointerId);
    if (pinching) {
      if (fingers.size > 0) return;
      pinching = false;
      g.pinchEnd?.();
      if (!moved && e.timeStamp - begun < TAP && last) g.twoFingerTap?.(last);
      last = null;
    } else if (dragging) g.dragEnd?.(at);
    else if (start && e.type === 'pointerup') {
      const twice = e.timeStamp - lastTap.time < DOUBLE && Math.hypot(at.x - lastTap.at.x, at.y - lastTap.at.y) < 4 * SLOP;
      lastTap = { at, time: twice ? -1e9 : e.timeStamp };
      if (twice && g.doubleTap) g.doubleTap(at);
      else g.tap?.(at);
    }
    dragging = false;
    start = null;
  };
  const signal = stop.signal;
  target.style.touchAction = 'none';
  target.addEventListener('pointerdown', down, { signal });
  target.addEventListener('pointermove', move, { signal });
  target.addEventListener('pointerup', up, { signal });
  target.addEventListener('pointercancel', up, { signal });
  target.addEventListener('contextmenu', (e) => e.preventDefault(), { signal });
  target.addEventListener('wheel', (e) => {
    e.preventDefault();
    const at = local(e);
    g.pinch?.({ dx: 0, dy: 0, scale: Math.exp(-e.deltaY * 0.0015), turn: 0, ...at });
  }, { signal, passive: false });
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
