/**
 * Several files as one: a ZIP archive, for models that come with meshes. It is written without
 * compression, and read with or without.
 */
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

export function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of data) c = table[(c ^ byte) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export interface NamedFile {
  name: string;
  data: Uint8Array;
}

/** The fields that a file's two headers have in common. */
function header(v: DataView, at: number, name: Uint8Array, data: Uint8Array): void {
  v.setUint16(at, 20, true);
  v.setUint16(at + 2, 0x800, true); // names are UTF-8
  v.setUint16(at + 4, 0, true);
  v.setUint32(at + 6, 0x00210000, true); // the first day that the format knows: equal bytes each time
  v.setUint32(at + 10, crc32(data), true);
  v.setUint32(at + 14, data.length, true);
  v.setUint32(at + 18, data.length, true);
  v.setUint16(at + 22, name.length, true);
}

export function zip(files: readonly NamedFile[]): Uint8Array {
  const names = files.map((f) => new TextEncoder().encode(f.name));
  const total = files.reduce((n, f, i) => n + 76 + 2 * names[i]!.length + f.data.length, 22);
  const out = new Uint8Array(total);
  const v = new DataView(out.buffer);
  const starts: number[] = [];
  let at = 0;
  files.forEach((f, i) => {
    starts.push(at);
    v.setUint32(at, 0x04034b50, true);
    header(v, at + 4, names[i]!, f.data);
    out.set(names[i]!, at + 30);
    out.set(f.data, at + 30 + names[i]!.length);
    at += 30 + names[i]!.length + f.data.length;
  });
  const directory = at;
  files.forEach((f, i) => {
    v.setUint32(at, 0x02014b50, true);
    v.setUint16(at + 4, 20, true);
    header(v, at + 6, names[i]!, f.data);
    v.setUint32(at + 42, starts[i]!, true);
    out.set(names[i]!, at + 46);
    at += 46 + names[i]!.length;
  });
  v.setUint32(at, 0x06054b50, true);
  v.setUint16(at + 8, files.length, true);
  v.setUint16(at + 10, files.length, true);
  v.setUint32(at + 12, at - directory, true);
  v.setUint32(at + 16, directory, true);
  return out;
}

const broken = (): Error => new Error('the archive is broken');

/** The files of an archive by their paths; never more than `most` bytes, whatever it promises. */
export async function unzip(bytes: Uint8Array, most: number): Promise<Map<string, Uint8Array>> {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Map<string, Uint8Array>();
  try {
    let end = bytes.length - 22;
    while (v.getUint32(end, true) !== 0x06054b50) end--;
    let at = v.getUint32(end + 16, true), left = most;
    for (let n = v.getUint16(end + 10, true); n > 0; n--) {
      if (v.getUint32(at, true) !== 0x02014b50) throw broken();
      const method = v.getUint16(at + 10, true), size = v.getUint32(at + 20, true), length = v.getUint16(at + 28, true), start = v.getUint32(at + 42, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length));
      const from = start + 30 + v.getUint16(start + 26, true) + v.getUint16(start + 28, true);
      if (from + size > bytes.length || (method !== 0 && method !== 8)) throw broken();
      const data = bytes.subarray(from, from + size);
      const file = method === 0 ? data : await inflate(data, left);
      if ((left -= file.length) < 0) throw new Error(`the archive unpacks to more than ${most >> 20} MB`);
      out.set(name, file);
      at += 46 + length + v.getUint16(at + 30, true) + v.getUint16(at + 32, true);
    }
  } catch (e) {
    throw e instanceof RangeError ? broken() : e;
  }
  return out;
}

async function inflate(data: Uint8Array, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = new Blob([data as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => { throw broken(); });
    if (done) break;
    parts.push(value);
    if ((size += value.length) > most) {
      void reader.cancel();
      throw new Error('the archive unpacks to more than is read');
    }
  }
  const out = new Uint8Array(size);
  parts.reduce((at, p) => (out.set(p, at), at + p.length), 0);
  return out;
}
