import { writeSync } from 'node:fs';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { Problem, seededRandom } from '#model';

/**
 * Positions in the product where a test can make a process die, fail or wait. Each name describes
 * the moment.
 */
export const failpoints = [
  'before-object-put',
  'after-object-put',
  'before-ledger-commit',
  'after-ledger-commit',
  'before-claim',
  'after-claim',
  'after-pending-read',
  'before-ingest-commit',
  'after-ingest-commit',
  'before-publish-commit',
  'after-publish-commit',
  'after-original-put',
  'after-original-commit',
  'before-delete-object',
  'after-deletion-step',
  'during-export',
  'before-export-finished',
] as const;

export type FailpointName = (typeof failpoints)[number];

type Action =
  { readonly kind: 'kill' | 'throw'; readonly chance: number } | { readonly kind: 'sleep'; readonly ms: number; readonly chance: number };

interface Armed {
  readonly actions: ReadonlyMap<string, Action>;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const environmentKey = 'plotline.failpoints';
let armed: Armed | null = isMainThread ? null : fromParent();

/**
 * Arms the failpoints of this process and of the threads that it starts later. `settings` are
 * comma-separated entries: `<failpoint>=kill:<chance>`, `<failpoint>=throw:<chance>`,
 * `<failpoint>=sleep:<milliseconds>[:<chance>]`, and `seed=<whole number>` for random decisions.
 * Undefined or empty arms none. Throws if anything is invalid. Only for tests. `say` gets a line
 * now, which reports that this process is armed, and a line before each fault. By default, and
 * always in threads, lines are written to stderr.
 */
export function armFailpoints(settings: string | undefined, say = sayAtOnce): void {
  armed = settings ? parse(settings, say) : null;
  if (settings) say(`FAILPOINTS ARMED: this process will fail on purpose (PLOTLINE_FAILPOINTS=${settings}). For tests only.\n`);
  setEnvironmentData(environmentKey, settings ?? '');
}

/**
 * A position where a test can inject a fault: the process dies as if by `kill -9`, or waits, or
 * `store-unavailable` is thrown. Does nothing, without waiting, unless {@link armFailpoints} named
 * this position. A fault is announced on stderr before it happens.
 */
export function failpoint(name: FailpointName): Promise<void> | void {
  if (armed) return strike(name, armed);
}

function strike(name: FailpointName, { actions, random, say }: Armed): Promise<void> | void {
  const action = actions.get(name);
  if (!action || random() >= action.chance) return;
  say(`failpoint ${name}: ${action.kind}\n`);
  if (action.kind === 'sleep') return new Promise((resolve) => setTimeout(resolve, action.ms));
  if (action.kind === 'throw') throw new Problem('store-unavailable', `A test injected a fault at ${name}.`);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined); // nothing happens anymore
}

/** Output that is not written now would be lost with the process. */
function sayAtOnce(line: string): void {
  try {
    writeSync(2, line);
  } catch (error) {
    // The reader is too slow (EAGAIN), or gone (EPIPE): the fault happens anyway
    if (!(error instanceof Error) || !('code' in error) || (error.code !== 'EAGAIN' && error.code !== 'EPIPE')) throw error;
  }
}

function parse(settings: string, say: (line: string) => void): Armed {
  const actions = new Map<string, Action>();
  let seed = 1;
  for (const entry of settings.split(',')) {
    const [name = '', value = ''] = entry.trim().split('=');
    const [kind = '', ...numbers] = value.split(':');
    const [first = 1, second = 1] = numbers.map(Number);
    const isPlace = failpoints.some((known) => known === name);
    const good = [first, second].every((number) => Number.isFinite(number) && number >= 0);
    if (name === 'seed' && /^\d+$/.test(value)) seed = Number(value);
    else if (isPlace && good && (kind === 'kill' || kind === 'throw')) actions.set(name, { kind, chance: first });
    else if (isPlace && good && kind === 'sleep') actions.set(name, { kind, ms: first, chance: second });
    else throw new Error(`PLOTLINE_FAILPOINTS: ${entry} is malformed`);
  }
  return { actions, random: seededRandom(seed), say };
}

function fromParent(): Armed | null {
  const settings = getEnvironmentData(environmentKey);
  return typeof settings === 'string' && settings !== '' ? parse(settings, sayAtOnce) : null;
}
