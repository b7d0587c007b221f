/**
 * Files that are read: checked before anything is made of them. Whatever is wrong is thrown as an
 * Error with one line for the user; a file never changes the sketch half-way, is never executed, and
 * its names are only ever text.
 */
export const BYTES_MAX = 64 << 20;
export const TRIANGLES_MAX = 500_000;

export interface MeshData {
  points: Float64Array;
  triangles: Uint32Array;
}

export async function bytesOf(file: Blob): Promise<Uint8Array> {
  if (file.size > BYTES_MAX) throw new Error(`the file has ${Math.round(file.size / 2 ** 20)} MB; at most 64 are read`);
  if (file.size === 0) throw new Error('the file is empty');
  return new Uint8Array(await file.arrayBuffer());
}

/** An XML document. Declarations of types and entities are refused unread: no model needs them. */
export function xmlOf(text: string): Element {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error('the file declares a document type or entities, which are not read');
  const document = new DOMParser().parseFromString(text, 'application/xml');
  const wrong = document.querySelector('parsererror');
  if (wrong || !document.documentElement) throw new Error('the file is not XML');
  let count = 0;
  let depth = 0;
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    if (++count > 1_000_000) throw new Error('the file has more than a million elements');
    depth = 0;
    for (let e: Node | null = walker.currentNode; e; e = e.parentNode) if (++depth > 100) throw new Error('the elements of the file are nested too deeply');
  }
  return document.documentElement;
}

/** Numbers of an attribute; as many as asked for, all finite. */
export function numbers(text: string | null | undefined, count: number, otherwise: readonly number[]): number[] {
  if (text === null || text === undefined || text.trim() === '') return [...otherwise];
  const out = text.trim().split(/[\s,]+/).map(Number);
  if (out.length !== count || !out.every((v) => Number.isFinite(v) && Math.abs(v) < 1e6)) {
    throw new Error(`"${text.slice(0, 40)}" is not ${count} number${count > 1 ? 's' : ''}`);
  }
  return out;
}

export function meshOf(points: number[], triangles: number[]): MeshData {
  if (triangles.length === 0) throw new Error('the file has no triangles');
  if (triangles.length % 3) throw new Error('a triangle lacks a corner');
  if (triangles.length > 3 * TRIANGLES_MAX) throw new Error(`the file has more than ${TRIANGLES_MAX} triangles`);
  if (!points.every(Number.isFinite)) throw new Error('a coordinate is not a number');
  const count = points.length / 3;
  if (!triangles.every((i) => Number.isInteger(i) && i >= 0 && i < count)) throw new Error('a triangle refers to a vertex that does not exist');
  return { points: Float64Array.from(points), triangles: Uint32Array.from(triangles) };
}

export function objOf(text: string): MeshData {
  const points: number[] = [];
  const triangles: number[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'v') points.push(Number(words[1]), Number(words[2]), Number(words[3]));
    if (words[0] === 'f') {
      const corners = words.slice(1).map((w) => {
        const i = parseInt(w, 10);
        return i < 0 ? points.length / 3 + i : i - 1;
      });
      for (let k = 2; k < corners.length; k++) triangles.push(corners[0]!, corners[k - 1]!, corners[k]!);
    }
    if (triangles.length > 3 * TRIANGLES_MAX) break;
  }
  return meshOf(points, triangles);
}

/** Corners and polygons in their plainest form; colours behind them are passed over. */
export function offOf(text: string): MeshData {
  const lines = text.split('\n').map((l) => l.replace(/#.*/, '').trim()).filter((l) => l !== '');
  const head = /^OFF\s*(.*)$/.exec(lines.shift() ?? '');
  if (!head) throw new Error('the file is not OFF');
  if (head[1]) lines.unshift(head[1]);
  const [corners, faces] = (lines.shift() ?? '').split(/\s+/).map(Number) as [number, number];
  if (!(corners >= 0 && faces >= 0 && corners + faces <= lines.length)) throw new Error('the file is cut off');
  const row = (i: number): number[] => lines[i]!.split(/\s+/).map(Number);
  const points: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i < corners; i++) points.push(...[0, 1, 2].map((k) => row(i)[k] ?? NaN));
  for (let i = 0; i < faces && triangles.length <= 3 * TRIANGLES_MAX; i++) {
    const [n, ...c] = row(corners + i) as [number, ...number[]];
    if (!(n >= 0 && n <= c.length)) throw new Error('a polygon of the file has no such number of corners');
    for (let k = 2; k < n; k++) triangles.push(c[0]!, c[k - 1]!, c[k]!);
  }
  return meshOf(points, triangles);
}

export function stlOf(bytes: Uint8Array): MeshData {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const points: number[] = [];
  const triangles: number[] = [];
  const index = new Map<string, number>();
  const corner = (x: number, y: number, z: number): void => {
    const key = `${x},${y},${z}`;
    let i = index.get(key);
    if (i === undefined) {
      index.set(key, (i = points.length / 3));
      points.push(x, y, z);
    }
    triangles.push(i);
  };
  const count = bytes.length >= 84 ? v.getUint32(80, true) : -1;
  if (count >= 0 && bytes.length === 84 + 50 * count) {
    if (count > TRIANGLES_MAX) throw new Error(`the file has more than ${TRIANGLES_MAX} triangles`);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 3; k++) {
        const at = 84 + 50 * i + 12 + 12 * k;
        corner(v.getFloat32(at, true), v.getFloat32(at + 4, true), v.getFloat32(at + 8, true));
      }
    }
  } else {
    const text = new TextDecoder().decode(bytes);
    if (!/^\s*solid/.test(text)) throw new Error('the file is not STL, or is cut off');
    for (const m of text.matchAll(/vertex\s+(\S+)\s+(\S+)\s+(\S+)/g)) corner(Number(m[1]), Number(m[2]), Number(m[3]));
  }
  return meshOf(points, triangles.slice(0, triangles.length - (triangles.length % 3)));
}

/** The mesh of a file, by the ending of its name. */
export function meshOfFile(name: string, bytes: Uint8Array): MeshData {
  const ending = endingOf(name);
  const text = (): string => new TextDecoder().decode(bytes);
  if (ending === 'obj') return objOf(text());
  if (ending === 'stl') return stlOf(bytes);
  if (ending === 'off') return offOf(text());
  if (ending === 'dae') return meshOfTree(colladaOf(text()));
  if (ending === 'gltf' || ending === 'glb') return meshOfTree(gltfOf(bytes));
  throw new Error('this kind of file is not read');
}
export const endingOf = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/* ---- glTF and COLLADA: the scene as a tree, z up, in metres ---------------------------------- */

/** A node: its place in the one above, by columns, and the triangles that it shows itself. */
export interface TreeNode {
  name: string;
  place: M4;
  points: number[];
  triangles: number[];
  children: TreeNode[];
  /** Its triangles follow bones of their own. */
  skin?: boolean;
}

/** Counts what a file makes: the same data, referred to often, may be far more than the file. */
function counter(): (numbers: number) => void {
  let total = 0;
  return (numbers) => {
    if ((total += numbers) > 9 * TRIANGLES_MAX) throw new Error(`the file has more than ${TRIANGLES_MAX} triangles`);
  };
}

/** All triangles of a tree. */
export function meshOfTree(root: TreeNode): MeshData {
  const points: number[] = [];
  const triangles: number[] = [];
  const visit = (n: TreeNode, above: M4): void => {
    const m = times(above, n.place);
    const base = points.length / 3;
    for (let i = 0; i + 2 < n.points.length; i += 3) points.push(...placed(m, n.points[i]!, n.points[i + 1]!, n.points[i + 2]!));
    for (const t of n.triangles) triangles.push(base + t);
    for (const c of n.children) visit(c, m);
  };
  visit(root, IDENTITY);
  return meshOf(points, triangles);
}

export type M4 = number[]; // by columns
export const IDENTITY: M4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const Y_UP: M4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];
const X_UP: M4 = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
export function times(a: M4, b: M4): M4 {
  return Array.from({ length: 16 }, (_, i) => {
    const c = i >> 2, r = i & 3;
    return a[r]! * b[4 * c]! + a[4 + r]! * b[4 * c + 1]! + a[8 + r]! * b[4 * c + 2]! + a[12 + r]! * b[4 * c + 3]!;
  });
}
export const placed = (m: M4, x: number, y: number, z: number): [number, number, number] => [
  m[0]! * x + m[4]! * y + m[8]! * z + m[12]!, m[1]! * x + m[5]! * y + m[9]! * z + m[13]!, m[2]! * x + m[6]! * y + m[10]! * z + m[14]!,
];
function trs(t: number[], q: number[], s: number[]): M4 {
  const [x, y, z, w] = q as [number, number, number, number];
  const r = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
  return [r[0]! * s[0]!, r[1]! * s[0]!, r[2]! * s[0]!, 0, r[3]! * s[1]!, r[4]! * s[1]!, r[5]! * s[1]!, 0, r[6]! * s[2]!, r[7]! * s[2]!, r[8]! * s[2]!, 0, t[0]!, t[1]!, t[2]!, 1];
}

interface Gltf {
  asset?: unknown;
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: { name?: string; mesh?: number; skin?: number; children?: number[]; matrix?: number[]; translation?: number[]; rotation?: number[]; scale?: number[] }[];
  meshes?: { primitives?: { attributes?: { POSITION?: number }; indices?: number; mode?: number }[] }[];
  accessors?: { bufferView?: number; byteOffset?: number; componentType?: number; count?: number; type?: string }[];
  bufferViews?: { buffer?: number; byteOffset?: number; byteLength?: number; byteStride?: number }[];
  buffers?: { uri?: string; byteLength?: number }[];
}

const broken = (what: string): Error => new Error(`the glTF file is broken: ${what}`);

function gltfParts(bytes: Uint8Array): { json: Gltf; binary: Uint8Array | null } {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text: string;
  let binary: Uint8Array | null = null;
  if (bytes.length >= 20 && v.getUint32(0, true) === 0x46546c67) {
    const length = v.getUint32(12, true);
    if (20 + length > bytes.length) throw broken('it is cut off');
    text = new TextDecoder().decode(bytes.subarray(20, 20 + length));
    const at = 20 + length;
    if (at + 8 <= bytes.length) {
      const size = v.getUint32(at, true);
      if (at + 8 + size > bytes.length) throw broken('it is cut off');
      binary = bytes.subarray(at + 8, at + 8 + size);
    }
  } else {
    text = new TextDecoder().decode(bytes);
  }
  try {
    const json = JSON.parse(text) as Gltf;
    if (!json || typeof json !== 'object' || !json.asset) throw new Error();
    return { json, binary };
  } catch {
    throw broken('it is not JSON of glTF');
  }
}

function buffersOf(json: Gltf, binary: Uint8Array | null): Uint8Array[] {
  return (json.buffers ?? []).slice(0, 64).map((b) => {
    if (b.uri === undefined) {
      if (!binary) throw broken('a buffer is missing');
      return binary;
    }
    const found = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]*)$/.exec(b.uri);
    if (!found) throw new Error('buffers outside of the glTF file are not read: use .glb');
    try {
      return Uint8Array.from(atob(found[1]!), (c) => c.charCodeAt(0));
    } catch {
      throw broken('a buffer is cut off');
    }
  });
}

function accessor(json: Gltf, buffers: Uint8Array[], index: number | undefined): number[] {
  const a = json.accessors?.[index ?? -1];
  const view = json.bufferViews?.[a?.bufferView ?? -1];
  const buffer = buffers[view?.buffer ?? -1];
  if (!a || !view || !buffer) throw broken('an accessor has no data');
  const width = a.type === 'VEC3' ? 3 : 1;
  const size = { 5121: 1, 5123: 2, 5125: 4, 5126: 4 }[a.componentType ?? 0] ?? 0;
  const stride = view.byteStride || size * width;
  const start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
  const count = a.count ?? -1;
  if (!size || !Number.isInteger(count) || count < 0 || count > 3 * TRIANGLES_MAX || !(start >= 0) || start + (count - 1) * stride + size * width > buffer.length) {
    throw broken('an accessor reaches beyond its buffer');
  }
  const v = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const out: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < width; k++) {
      const at = start + i * stride + k * size;
      out.push(size === 1 ? v.getUint8(at) : size === 2 ? v.getUint16(at, true) : a.componentType === 5125 ? v.getUint32(at, true) : v.getFloat32(at, true));
    }
  }
  return out;
}

/** The scene of a glTF file, turned from y up to z up. */
export function gltfOf(bytes: Uint8Array): TreeNode {
  const { json, binary } = gltfParts(bytes);
  const buffers = buffersOf(json, binary);
  const count = counter();
  let visited = 0;
  const visit = (index: number, depth: number): TreeNode => {
    const node = json.nodes?.[index];
    if (!node || depth > 64 || ++visited > 20_000) throw broken('its nodes form no tree');
    const four = (v: number[] | undefined, n: number, d: number[]): number[] => (Array.isArray(v) && v.length === n && v.every((x) => typeof x === 'number' && Number.isFinite(x)) ? v : d);
    const place = node.matrix ? four(node.matrix, 16, IDENTITY) : trs(four(node.translation, 3, [0, 0, 0]), four(node.rotation, 4, [0, 0, 0, 1]), four(node.scale, 3, [1, 1, 1]));
    const points: number[] = [];
    const triangles: number[] = [];
    for (const p of json.meshes?.[node.mesh ?? -1]?.primitives ?? []) {
      if ((p.mode ?? 4) !== 4) continue;
      const base = points.length / 3;
      const at = accessor(json, buffers, p.attributes?.POSITION);
      count(at.length);
      for (const v of at) points.push(v);
      const corners = p.indices === undefined ? Array.from({ length: at.length / 3 }, (_, i) => i) : accessor(json, buffers, p.indices);
      count(corners.length);
      for (const c of corners) triangles.push(base + c);
    }
    const children = (node.children ?? []).map((c) => visit(c, depth + 1));
    return { name: typeof node.name === 'string' ? node.name : '', place, points, triangles, children, skin: node.skin !== undefined };
  };
  const scene = json.scenes?.[json.scene ?? 0]?.nodes ?? (json.nodes ?? []).map((_, i) => i);
  return { name: '', place: Y_UP, points: [], triangles: [], children: scene.map((n) => visit(n, 0)) };
}

/** The scene of a COLLADA file. */
export function colladaOf(text: string): TreeNode {
  const root = xmlOf(text);
  if (root.localName !== 'COLLADA') throw new Error('the file is not COLLADA');
  const byId = new Map<string, Element>();
  root.querySelectorAll('[id]').forEach((e) => byId.set(e.id, e));
  const follow = (url: string | null): Element | undefined => byId.get((url ?? '').replace(/^#/, ''));
  const unitLength = Number(root.querySelector('asset > unit')?.getAttribute('meter') ?? 1) || 1;
  const up = root.querySelector('asset > up_axis')?.textContent?.trim() ?? 'Y_UP';
  const list = (e: Element | null | undefined): number[] => (e?.textContent ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
  const count = counter();
  const geometry = (g: Element, { points, triangles }: TreeNode): void => {
    for (const t of g.querySelectorAll('triangles, polylist')) {
      const inputs = [...t.querySelectorAll('input')];
      const vertex = inputs.find((i) => i.getAttribute('semantic') === 'VERTEX');
      const stride = Math.max(...inputs.map((i) => Number(i.getAttribute('offset') ?? 0))) + 1;
      const source = follow(follow(vertex?.getAttribute('source') ?? null)?.querySelector('input[semantic=POSITION]')?.getAttribute('source') ?? null);
      const at = list(source?.querySelector('float_array'));
      const p = list(t.querySelector('p'));
      const sizes = t.localName === 'polylist' ? list(t.querySelector('vcount')) : Array.from({ length: Math.floor(p.length / stride / 3) }, () => 3);
      const base = points.length / 3;
      count(at.length + p.length);
      for (const v of at) points.push(v);
      let k = Number(vertex?.getAttribute('offset') ?? 0);
      for (const n of sizes) {
        if (!(n >= 0 && n <= p.length)) throw new Error('a polygon of the file has no such number of corners');
        const corners = Array.from({ length: n }, (_, i) => base + (p[k + i * stride] ?? NaN));
        for (let i = 2; i < n; i++) triangles.push(corners[0]!, corners[i - 1]!, corners[i]!);
        k += n * stride;
      }
    }
  };
  const visit = (e: Element): TreeNode => {
    const n: TreeNode = { name: e.getAttribute('name') ?? '', place: IDENTITY, points: [], triangles: [], children: [] };
    for (const c of e.children) {
      const v = list(c);
      if (c.localName === 'matrix') n.place = times(n.place, Array.from({ length: 16 }, (_, i) => v[(i & 3) * 4 + (i >> 2)] ?? 0));
      if (c.localName === 'translate') n.place = times(n.place, trs(v, [0, 0, 0, 1], [1, 1, 1]));
      if (c.localName === 'scale') n.place = times(n.place, trs([0, 0, 0], [0, 0, 0, 1], v));
      if (c.localName === 'rotate') {
        const h = ((v[3] ?? 0) * Math.PI) / 360;
        n.place = times(n.place, trs([0, 0, 0], [v[0]! * Math.sin(h), v[1]! * Math.sin(h), v[2]! * Math.sin(h), Math.cos(h)], [1, 1, 1]));
      }
      if (c.localName === 'instance_geometry') {
        const g = follow(c.getAttribute('url'));
        if (g) geometry(g, n);
      }
      if (c.localName === 'node') n.children.push(visit(c));
    }
    return n;
  };
  const scene = follow(root.querySelector('scene > instance_visual_scene')?.getAttribute('url') ?? null);
  const children = [...(scene?.children ?? [])].filter((n) => n.localName === 'node').map(visit);
  const turn = up === 'Z_UP' ? IDENTITY : up === 'X_UP' ? X_UP : Y_UP;
  return { name: '', place: times(turn, trs([0, 0, 0], [0, 0, 0, 1], [unitLength, unitLength, unitLength])), points: [], triangles: [], children };
}
