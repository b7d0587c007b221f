// Terrains as files: the cloth's own triangles, overhangs included. OBJ keeps every digit; glTF is
// the one-file kind, with y up as its users expect.

export interface Surface {
    positions: Float64Array; // z up
    triangles: Uint32Array;
}

/** Normals of the vertices, by the areas around them. */
export function surfaceNormals({ positions: p, triangles }: Surface): Float64Array {
    const normals = new Float64Array(p.length);
    const at = (i: number, k: number): number => p[3 * i + k] ?? 0;
    for (let t = 0; t < triangles.length; t += 3) {
        const corner = [triangles[t] ?? 0, triangles[t + 1] ?? 0, triangles[t + 2] ?? 0] as const;
        const [a, b, c] = corner;
        const u = [0, 1, 2].map((k) => at(b, k) - at(a, k)), v = [0, 1, 2].map((k) => at(c, k) - at(a, k));
        for (let k = 0; k < 3; k++) {
            const i = (k + 1) % 3, j = (k + 2) % 3;
            const n = (u[i] ?? 0) * (v[j] ?? 0) - (u[j] ?? 0) * (v[i] ?? 0);
            for (const vertex of corner) normals[3 * vertex + k] = (normals[3 * vertex + k] ?? 0) + n;
        }
    }
    for (let i = 0; i < normals.length; i += 3) {
        const n = normals.subarray(i, i + 3), length = Math.hypot(...n) || 1;
        for (let k = 0; k < 3; k++) n[k] = (n[k] ?? 0) / length;
    }
    return normals;
}

export function terrainObj(surface: Surface): string {
    const lines = ['# Terrain Cloth, metres, z up'];
    const rows = (name: string, numbers: Float64Array): void => {
        for (let i = 0; i < numbers.length; i += 3) lines.push(`${name} ${numbers[i]} ${numbers[i + 1]} ${numbers[i + 2]}`);
    };
    rows('v', surface.positions);
    rows('vn', surfaceNormals(surface));
    const t = surface.triangles;
    for (let i = 0; i < t.length; i += 3) {
        lines.push('f ' + [0, 1, 2].map((k) => `${(t[i + k] ?? 0) + 1}//${(t[i + k] ?? 0) + 1}`).join(' '));
    }
    return lines.join('\n') + '\n';
}

/** x, y, z with z up to x, z, -y with y up. */
function turned(numbers: Float64Array): Float32Array {
    const out = new Float32Array(numbers.length);
    for (let i = 0; i < numbers.length; i += 3) {
        out[i] = numbers[i] ?? 0;
        out[i + 1] = numbers[i + 2] ?? 0;
        out[i + 2] = -(numbers[i + 1] ?? 0);
    }
    return out;
}

function base64(bytes: Uint8Array): string {
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return btoa(text);
}

export function terrainGltf(surface: Surface): string {
    const position = turned(surface.positions), normal = turned(surfaceNormals(surface));
    const parts = [position, normal, surface.triangles].map((a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength));
    const bytes = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let offset = 0;
    const bufferViews = parts.map((part, i) => {
        bytes.set(part, offset);
        const view = { buffer: 0, byteOffset: offset, byteLength: part.length, target: i < 2 ? 34962 : 34963 };
        offset += part.length;
        return view;
    });
    const range = (pick: (...x: number[]) => number): number[] =>
        [0, 1, 2].map((k) => {
            let best = position[k] ?? 0;
            for (let i = k; i < position.length; i += 3) best = pick(best, position[i] ?? 0);
            return best;
        });
    const count = position.length / 3;
    return JSON.stringify({
        asset: { version: '2.0', generator: 'Ovoid studio' },
        scene: 0,
        scenes: [{ nodes: [0] }],
        nodes: [{ mesh: 0, name: 'terrain' }],
        meshes: [{ name: 'terrain', primitives: [{ attributes: { POSITION: 0, NORMAL: 1 }, indices: 2, material: 0 }] }],
        materials: [{ name: 'rock', doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [0.5, 0.47, 0.42, 1], metallicFactor: 0, roughnessFactor: 0.95 } }],
        accessors: [
            { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: range(Math.min), max: range(Math.max) },
            { bufferView: 1, componentType: 5126, count, type: 'VEC3' },
            { bufferView: 2, componentType: 5125, count: surface.triangles.length, type: 'SCALAR' },
        ],
        bufferViews,
        buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${base64(bytes)}` }],
    });
}
