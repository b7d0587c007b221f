/**
 * Fingers on the drawing area: one that draws, taps or holds, two that pinch, turn and move. A hold is
 * half a second without moving; what begins as a hold stays one until the finger is lifted. Of a mouse the
 * right button moves as two fingers do, and the wheel pinches; with Shift it turns.
 */
export interface Touch {
  x: number;
  y: number;
}
export interface Pinch {
  /** Since the last report. */
  dx: number;
  dy: number;
  factor: number;
  angle: number;
  at: Touch;
  mouse?: boolean;
}
export interface GestureTaker {
  begin(at: Touch): void;
  move(path: readonly Touch[]): void;
  tap(at: Touch): void;
  stroke(path: readonly Touch[]): void;
  hold(at: Touch): void;
  holdMove(at: Touch, client: Touch): void;
  holdEnd(): void;
  pinch(p: Pinch): void;
  pinchEnd(): void;
  /** What began is none: a second finger came. */
  cancel(): void;
}

const HOLD_MS = 500;
const SLACK = 8;

export function listen(element: HTMLElement, taker: GestureTaker): () => void {
  const fingers = new Map<number, Touch>();
  let path: Touch[] = [];
  let timer = 0;
  let state: 'none' | 'one' | 'hold' | 'two' | 'mouse' | 'spent' = 'none';
  let last: { x: number; y: number; distance: number; angle: number } | null = null;

  const local = (e: MouseEvent): Touch => {
    const r = element.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };
  const pair = (): NonNullable<typeof last> => {
    const [a, b] = [...fingers.values()] as [Touch, Touch];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(b.x - a.x, b.y - a.y), angle: Math.atan2(b.y - a.y, b.x - a.x) };
  };
  const down = (e: PointerEvent): void => {
    if (e.button !== 0 && state === 'none') {
      element.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, local(e));
      taker.begin(local(e));
      taker.cancel();
      state = 'mouse';
    }
    if (e.button !== 0) return;
    element.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, local(e));
    window.clearTimeout(timer);
    if (fingers.size === 1) {
      state = 'one';
      path = [local(e)];
      taker.begin(path[0]!);
      timer = window.setTimeout(() => {
        if (state === 'one' && path.length === 1) {
          state = 'hold';
          taker.hold(path[0]!);
        }
      }, HOLD_MS);
    } else if (fingers.size === 2 && state === 'one') {
      taker.cancel();
      state = 'two';
      last = pair();
    }
  };
  const move = (e: PointerEvent): void => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    fingers.set(e.pointerId, local(e));
    if (state === 'mouse') {
      const at = local(e);
      taker.pinch({ dx: at.x - before.x, dy: at.y - before.y, factor: 1, angle: 0, at, mouse: true });
    } else if (state === 'one') {
      const events = e.getCoalescedEvents?.() ?? [];
      for (const p of events.length ? events : [e]) {
        const q = local(p);
        if (path.length > 1 || Math.hypot(q.x - path[0]!.x, q.y - path[0]!.y) > SLACK) path.push(q);
      }
      if (path.length > 1) taker.move(path);
    } else if (state === 'hold') {
      taker.holdMove(local(e), { x: e.clientX, y: e.clientY });
    } else if (state === 'two' && last && fingers.size === 2) {
      const now = pair();
      let angle = now.angle - last.angle;
      angle -= 2 * Math.PI * Math.round(angle / (2 * Math.PI));
      taker.pinch({ dx: now.x - last.x, dy: now.y - last.y, factor: last.distance > 0 ? now.distance / last.distance : 1, angle, at: now });
      last = now;
    }
  };
  const up = (e: PointerEvent): void => {
    if (!fingers.delete(e.pointerId)) return;
    window.clearTimeout(timer);
    if (state === 'one') {
      if (e.type === 'pointercancel') taker.cancel();
      else if (path.length > 1) taker.stroke(path);
      else taker.tap(path[0]!);
    }
    if (state === 'hold') taker.holdEnd();
    if (state === 'two' || state === 'mouse') taker.pinchEnd();
    state = fingers.size ? 'spent' : 'none';
  };
  const quiet = (e: Event): void => e.preventDefault();
  let settled = 0;
  const wheel = (e: WheelEvent): void => {
    e.preventDefault();
    if (state !== 'none') return;
    const by = -(e.deltaY || e.deltaX) / 500;
    if (!settled) taker.begin(local(e));
    taker.pinch({ dx: 0, dy: 0, factor: e.shiftKey ? 1 : Math.exp(by), angle: e.shiftKey ? by : 0, at: local(e), mouse: true });
    // many turns of the wheel are one edit
    window.clearTimeout(settled);
    settled = window.setTimeout(() => {
      settled = 0;
      taker.pinchEnd();
    }, 300);
  };
  const events: [string, (e: never) => void][] = [
    ['pointerdown', down], ['pointermove', move], ['pointerup', up], ['pointercancel', up], ['contextmenu', quiet], ['wheel', wheel as (e: never) => void],
  ];
  for (const [name, f] of events) element.addEventListener(name, f as EventListener, { passive: false });
  return () => {
    window.clearTimeout(timer);
    for (const [name, f] of events) element.removeEventListener(name, f as EventListener);
  };
}
