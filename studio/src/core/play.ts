// The module's exports of the two play rooms, typed: studio/wasm/terrain.c and pong.c.

type N = number;

export interface PlayExports {
    memory: WebAssembly.Memory;
    terrain_create(columns: N, side: N): N;
    terrain_destroy(t: N): void;
    terrain_vertex_count(t: N): N;
    terrain_triangle_count(t: N): N;
    terrain_triangles(t: N): N;
    terrain_picture(t: N): N;
    terrain_positions(t: N): N;
    terrain_body(t: N, i: N, x: N, y: N, a1: N, a2: N, a3: N, e1: N, e2: N, angle: N, atOnce: N): N;
    terrain_remove_body(t: N, i: N, atOnce: N): void;
    terrain_body_now(t: N, i: N, out: N): N;
    terrain_step(t: N, dt: N): N;
    terrain_speed(t: N): N;
    terrain_depth(t: N): N;
    terrain_restore(t: N, positions: N): void;
    terrain_scratch(t: N): N;
    terrain_pick_cloth(t: N, ox: N, oy: N, oz: N, dx: N, dy: N, dz: N): N;
    terrain_pick_body(t: N, ox: N, oy: N, oz: N, dx: N, dy: N, dz: N): N;
    terrain_hit(t: N): N;
    terrain_grab(t: N, vertex: N, radius: N): void;
    terrain_lead(t: N, x: N, y: N, z: N): void;
    terrain_let_go(t: N): void;
    terrain_pin(t: N, vertex: N, x: N, y: N, z: N): N;
    terrain_unpin(t: N, vertex: N): void;
    terrain_walk_start(t: N, x: N, y: N): N;
    terrain_walk_step(t: N, mx: N, my: N, jump: N, dt: N): N;
    terrain_walk_gap(t: N): N;
    terrain_walk_view(t: N, dx: N, dy: N, dz: N, reach: N): N;
    terrain_walk_end(t: N): void;
    pong_create(seed: N): N;
    pong_destroy(p: N): void;
    pong_set(p: N, speed: N, max: N, growth: N, paddle: N, turn: N, pause: N, morph: N): void;
    pong_player(p: N, k: N, level: N, automatic: N): void;
    pong_lead(p: N, k: N, y: N, angle: N): void;
    pong_restart(p: N): void;
    pong_let(p: N): void;
    pong_state(p: N): N;
    pong_step(p: N, dt: N): void;
}

export type Vec3 = [number, number, number];

/** A body of the terrain: half buried, so its height is a semi-axis. */
export interface TerrainBody {
    id: number;
    x: number;
    y: number;
    width: number;
    depth: number;
    height: number;
    e1: number;
    e2: number;
    angle: number;
}

export interface Pin {
    vertex: number;
    x: number;
    y: number;
    z: number;
}

export interface TerrainSync {
    bodies: TerrainBody[];
    pins: Pin[];
    atOnce?: boolean;
    drape?: Float64Array;
}

export interface TerrainFrame {
    picture: Float32Array;
    bodies: Float64Array;
}

/** Numbers of a body in TerrainFrame.bodies: id, x, y, half width, half depth, height, e1, e2, angle, z. */
export const BODY_ROW = 10;
export const BODIES_MAX = 128;
export const COLUMNS = 40;
export const SIDE = 10;

/** Where studio/wasm/pong.c puts what. */
export const PONG = {
    x: 0, y: 1, angle: 2, vx: 3, vy: 4, spin: 5, a1: 6, a2: 7, a3: 8, e1: 9, e2: 10,
    paddles: 11, score: 19, hits: 21, pause: 22, events: 23, impact: 24, rallies: 25, rests: 26,
    servesTo: 27, count: 28,
} as const;
export const PONG_FIELD = { x: 16, y: 9, paddleX: 13.6, reach: 7.6, a1: 0.34, a2: 1.9, a3: 0.7, e: 0.35 } as const;

export interface PongInput {
    steps: number;
    players: { level: number; automatic: boolean; y: number; angle: number }[];
}
