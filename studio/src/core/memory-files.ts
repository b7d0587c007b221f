/**
 * A system of files in memory for the WebAssembly module: the calls of WASI that the library's
 * writers make, and nothing more. What they write is taken out again by take().
 */
const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOTDIR = 54, NOTEMPTY = 55;
const ROOT = 3;

interface Entry {
  folder: boolean;
  data: Uint8Array;
  size: number;
}

interface Open {
  path: string;
  entry: Entry;
  at: number;
}

const makeFile = (): Entry => ({ folder: false, data: new Uint8Array(1024), size: 0 });
const clean = (path: string): string => '/' + path.split('/').filter((p) => p && p !== '.').join('/');

export class MemoryFiles {
  private readonly entries = new Map<string, Entry>([['/', { folder: true, data: new Uint8Array(0), size: 0 }]]);
  private readonly open = new Map<number, Open>();
  private next = ROOT + 1;
  private memory: WebAssembly.Memory | null = null;

  attach(memory: WebAssembly.Memory): void {
    this.memory = memory;
  }

  /** All files, which are gone from here then. */
  take(): { name: string; data: Uint8Array }[] {
    const files = [...this.entries].filter(([, e]) => !e.folder).map(([path, e]) => ({ name: path.slice(1), data: e.data.slice(0, e.size) }));
    for (const path of [...this.entries.keys()]) if (path !== '/') this.entries.delete(path);
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private view(): DataView {
    return new DataView(this.memory!.buffer);
  }

  private text(at: number, length: number): string {
    return clean(new TextDecoder().decode(new Uint8Array(this.memory!.buffer, at, length).slice()));
  }

  private write(o: Open, bytes: Uint8Array): void {
    const end = o.at + bytes.length;
    if (end > o.entry.data.length) {
      const grown = new Uint8Array(Math.max(end, 2 * o.entry.data.length));
      grown.set(o.entry.data.subarray(0, o.entry.size));
      o.entry.data = grown;
    }
    o.entry.data.set(bytes, o.at);
    o.at = end;
    o.entry.size = Math.max(o.entry.size, end);
  }

  private stat(at: number, e: Entry): number {
    const v = this.view();
    for (let i = 0; i < 64; i += 8) v.setBigUint64(at + i, 0n, true);
    v.setUint8(at + 16, e.folder ? 3 : 4);
    v.setBigUint64(at + 24, 1n, true);
    v.setBigUint64(at + 32, BigInt(e.size), true);
    return OK;
  }

  private openPath(path: string, flags: number, out: number): number {
    let entry = this.entries.get(path);
    const create = (flags & 1) !== 0, exclusive = (flags & 4) !== 0, truncate = (flags & 8) !== 0;
    if (entry && create && exclusive) return EXIST;
    if (!entry) {
      if (!create) return NOENT;
      if (!this.entries.get(clean(path.slice(0, path.lastIndexOf('/'))))?.folder) return NOENT;
      this.entries.set(path, (entry = makeFile()));
    }
    if (truncate) entry.size = 0;
    this.open.set(this.next, { path, entry, at: 0 });
    this.view().setUint32(out, this.next++, true);
    return OK;
  }

  private remove(path: string, folder: boolean): number {
    const e = this.entries.get(path);
    if (!e) return NOENT;
    if (e.folder !== folder) return folder ? NOTDIR : ISDIR;
    if (folder && [...this.entries.keys()].some((k) => k.startsWith(path + '/'))) return NOTEMPTY;
    this.entries.delete(path);
    return OK;
  }

  private transfer(fd: number, list: number, count: number, out: number, reading: boolean): number {
    const o = this.open.get(fd);
    const v = this.view();
    let done = 0;
    for (let i = 0; i < count; i++) {
      const at = v.getUint32(list + 8 * i, true);
      const length = v.getUint32(list + 8 * i + 4, true);
      if (!o) {
        if (reading || fd > 2) return BADF;
        done += length; // standard output and error go nowhere
      } else if (reading) {
        const part = o.entry.data.subarray(o.at, Math.min(o.entry.size, o.at + length));
        new Uint8Array(this.memory!.buffer, at, part.length).set(part);
        o.at += part.length;
        done += part.length;
      } else {
        this.write(o, new Uint8Array(this.memory!.buffer, at, length));
        done += length;
      }
    }
    v.setUint32(out, done, true);
    return OK;
  }

  private seek(fd: number, offset: bigint, whence: number, out: number): number {
    const o = this.open.get(fd);
    if (!o) return BADF;
    const base = whence === 0 ? 0 : whence === 1 ? o.at : o.entry.size;
    const at = base + Number(offset);
    if (at < 0) return INVAL;
    o.at = at;
    this.view().setBigUint64(out, BigInt(at), true);
    return OK;
  }

  /** The imports of wasi_snapshot_preview1. */
  imports(): Record<string, (...args: never[]) => number> {
    const zero = (): number => OK;
    return {
      environ_get: zero,
      environ_sizes_get: (count: number, size: number) => {
        this.view().setUint32(count, 0, true);
        this.view().setUint32(size, 0, true);
        return OK;
      },
      clock_time_get: (_id: number, _precision: bigint, out: number) => {
        this.view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
        return OK;
      },
      fd_prestat_get: (fd: number, out: number) => {
        if (fd !== ROOT) return BADF;
        this.view().setUint32(out, 0, true);
        this.view().setUint32(out + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd: number, at: number) => {
        if (fd !== ROOT) return BADF;
        this.view().setUint8(at, 47);
        return OK;
      },
      fd_fdstat_get: (fd: number, out: number) => {
        const o = this.open.get(fd);
        if (!o && fd > ROOT) return BADF;
        const v = this.view();
        v.setUint8(out, fd === ROOT ? 3 : o ? 4 : 2);
        v.setUint16(out + 2, 0, true);
        v.setBigUint64(out + 8, 0xffffffffffffffffn, true);
        v.setBigUint64(out + 16, 0xffffffffffffffffn, true);
        return OK;
      },
      fd_fdstat_set_flags: zero,
      fd_filestat_get: (fd: number, out: number) => {
        const o = this.open.get(fd);
        return o ? this.stat(out, o.entry) : BADF;
      },
      fd_close: (fd: number) => (this.open.delete(fd) ? OK : BADF),
      fd_sync: zero,
      fd_read: (fd: number, list: number, count: number, out: number) => this.transfer(fd, list, count, out, true),
      fd_write: (fd: number, list: number, count: number, out: number) => this.transfer(fd, list, count, out, false),
      fd_seek: (fd: number, offset: bigint, whence: number, out: number) => this.seek(fd, offset, whence, out),
      path_create_directory: (_fd: number, at: number, length: number) => {
        const path = this.text(at, length);
        if (this.entries.has(path)) return EXIST;
        this.entries.set(path, { folder: true, data: new Uint8Array(0), size: 0 });
        return OK;
      },
      path_filestat_get: (_fd: number, _flags: number, at: number, length: number, out: number) => {
        const e = this.entries.get(this.text(at, length));
        return e ? this.stat(out, e) : NOENT;
      },
      path_open: (_fd: number, _look: number, at: number, length: number, flags: number, _r: bigint, _i: bigint, _f: number, out: number) =>
        this.openPath(this.text(at, length), flags, out),
      path_readlink: () => INVAL,
      path_remove_directory: (_fd: number, at: number, length: number) => this.remove(this.text(at, length), true),
      path_unlink_file: (_fd: number, at: number, length: number) => this.remove(this.text(at, length), false),
      path_rename: (_fd: number, at: number, length: number, _to: number, toAt: number, toLength: number) => {
        const from = this.text(at, length), to = this.text(toAt, toLength);
        const e = this.entries.get(from);
        if (!e) return NOENT;
        this.entries.delete(from);
        this.entries.set(to, e);
        return OK;
      },
      random_get: (at: number, length: number) => {
        new Uint8Array(this.memory!.buffer, at, length).fill(7); // names of temporary files only
        return OK;
      },
      proc_exit: (code: number) => {
        throw new Error(`the module ended with status ${code}`);
      },
    } as Record<string, (...args: never[]) => number>;
  }
}
