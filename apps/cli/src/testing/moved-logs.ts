import fc from 'fast-check';
import { writeEventFile } from '#testing';
import type { WatchedFolder } from './watched-folder.ts';

const names = ['events.out.tfevents.1700000000.host.1.0', 'events.out.tfevents.1700000009.host.2.0'] as const;
const temporary = [
  (name: string) => `${name}.5C6dABbe`,
  (name: string) => `.${name}.Ab3xYz`,
  (name: string) => `${name}.partial`,
  (name: string) => `${name}_.gstmp`,
  (name: string) => `.syncthing.${name}.tmp`,
];
/** A suffix of temporary names that the CLI does not know. */
export const unknownEnd = '.axel-part1';

/**
 * An action by a tool or a user on a log. `looks`: how often the CLI scans between the steps;
 * `share`: the fraction that a scan may see.
 */
export const move = fc.record({
  what: fc.constantFrom('append', 'aside', 'aside', 'over', 'over', 'hole', 'rotate', 'rewrite', 'copy', 'abandon', 'segments', 'stale'),
  log: fc.nat(names.length - 1),
  tool: fc.nat(temporary.length),
  steps: fc.integer({ min: 1, max: 400 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  looks: fc.nat(4),
  clock: fc.constantFrom(0, 0, 0, -3600, 3600),
});
export type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/**
 * Whether the log is also uploaded under its temporary name, because the CLI does not know the
 * name.
 */
export const isUnknownTool = ({ tool }: Move): boolean => tool === temporary.length;

/** The logs in their source folder, and the tools that copy them to the watched folder. */
export class MovedLogs {
  readonly #logs: WatchedFolder;
  readonly #written = new Map<string, { startedAt: number; steps: number }>();
  #begun = 0;
  #rotated = 0;

  constructor(logs: WatchedFolder) {
    this.#logs = logs;
  }

  async make({ what, log, tool, steps, share, looks, clock }: Move): Promise<void> {
    const logs = this.#logs;
    const name = names[log]!;
    const aside = temporary[tool]?.(name) ?? `${name}${unknownEnd}`;
    const known = this.#written.has(name);
    if (what === 'rewrite' || !known) this.#begin(name);
    if (what === 'rotate' && known) {
      logs.write(name, this.#bytes(name), clock);
      await logs.look(looks);
      logs.rename(name, `${name}.${++this.#rotated}.old`);
      await logs.look(looks);
      this.#begin(name);
    }
    this.#written.get(name)!.steps += steps;
    const bytes = this.#bytes(name);
    const part = bytes.subarray(0, Math.floor(bytes.length * share));
    if (what === 'aside') {
      logs.write(aside, part, clock);
      await logs.look(looks);
      logs.write(aside, bytes, clock);
      await logs.look(looks);
      logs.rename(aside, name);
    } else if (what === 'over') {
      logs.write(name, part, clock);
      await logs.look(looks);
      logs.write(name, bytes, clock);
    } else if (what === 'hole' || what === 'segments') {
      const start = Math.floor(bytes.length * share);
      const under = what === 'hole' ? name : aside;
      logs.write(under, Buffer.from(bytes).fill(0, start, Math.min(start + 8192, bytes.length)), clock);
      await logs.look(looks * 4);
      logs.write(under, bytes, clock);
      await logs.look(what === 'hole' ? 0 : looks * 4);
      if (what === 'segments') logs.rename(aside, name);
    } else {
      logs.write(name, bytes, clock);
      if (what === 'copy') logs.write(`${name}.bak`, bytes, clock);
      if (what === 'stale') {
        // A copy that falls behind the log; then the log starts over
        logs.write(`${name}.bak`, part, clock);
        await logs.look(looks * 4);
        this.#begin(name);
        this.#written.get(name)!.steps += steps;
        logs.write(name, this.#bytes(name), clock);
      }
      if (what === 'abandon') {
        logs.write(aside, part, clock);
        await logs.look(looks * 10);
        logs.remove(aside);
      }
    }
    await logs.look(looks);
  }

  #begin(name: string): void {
    this.#written.set(name, { startedAt: 1_700_000_000 + 10_000 * ++this.#begun, steps: 0 });
  }

  #bytes(name: string): Buffer {
    const { startedAt, steps } = this.#written.get(name)!;
    const events = Array.from({ length: steps }, (_, step) => ({ step, wallTime: startedAt + step, scalars: { loss: step / 7 } }));
    return Buffer.from(writeEventFile([{ fileVersion: 'brain.Event:2', wallTime: startedAt }, ...events]));
  }
}

/**
 * The logs among these files: a file whose bytes are a prefix of another file counts as the same
 * log. Returns the length and the bytes of each log by name.
 */
export function withoutCopies(files: ReadonlyMap<string, Buffer>): Record<string, string> {
  const logs: [string, string][] = [];
  const longestFirst = [...files].sort(([a, x], [b, y]) => y.length - x.length || a.length - b.length);
  const kept: Buffer[] = [];
  for (const [name, bytes] of longestFirst) {
    if (kept.some((other) => other.subarray(0, bytes.length).equals(bytes))) continue;
    kept.push(bytes);
    logs.push([name, `${bytes.length} ${Buffer.from(bytes).toString('latin1')}`]);
  }
  return Object.fromEntries(logs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => [name, text]));
}
