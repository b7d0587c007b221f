// Meshes of superellipsoids whose shape changes from frame to frame.
import { BufferAttribute, BufferGeometry } from 'three';

const AROUND = 48, ALONG = 24;
const power = (x: number, e: number): number => Math.sign(x) * Math.abs(x) ** e;

export function superellipsoidGeometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    const count = (AROUND + 1) * (ALONG + 1);
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * count), 3));
    geometry.setAttribute('normal', new BufferAttribute(new Float32Array(3 * count), 3));
    const index: number[] = [];
    for (let j = 0; j < ALONG; j++) {
        for (let i = 0; i < AROUND; i++) {
            const a = j * (AROUND + 1) + i, b = a + AROUND + 1;
            index.push(a, a + 1, b + 1, a, b + 1, b);
        }
    }
    geometry.setIndex(index);
    return geometry;
}

/** Angles of nearly equal spacing along a superellipse's quarter, mirrored: dense where it is curved. */
function angle(t: number, e: number): number {
    const quarter = Math.round(t / (Math.PI / 2)) * (Math.PI / 2);
    const c = Math.abs(Math.cos(t)), s = Math.abs(Math.sin(t));
    if (c < 1e-9 || s < 1e-9) return quarter;
    // the direction t itself, as seen from the centre, for squarish shapes; t for round ones
    const seen = Math.atan2(s ** (1 / e), c ** (1 / e));
    const q = Math.floor(t / (Math.PI / 2));
    const folded = q % 2 === 0 ? seen : Math.PI / 2 - seen;
    return q * (Math.PI / 2) + folded;
}

/** Fills positions and normals. */
export function shapeSuperellipsoid(g: BufferGeometry, a1: number, a2: number, a3: number, e1: number, e2: number): void {
    const position = g.getAttribute('position') as BufferAttribute;
    const normal = g.getAttribute('normal') as BufferAttribute;
    let k = 0;
    for (let j = 0; j <= ALONG; j++) {
        const v = angle(-Math.PI / 2 + (Math.PI * j) / ALONG, e2);
        const cv = j === 0 || j === ALONG ? 0 : Math.cos(v), sv = Math.sin(v);
        for (let i = 0; i <= AROUND; i++, k++) {
            const u = angle(-Math.PI + (2 * Math.PI * i) / AROUND, e1);
            const cu = Math.cos(u), su = Math.sin(u);
            position.setXYZ(k, a1 * power(cv, e2) * power(cu, e1), a2 * power(cv, e2) * power(su, e1), a3 * power(sv, e2));
            const nx = (power(cv, 2 - e2) * power(cu, 2 - e1)) / a1, ny = (power(cv, 2 - e2) * power(su, 2 - e1)) / a2;
            const nz = power(sv, 2 - e2) / a3, length = Math.hypot(nx, ny, nz) || 1;
            normal.setXYZ(k, nx / length, ny / length, nz / length);
        }
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
    g.computeBoundingSphere();
}
