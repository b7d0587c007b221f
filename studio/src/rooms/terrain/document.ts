// What a terrain is: bodies and clothespins. Pure edits, each giving a new document.
import { BODIES_MAX, COLUMNS, SIDE } from '../../core/play';
import type { Pin, TerrainBody } from '../../core/play';

export interface TerrainDocument {
    bodies: TerrainBody[];
    pins: Pin[];
    /** Number of the cloth's state that belongs to this document, kept beside the history. */
    drape: number;
}

export const EMPTY: TerrainDocument = { bodies: [], pins: [], drape: 0 };

const VERTICES = (COLUMNS + 1) ** 2;

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
/** Digits that matter, so that equal edits give equal JSON. */
const neat = (x: number): number => Math.round(x * 1e6) / 1e6;

export function neatBody(b: TerrainBody): TerrainBody {
    const edge = SIDE / 2;
    return {
        id: b.id,
        x: neat(clamp(b.x, -edge, edge)),
        y: neat(clamp(b.y, -edge, edge)),
        width: neat(clamp(b.width, 0.15, 3)),
        depth: neat(clamp(b.depth, 0.15, 3)),
        height: neat(clamp(b.height, 0.1, 3)),
        e1: neat(clamp(b.e1, 0.15, 2)),
        e2: neat(clamp(b.e2, 0.15, 2)),
        angle: neat(b.angle),
    };
}

/** With a new body, or null where there are too many. */
export function addBody(d: TerrainDocument, x: number, y: number, more: Partial<TerrainBody> = {}): { document: TerrainDocument; id: number } | null {
    const used = new Set(d.bodies.map((b) => b.id));
    let id = 0;
    while (used.has(id)) id++;
    if (id >= BODIES_MAX) return null;
    const body = neatBody({ x, y, width: 0.7, depth: 0.7, height: 1, e1: 1, e2: 1, angle: 0, ...more, id });
    return { document: { ...d, bodies: [...d.bodies, body] }, id };
}

export function changeBody(d: TerrainDocument, id: number, change: (b: TerrainBody) => Partial<TerrainBody>): TerrainDocument {
    return { ...d, bodies: d.bodies.map((b) => (b.id === id ? neatBody({ ...b, ...change(b) }) : b)) };
}

export function removeBody(d: TerrainDocument, id: number): TerrainDocument {
    return { ...d, bodies: d.bodies.filter((b) => b.id !== id) };
}

/** Within reach of the cloth. */
function neatPin(p: Pin): Pin {
    const far = 2 * SIDE;
    return { vertex: p.vertex, x: neat(clamp(p.x, -far, far)), y: neat(clamp(p.y, -far, far)), z: neat(clamp(p.z, 0, far)) };
}

export function addPin(d: TerrainDocument, pin: Pin): TerrainDocument {
    return { ...d, pins: [...d.pins.filter((p) => p.vertex !== pin.vertex), neatPin(pin)] };
}

export function removePin(d: TerrainDocument, vertex: number): TerrainDocument {
    return { ...d, pins: d.pins.filter((p) => p.vertex !== vertex) };
}

/** A document from elsewhere: whatever is no body or pin is left out. */
export function readDocument(value: unknown): TerrainDocument {
    const o = (value ?? {}) as { bodies?: unknown; pins?: unknown; drape?: unknown };
    const finite = (v: Record<string, unknown>, keys: string[]): boolean => keys.every((k) => Number.isFinite(v[k]));
    const list = (x: unknown): Record<string, unknown>[] => (Array.isArray(x) ? x.filter((v) => v && typeof v === 'object') : []);
    const bodies = list(o.bodies)
        .filter((b) => finite(b, ['id', 'x', 'y', 'width', 'depth', 'height', 'e1', 'e2', 'angle']))
        .filter((b) => Number.isInteger(b['id']) && (b['id'] as number) >= 0 && (b['id'] as number) < BODIES_MAX)
        .map((b) => neatBody(b as unknown as TerrainBody));
    const pins = list(o.pins).filter((p) => finite(p, ['vertex', 'x', 'y', 'z']) && Number.isInteger(p['vertex']) && (p['vertex'] as number) >= 0 && (p['vertex'] as number) < VERTICES)
        .map((p) => neatPin(p as unknown as Pin));
    return { bodies, pins, drape: Number.isFinite(o.drape) ? (o.drape as number) : 0 };
}

/** What is saved: a terrain, and nothing that is not in it. */
export const terrainJson = ({ bodies, pins }: TerrainDocument): string => JSON.stringify({ format: 'ovoid-terrain', version: 1, bodies, pins });

/** A terrain from a file; whatever is wrong is an Error with one line. */
export function terrainOf(text: string): TerrainDocument {
    type Saved = { format?: unknown; bodies?: unknown; pins?: unknown };
    let value = null as Saved | null;
    try {
        value = JSON.parse(text) as Saved | null;
    } catch {
        // told below
    }
    if (value?.format !== 'ovoid-terrain' || !Array.isArray(value.bodies) || !Array.isArray(value.pins)) throw new Error('the file is not a terrain that was saved here');
    if (value.bodies.length > BODIES_MAX || value.pins.length > VERTICES) throw new Error(`the file has ${value.bodies.length} bodies and ${value.pins.length} clothespins; ${BODIES_MAX} and ${VERTICES} are the most`);
    const made = readDocument(value);
    const once = (list: number[]): boolean => new Set(list).size === list.length;
    if (made.bodies.length !== value.bodies.length || made.pins.length !== value.pins.length || !once(made.bodies.map((b) => b.id)) || !once(made.pins.map((p) => p.vertex))) {
        throw new Error('the file has a body or a clothespin with numbers that make none');
    }
    return made;
}

/** A range of mountains to begin with: seeded, so always the same. */
export function mountains(): TerrainDocument {
    let d: TerrainDocument = EMPTY, seed = 7;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const ridge: [number, number, number, number][] = [
        [-2.6, 1.6, 0.9, 1.5], [-1.4, 2.1, 0.7, 2.2], [-0.2, 1.7, 1.0, 2.6], [1.1, 2.0, 0.8, 1.9], [2.3, 1.3, 0.9, 1.3],
        [-2.9, -1.2, 0.6, 0.7], [2.8, -1.4, 0.8, 0.9], [0.5, -2.2, 0.5, 0.6], [-1.2, -2.7, 0.7, 0.5],
    ];
    for (const [x, y, width, height] of ridge) {
        const more = { width, height, depth: width * (0.7 + 0.6 * random()), e1: 0.5 + 0.9 * random(), e2: 0.8 + 0.9 * random(), angle: 2 * random() };
        d = addBody(d, x, y, more)?.document ?? d;
    }
    return d;
}
