/**
 * Is a stroke an ellipse? [Thesis, 4.1] took a recogniser of its time; this is a least squares fit of
 * the stroke itself: second moments of the closed curve's area give centre, axes and angle exactly
 * for a true ellipse, and the largest deviation from that ellipse decides. A clear reason comes with
 * every "no".
 */
import { resample, strokeLength, type Point2 } from './strokes';

export interface Ellipse {
  centre: Point2;
  /** Semi-axes, the longer one first. */
  a: number;
  b: number;
  /** Of the longer axis, in radians, from x towards y. */
  angle: number;
  /** Largest deviation of the stroke from the ellipse, as a share of the size. */
  error: number;
}

export type NoEllipse = 'too small' | 'open' | 'flat' | 'crossing' | 'cornered';

export type Recognised = { ok: true; ellipse: Ellipse } | { ok: false; why: NoEllipse };

/** Ends of a stroke may be apart, or overlap, by this share of its length. */
const OPEN_MAX = 0.2;
/** Largest deviation: a square misses its ellipse by 0.2, a hand-drawn ellipse by 0.1 or less. */
const ERROR_MAX = 0.15;
const FLAT_MIN = 0.08;

interface Moments {
  area: number;
  centre: Point2;
  xx: number;
  xy: number;
  yy: number;
}

/** Area, centroid and central second moments of the area that a closed polygon goes around. */
function moments(p: readonly Point2[]): Moments {
  let area = 0, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
  const o = p[0]!;
  for (let i = 0; i < p.length; i++) {
    const q = p[i]!;
    const r = p[(i + 1) % p.length]!;
    const ax = q.x - o.x, ay = q.y - o.y, bx = r.x - o.x, by = r.y - o.y;
    const c = ax * by - bx * ay;
    area += c / 2;
    sx += (c * (ax + bx)) / 6;
    sy += (c * (ay + by)) / 6;
    xx += (c * (ax * ax + ax * bx + bx * bx)) / 12;
    yy += (c * (ay * ay + ay * by + by * by)) / 12;
    xy += (c * (ax * by + 2 * ax * ay + 2 * bx * by + bx * ay)) / 24;
  }
  const cx = sx / area, cy = sy / area;
  return {
    area,
    centre: { x: cx + o.x, y: cy + o.y },
    xx: xx / area - cx * cx,
    xy: xy / area - cx * cy,
    yy: yy / area - cy * cy,
  };
}

/** How far the stroke is from the ellipse, along rays from the centre, as a share of their length. */
function deviation(p: readonly Point2[], e: Ellipse): number {
  const c = Math.cos(e.angle), s = Math.sin(e.angle);
  let worst = 0;
  for (const q of p) {
    const x = q.x - e.centre.x, y = q.y - e.centre.y;
    worst = Math.max(worst, Math.abs(Math.hypot((x * c + y * s) / e.a, (y * c - x * s) / e.b) - 1));
  }
  return worst;
}

/** Angle that a stroke goes around a point, in turns. */
function winding(p: readonly Point2[], centre: Point2): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    const q = p[i]!;
    const r = p[(i + 1) % p.length]!;
    const ax = q.x - centre.x, ay = q.y - centre.y, bx = r.x - centre.x, by = r.y - centre.y;
    sum += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return sum / (2 * Math.PI);
}

/** Cuts off what overlaps where a person went on past the beginning. */
function withoutOverlap(p: Point2[]): Point2[] {
  const first = p[0]!;
  let best = p.length - 1;
  let least = Infinity;
  for (let i = Math.floor(p.length * (1 - OPEN_MAX)); i < p.length; i++) {
    const d = Math.hypot(p[i]!.x - first.x, p[i]!.y - first.y);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return p.slice(0, best + 1);
}

export function recognise(points: readonly Point2[], smallest = 16): Recognised {
  const length = strokeLength(points);
  if (!(length >= 2 * smallest)) return { ok: false, why: 'too small' };
  const p = withoutOverlap(resample(points, length / 96));
  const first = p[0]!, last = p[p.length - 1]!;
  if (Math.hypot(last.x - first.x, last.y - first.y) > OPEN_MAX * length) return { ok: false, why: 'open' };
  const m = moments(p);
  if (!(Math.abs(m.area) > 1e-3 * length * length)) return { ok: false, why: 'flat' };
  // a filled ellipse has second moments a^2/4 and b^2/4
  const mean = (m.xx + m.yy) / 2;
  const half = Math.hypot((m.xx - m.yy) / 2, m.xy);
  const ellipse: Ellipse = {
    centre: m.centre,
    a: 2 * Math.sqrt(Math.max(0, mean + half)),
    b: 2 * Math.sqrt(Math.max(0, mean - half)),
    angle: Math.atan2(2 * m.xy, m.xx - m.yy) / 2,
    error: 0,
  };
  if (!(ellipse.b > FLAT_MIN * ellipse.a)) return { ok: false, why: 'flat' };
  if (Math.abs(Math.abs(winding(p, m.centre)) - 1) > 0.1) return { ok: false, why: 'crossing' };
  ellipse.error = deviation(p, ellipse);
  return ellipse.error <= ERROR_MAX ? { ok: true, ellipse } : { ok: false, why: 'cornered' };
}
