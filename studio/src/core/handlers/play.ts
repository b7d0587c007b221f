// What the worker does for Terrain Cloth and Duper Bowl Pong.
import { BODIES_MAX, BODY_ROW, COLUMNS, PONG, SIDE } from '../play';
import type { PlayExports, PongInput, TerrainFrame, TerrainSync, Vec3 } from '../play';

export interface Answer {
    value: unknown;
    transfer?: Transferable[];
}
export type Handler = (args: never) => Answer;

const STEP = 1 / 60;

class TerrainWorker {
    private handle = 0;
    private pins = new Set<number>();
    private ids = new Set<number>();

    constructor(private readonly wasm: PlayExports) {}

    private get terrain(): number {
        if (this.handle === 0) {
            this.handle = this.wasm.terrain_create(COLUMNS, SIDE);
            if (this.handle === 0) throw new Error('no memory for a cloth');
        }
        return this.handle;
    }

    private doubles(pointer: number, count: number): Float64Array {
        return new Float64Array(this.wasm.memory.buffer, pointer, count);
    }

    open(): Answer {
        const t = this.terrain, w = this.wasm;
        const count = 3 * w.terrain_triangle_count(t);
        const triangles = new Uint32Array(w.memory.buffer, w.terrain_triangles(t), count).slice();
        return { value: { triangles, vertices: w.terrain_vertex_count(t) }, transfer: [triangles.buffer] };
    }

    close(): Answer {
        this.wasm.terrain_destroy(this.handle);
        this.handle = 0;
        this.pins.clear();
        this.ids.clear();
        return { value: null };
    }

    sync(args: TerrainSync): Answer {
        const t = this.terrain, w = this.wasm, once = args.atOnce ? 1 : 0;
        const kept = new Set(args.bodies.map((b) => b.id));
        for (const id of this.ids) if (!kept.has(id)) w.terrain_remove_body(t, id, once);
        this.ids = kept;
        let refused = 0;
        for (const b of args.bodies) {
            refused += w.terrain_body(t, b.id, b.x, b.y, b.width, b.depth, b.height, b.e1, b.e2, b.angle, once) ? 0 : 1;
        }
        const pins = new Set(args.pins.map((p) => p.vertex));
        for (const v of this.pins) if (!pins.has(v)) w.terrain_unpin(t, v);
        if (args.drape && args.drape.length === 3 * w.terrain_vertex_count(t)) {
            const scratch = w.terrain_scratch(t);
            this.doubles(scratch, args.drape.length).set(args.drape);
            w.terrain_restore(t, scratch);
        }
        for (const p of args.pins) w.terrain_pin(t, p.vertex, p.x, p.y, p.z);
        this.pins = pins;
        return { value: refused };
    }

    frame(args: { steps: number; lead?: Vec3 | null }): Answer {
        const t = this.terrain, w = this.wasm;
        if (args.lead) w.terrain_lead(t, ...args.lead);
        for (let i = 0; i < args.steps; i++) {
            const status = w.terrain_step(t, STEP);
            if (status < 0) throw new Error(`the cloth stopped (${status})`);
        }
        const picture = new Float32Array(w.memory.buffer, w.terrain_picture(t), 6 * w.terrain_vertex_count(t)).slice();
        const rows: number[] = [];
        const scratch = w.terrain_scratch(t);
        for (let id = 0; id < BODIES_MAX; id++) {
            if (w.terrain_body_now(t, id, scratch)) rows.push(id, ...this.doubles(scratch, BODY_ROW - 1));
        }
        const bodies = Float64Array.from(rows);
        const value: TerrainFrame = { picture, bodies };
        return { value, transfer: [picture.buffer, bodies.buffer] };
    }

    pick(args: { origin: Vec3; direction: Vec3 }): Answer {
        const t = this.terrain, w = this.wasm;
        const read = (): number[] => [...this.doubles(w.terrain_hit(t), 4)];
        const body = w.terrain_pick_body(t, ...args.origin, ...args.direction);
        const bodyHit = body >= 0 ? read() : null;
        const vertex = w.terrain_pick_cloth(t, ...args.origin, ...args.direction);
        return { value: { body, bodyHit, vertex, clothHit: vertex >= 0 ? read() : null } };
    }

    grab(args: { vertex: number; at: Vec3 }): Answer {
        this.wasm.terrain_grab(this.terrain, args.vertex, 0.55);
        this.wasm.terrain_lead(this.terrain, ...args.at);
        return { value: null };
    }

    letGo(): Answer {
        this.wasm.terrain_let_go(this.terrain);
        return { value: null };
    }

    /** Positions of the cloth as they are, to come back to or to write to a file. */
    drape(): Answer {
        const t = this.terrain, w = this.wasm;
        const positions = this.doubles(w.terrain_positions(t), 3 * w.terrain_vertex_count(t)).slice();
        return { value: positions, transfer: [positions.buffer] };
    }

    measure(): Answer {
        return { value: { speed: this.wasm.terrain_speed(this.terrain), depth: this.wasm.terrain_depth(this.terrain) } };
    }

    walk(args: { x: number; y: number }): Answer {
        return { value: this.wasm.terrain_walk_start(this.terrain, args.x, args.y) !== 0 };
    }

    stride(args: { move: [number, number]; jump: boolean; steps: number; view: Vec3; reach: number }): Answer {
        const t = this.terrain, w = this.wasm;
        let row = 0;
        for (let i = 0; i < Math.max(1, args.steps); i++) {
            row = w.terrain_walk_step(t, ...args.move, args.jump && i === 0 ? 1 : 0, args.steps > 0 ? STEP : 0);
        }
        const walker = [...this.doubles(row, 8)];
        return { value: { walker, reach: w.terrain_walk_view(t, ...args.view, args.reach), gap: w.terrain_walk_gap(t) } };
    }

    endWalk(): Answer {
        this.wasm.terrain_walk_end(this.terrain);
        return { value: null };
    }
}

class PongWorker {
    private game = 0;

    constructor(private readonly wasm: PlayExports) {}

    open(args: { seed: number }): Answer {
        this.close();
        this.game = this.wasm.pong_create(args.seed);
        if (this.game === 0) throw new Error('no memory for a game');
        return { value: this.state(0) };
    }

    close(): Answer {
        this.wasm.pong_destroy(this.game);
        this.game = 0;
        return { value: null };
    }

    /** The state; what happened in any of the steps that were made counts. */
    private state(events: number): Float64Array {
        const state = new Float64Array(this.wasm.memory.buffer, this.wasm.pong_state(this.game), PONG.count).slice();
        state[PONG.events] = (state[PONG.events] ?? 0) | events;
        return state;
    }

    step(args: PongInput): Answer {
        const w = this.wasm;
        args.players.forEach((p, k) => {
            w.pong_player(this.game, k, p.level, p.automatic ? 1 : 0);
            if (p.level === 0) w.pong_lead(this.game, k, p.y, p.angle);
        });
        let events = 0;
        for (let i = 0; i < args.steps; i++) {
            w.pong_step(this.game, STEP);
            events |= this.state(0)[PONG.events] ?? 0;
        }
        return { value: this.state(events) };
    }

    speed(args: { speed: number; max: number }): Answer {
        this.wasm.pong_set(this.game, args.speed, args.max, 0, 0, 0, 0, 0);
        return { value: null };
    }

    restart(): Answer {
        this.wasm.pong_restart(this.game);
        return { value: this.state(0) };
    }
}

/** Methods of both rooms, by name. */
export function playHandlers(wasm: PlayExports): Record<string, Handler> {
    const terrain = new TerrainWorker(wasm);
    const pong = new PongWorker(wasm);
    return {
        'terrain.open': () => terrain.open(),
        'terrain.close': () => terrain.close(),
        'terrain.sync': (a: TerrainSync) => terrain.sync(a),
        'terrain.frame': (a: { steps: number; lead?: Vec3 | null }) => terrain.frame(a),
        'terrain.pick': (a: { origin: Vec3; direction: Vec3 }) => terrain.pick(a),
        'terrain.grab': (a: { vertex: number; at: Vec3 }) => terrain.grab(a),
        'terrain.letGo': () => terrain.letGo(),
        'terrain.drape': () => terrain.drape(),
        'terrain.measure': () => terrain.measure(),
        'terrain.walk': (a: { x: number; y: number }) => terrain.walk(a),
        'terrain.stride': (a: { move: [number, number]; jump: boolean; steps: number; view: Vec3; reach: number }) =>
            terrain.stride(a),
        'terrain.endWalk': () => terrain.endWalk(),
        'pong.open': (a: { seed: number }) => pong.open(a),
        'pong.close': () => pong.close(),
        'pong.step': (a: PongInput) => pong.step(a),
        'pong.speed': (a: { speed: number; max: number }) => pong.speed(a),
        'pong.restart': () => pong.restart(),
    };
}
