/**
 * Takes a linked module apart: into the one that the pages start with, and parts that are loaded when
 * they are needed. A part uses the memory, the table and the functions of the first.
 *
 *   node split.mjs OBJECT.o LINKED.wasm OUT.wasm PART.wasm=EXPORT[,EXPORT...] ... -- FEATURE ... -- PASS ...
 *
 * EXPORT is the name of an exported function, or the beginning of such names and *. What only the
 * exports of one part need goes there; what the others need, or two parts, stays, and so does what is
 * not in OBJECT, which is the C library. With + before it, it is the name of any function, which goes
 * to the part though others call it, and with it what it alone needs: what is rarely called. Such a
 * name may be missing, for the linker may have merged the function with its caller.
 *
 * Who needs what is read from the relocations of OBJECT, of which LINKED was linked: calls, addresses
 * of functions, and data with such addresses. binaryen's wasm-split then cuts, and the PASSes of
 * wasm-opt make each piece smaller.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [object, linked, out, ...rest] = process.argv.slice(2);
const first = rest.indexOf('--'), second = rest.lastIndexOf('--');
const parts = rest.slice(0, first).map((p) => p.split('=')).map(([file, names]) => ({ file, names: names.split(',') }));
const features = rest.slice(first + 1, second), passes = rest.slice(second + 1);

/* ---- reading ----------------------------------------------------------------------------------- */

/** A file of WebAssembly: its sections, each [id or name of a custom section, start, body, end]. */
class Module {
  constructor(file) {
    this.file = file;
    this.bytes = readFileSync(file);
    this.at = 8; // behind the magic number and the version
    this.sections = [];
    while (this.at < this.bytes.length) {
      const start = this.at, id = this.byte(), length = this.number(), end = this.at + length;
      this.sections.push({ start, name: id === 0 ? this.text() : id, body: this.at, end });
      this.at = end;
    }
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const b = this.byte();
      value += (b & 127) * scale;
      if (b < 128) return value;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }
  list(read) {
    return Array.from({ length: this.number() }, (_, i) => read(i));
  }
  section(name) {
    const found = this.sections.find((s) => s.name === name);
    if (!found) throw new Error(`${this.file} has no section ${name}`);
    this.at = found.body;
    return found;
  }

  /** Functions that are imported come first in the numbering. */
  imports() {
    this.section(2);
    return this.list(() => {
      this.text();
      this.text();
      const kind = this.byte();
      if (kind === 0 || kind === 4) this.number();
      else if (kind === 3) this.at += 2;
      else {
        if (kind === 1) this.byte();
        const bounded = this.number() & 1;
        this.number();
        if (bounded) this.number();
      }
      return kind === 0;
    }).filter(Boolean).length;
  }
  exports() {
    this.section(7);
    return this.list(() => ({ name: this.text(), kind: this.byte(), index: this.number() })).filter((e) => e.kind === 0).map((e) => e.name);
  }
  bodies() {
    const imports = this.imports();
    this.section(10);
    return this.list((i) => {
      const length = this.number(), start = this.at;
      this.at += length;
      return { node: `f${imports + i}`, start, end: this.at };
    });
  }
  segments() {
    this.section(11);
    return this.list(() => {
      const flags = this.number();
      if (flags === 2) this.number();
      if (flags !== 1) {
        this.byte(); // i32.const
        this.number();
        this.byte(); // end
      }
      const length = this.number(), start = this.at;
      this.at += length;
      return start;
    });
  }
  /** Names of functions, by their number. */
  names() {
    const { end } = this.section('name'), names = new Map();
    while (this.at < end) {
      const kind = this.byte(), length = this.number(), next = this.at + length;
      if (kind === 1) this.list(() => names.set(this.number(), this.text()));
      this.at = next;
    }
    return names;
  }

  /** What relocations refer to: 'f' and a function's number, or 'd' and its own with the data's range. */
  symbols() {
    const segments = this.segments(), { end } = this.section('linking');
    this.number(); // version
    while (this.at < end) {
      const type = this.byte(), length = this.number(), next = this.at + length;
      if (type === 8) {
        return this.list((i) => {
          const kind = this.byte(), missing = this.number();
          const named = !(missing & 16) || missing & 64;
          if (kind === 3) return void this.number();
          if (kind === 1) {
            this.text();
            if (missing & 16) return undefined;
            const start = segments[this.number()] + this.number();
            return { node: `d${i}`, start, end: start + this.number() };
          }
          const index = this.number();
          const name = named ? this.text() : '';
          return kind === 0 ? { node: `f${index}`, name } : undefined;
        });
      }
      this.at = next;
    }
    throw new Error(`${this.file} has no symbols`);
  }

  /** Who refers to whom, and the functions' names. */
  graph() {
    const symbols = this.symbols(), owners = [...this.bodies(), ...symbols.filter((s) => s?.end > s?.start)].sort((a, b) => a.start - b.start);
    const edges = new Map();
    for (const [name, of] of [['reloc.CODE', 10], ['reloc.DATA', 11]]) {
      const base = this.sections.find((s) => s.name === of).body;
      this.section(name);
      this.number();
      let k = 0;
      this.list(() => {
        const type = this.byte(), at = base + this.number(), to = this.number();
        if (WITH_ADDEND.has(type)) this.number();
        const node = NO_SYMBOL.has(type) ? undefined : symbols[to]?.node;
        if (!node) return;
        while (k + 1 < owners.length && owners[k + 1].start <= at) k++;
        while (owners[k].start > at) k--;
        if (owners[k].end <= at) throw new Error(`${this.file}, ${name}: nothing is at ${at}`);
        const from = owners[k].node;
        edges.set(from, (edges.get(from) ?? new Set()).add(node));
      });
    }
    return { edges, names: new Map(symbols.filter((s) => s?.name).map((s) => [s.node, s.name])) };
  }
}
/** Types of relocations: those of addresses have an addend; those of types (6) name no symbol. */
const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25]), NO_SYMBOL = new Set([6]);

/** What is reached from `roots`, but not into or beyond `closed`. */
function reach(edges, roots, closed) {
  const seen = new Set(roots), left = [...roots];
  while (left.length > 0) {
    for (const next of edges.get(left.pop()) ?? []) {
      if (!seen.has(next) && !closed.has(next)) {
        seen.add(next);
        left.push(next);
      }
    }
  }
  return seen;
}

/* ---- cutting ----------------------------------------------------------------------------------- */

const fits = (name, pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);

/** The names of the functions that go to each part. */
function assign(exported) {
  const { edges, names } = new Module(object).graph();
  const ofName = (n) => [...names].filter(([, name]) => (n.startsWith('+') ? fits(name, n.slice(1)) : exported.includes(name) && fits(name, n))).map(([node]) => node);
  // a function may have become a part of its only caller; an export is never gone
  for (const p of parts) for (const n of p.names) if (!n.startsWith('+') && ofName(n).length === 0) throw new Error(`${p.file}: no export is called ${n}`);
  const of = parts.map((p) => p.names.flatMap(ofName));
  const taken = new Set(of.flat());
  const others = reach(edges, [...names].filter(([node, name]) => exported.includes(name) && !taken.has(node)).map(([node]) => node), taken);
  const needs = of.map((roots) => reach(edges, roots, new Set([...taken].filter((node) => !roots.includes(node)))));
  return needs.map((mine) => [...mine].filter((node) => !others.has(node) && needs.every((n) => n === mine || !n.has(node)))
    .map((node) => names.get(node)).filter(Boolean));
}

/** The module with plain numbers as its functions' names, and without what the linker tells of itself. */
function renamed(module, count) {
  const leb = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >> 7)]);
  const named = (text) => [...leb(text.length), ...Buffer.from(text)];
  const list = [...leb(count), ...Array.from({ length: count }, (_, i) => [...leb(i), ...named(`f${i}`)]).flat()];
  const body = [...named('name'), 1, ...leb(list.length), ...list];
  const kept = module.sections.filter((s) => typeof s.name === 'number').map((s) => module.bytes.subarray(s.start, s.end));
  return Buffer.concat([module.bytes.subarray(0, 8), ...kept, Buffer.from([0, ...leb(body.length), ...body])]);
}

const run = (tool, ...args) => execFileSync(tool, [...features, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
const module = new Module(linked), numbers = new Map(), names = module.names();
// a name that two functions have says nothing: they stay
for (const [index, name] of names) numbers.set(name, numbers.has(name) ? null : index);
const lists = assign(module.exports()).map((list) => list.map((name) => numbers.get(name)).filter((n) => n !== undefined && n !== null));
const steps = [`${out}.whole`, ...parts.map((_, k) => `${out}.${k}`)], list = `${out}.list`;
writeFileSync(steps[0], renamed(module, module.imports() + module.bodies().length));
parts.forEach((part, k) => {
  if (lists[k].length === 0) throw new Error(`${part.file}: nothing is its alone`);
  writeFileSync(list, lists[k].map((n) => `f${n}`).join('\n'));
  run('wasm-split', steps[k], '-g', `--split-funcs=@${list}`, '--import-namespace=core', `--placeholder-namespace=${path.basename(part.file)}`, `--export-prefix=${k}`,
    '-o1', steps[k + 1], '-o2', part.file);
});
for (const [from, to] of [[steps.at(-1), out], ...parts.map((p) => [p.file, p.file])]) run('wasm-opt', ...passes, '--strip-debug', '--strip-producers', from, '-o', to);
for (const file of [...steps, list]) rmSync(file);
