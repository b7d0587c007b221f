/**
 * All texts of the interface: a file of texts/ per room, which exports one object of the room's name.
 * The shell needs only the help of each; a room imports its own.
 */
export { shell } from './texts/shell';

const files = import.meta.glob<Record<string, { help?: readonly string[] }>>('./texts/*.ts', { eager: true });

export function helpOf(room: string): readonly string[] {
  return files[`./texts/${room}.ts`]?.[room]?.help ?? [];
}
