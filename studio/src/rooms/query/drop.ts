/** Files for the query lab: scenes, also with the meshes that they name in an archive, meshes, and lists of points. */
import type { Kind, Surface } from '../../core/query';
import { BYTES_MAX, endingOf, meshOfFile } from '../../files/read';
import { unzip } from '../../files/zip';
import { query as texts } from '../../texts/query';
import { CORNERS_MAX, fromJson, TRIANGLES_MAX, type SceneDocument } from './scene';

export type Opened = { scene: SceneDocument } | { surface: Surface; kind: 'mesh' | 'polyhedron' };

const isPoints = (name: string): boolean => /^(xyz|csv|txt|pts)$/.test(endingOf(name));

/** Lines of three numbers; what is behind a # is a remark. */
export function pointsOf(text: string): Surface {
  const vertices: number[] = [];
  for (const line of text.split('\n')) {
    const words = line.replace(/#.*/, '').trim().split(/[\s,;]+/).filter((w) => w !== '');
    if (words.length === 0) continue;
    const row = words.map(Number);
    if (row.length !== 3 || !row.every((v) => Number.isFinite(v) && Math.abs(v) <= 1e6)) throw new Error(texts.badPoints);
    vertices.push(...row);
    if (vertices.length > 3 * CORNERS_MAX) throw new Error(texts.tooFine(CORNERS_MAX, TRIANGLES_MAX));
  }
  if (vertices.length === 0) throw new Error(texts.badPoints);
  return { vertices };
}

function surfaceOfFile(name: string, bytes: Uint8Array): Surface {
  if (isPoints(name)) return pointsOf(new TextDecoder().decode(bytes));
  const { points, triangles } = meshOfFile(name, bytes);
  if (points.length > 3 * CORNERS_MAX || triangles.length > 3 * TRIANGLES_MAX) throw new Error(texts.tooFine(CORNERS_MAX, TRIANGLES_MAX));
  if (!points.every((v) => Math.abs(v) <= 1e6)) throw new Error(texts.badNumbers);
  return { vertices: [...points], triangles: [...triangles] };
}

/** What a file is, by the ending of its name. */
export async function opened(name: string, bytes: Uint8Array, beside: ReadonlyMap<string, Uint8Array> = new Map()): Promise<Opened> {
  const ending = endingOf(name);
  if (ending === 'json') {
    const read = new Map<string, Surface>();
    const file = (wanted: string, kind: Kind): Surface => {
      const tail = wanted.replace(/.*[/\\]/, ''), key = [...beside.keys()].find((k) => k === wanted || k === tail || k.endsWith(`/${tail}`));
      if (key === undefined || tail === '') throw new Error(texts.noFile(wanted));
      const found = read.get(key) ?? surfaceOfFile(key, beside.get(key)!);
      read.set(key, found);
      if (kind === 'mesh' && !found.triangles) throw new Error(texts.badSurface(kind));
      return kind === 'mesh' ? found : { vertices: found.vertices };
    };
    return { scene: fromJson(new TextDecoder().decode(bytes), file) };
  }
  if (ending === 'zip' && beside.size === 0) {
    const files = await unzip(bytes, BYTES_MAX);
    const model = [/\.json$/i, /\.(obj|stl|off|dae|gltf|glb)$/i, /\.(xyz|csv|txt|pts)$/i].map((e) => [...files.keys()].find((f) => e.test(f))).find(Boolean);
    if (!model) throw new Error(texts.noModel);
    return opened(model, files.get(model)!, files);
  }
  return { surface: surfaceOfFile(name, bytes), kind: isPoints(name) ? 'polyhedron' : 'mesh' };
}
