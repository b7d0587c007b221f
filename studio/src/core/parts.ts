/**
 * A module that was taken apart (studio/wasm/split.mjs). In the first file, a function of another one is
 * an import of that file's name, called by its place in the table of functions; instantiated, the other
 * file puts itself into these places. So the first call of any such function loads its file: whoever
 * calls need not know where a function is. All files share memory, table and stack.
 */

/** The fewest digits that read back as a positive number, and where its exponent in tens is to be written. */
export function shortest(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  return { digits: BigInt(digits), exponent: Number(exponent) - (digits.length - 1) };
}

/** `system`: what the module imports besides. `fetchPart` gets a file's bytes, at once, or throws. */
export async function instantiate(
  source: BufferSource, system: WebAssembly.Imports, fetchPart: (name: string) => BufferSource,
): Promise<WebAssembly.Instance> {
  const module = await WebAssembly.compile(source), loaded = new Set<string>();
  const made: { instance?: WebAssembly.Instance } = {};
  const core = (): WebAssembly.Exports => made.instance!.exports;
  const table = (): WebAssembly.Table => Object.values(core()).find((e) => e instanceof WebAssembly.Table) as WebAssembly.Table;
  /** The stack's pointer: the one global that the parts share. */
  const stack = (): WebAssembly.Global => Object.values(core()).find((e) => e instanceof WebAssembly.Global) as WebAssembly.Global;
  let top = 0; // of the stack
  const load = (name: string): void => {
    try {
      new WebAssembly.Instance(new WebAssembly.Module(fetchPart(name)), { core: core() as WebAssembly.ModuleImports });
    } catch (error) {
      // the error ends all calls that are under way: none of them is to keep its share of the stack
      stack().value = top;
      throw new Error(`${name} could not be loaded: ${(error as Error).message}`);
    }
    loaded.add(name);
  };
  const imports: Record<string, WebAssembly.ModuleImports> = {
    ...system,
    studio: {
      shortest: (value: number, at: number): bigint => {
        const { digits, exponent } = shortest(value);
        new DataView((core()['memory'] as WebAssembly.Memory).buffer).setInt32(at, exponent, true);
        return digits;
      },
    },
  };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (!from.endsWith('.wasm')) continue;
    (imports[from] ??= {})[name] = (...values: unknown[]): unknown => {
      if (!loaded.has(from)) load(from);
      return (table().get(Number(name)) as (...all: unknown[]) => unknown)(...values);
    };
  }
  made.instance = await WebAssembly.instantiate(module, imports);
  top = stack().value as number;
  return made.instance;
}
