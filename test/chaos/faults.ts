import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ManagedProcess } from './managed-process.ts';
import type { LinkFaults } from './proxy.ts';
import type { S3Fault } from './s3-proxy.ts';
import type { LinkName, PartName, ProcessKind, Stack } from './stack.ts';
import { within } from './workload.ts';

/**
 * The effect of a fault: how often it was observed (0 if it had no effect), and how long it took
 * until the system served again.
 */
export interface Strike {
  readonly observed: number;
  readonly recoveryMs: number | null;
}

/**
 * A kind of fault. It draws from `random` independently of anything else, so that the same seed
 * produces the same schedule.
 */
export interface FaultKind {
  readonly name: string;
  /** Relative frequency. */
  readonly weight: number;
  readonly draw: (random: () => number) => (stack: Stack) => Promise<Strike>;
}

const maxRecoveryMs = 60_000;

/**
 * `kill -9` of one process of a kind. Observed: the process is gone. Over: its successor serves.
 */
export function killProcess(kind: ProcessKind, weight: number): FaultKind {
  return {
    name: `kill ${kind}`,
    weight,
    draw: (random) => {
      const which = random();
      return async (stack) => {
        const processes = stack.of(kind);
        const process = processes[Math.floor(which * processes.length)]!;
        if (!(await process.kill())) return { observed: 0, recoveryMs: null };
        const death = process.deaths.at(-1)!;
        await process.ready();
        return { observed: 1, recoveryMs: death.recoveryMs };
      };
    },
  };
}

/** SIGSTOP, then SIGCONT after a while. Observed: the kernel reports the process as stopped. */
export function freezeProcess(kind: ProcessKind, weight: number, maxMs: number): FaultKind {
  return {
    name: `freeze ${kind}`,
    weight,
    draw: (random) => {
      const which = random();
      const ms = maxMs * (0.2 + 0.8 * random());
      return async (stack) => {
        const processes = stack.of(kind);
        const process: ManagedProcess = processes[Math.floor(which * processes.length)]!;
        if (!(await process.freeze())) return { observed: 0, recoveryMs: null };
        await sleep(ms);
        const began = performance.now();
        await process.thaw();
        return { observed: 1, recoveryMs: performance.now() - began };
      };
    },
  };
}

/**
 * `kill -9` of Redis, which loses all its data, because it keeps nothing on disk. Observed: the
 * process is gone.
 */
export const wipeRedis: FaultKind = {
  name: 'kill and wipe redis',
  weight: 3,
  draw: (random) => {
    const downMs = random() * 400;
    return async ({ redis }) => {
      const { pid } = redis;
      await redis.wipe();
      const observed = pid !== null && isGone(pid) ? 1 : 0;
      await sleep(downMs);
      const began = performance.now();
      await redis.start();
      return { observed, recoveryMs: performance.now() - began };
    };
  },
};

/** `kill -9` of the object store; its files remain. Observed: the process is gone. */
export const killS3: FaultKind = {
  name: 'kill s3',
  weight: 3,
  draw: (random) => {
    const downMs = random() * 400;
    return async ({ s3 }) => {
      const { pid } = s3;
      await s3.kill();
      const observed = pid !== null && isGone(pid) ? 1 : 0;
      await sleep(downMs);
      const began = performance.now();
      await s3.start();
      return { observed, recoveryMs: performance.now() - began };
    };
  },
};

/** `kill -9` of the postmaster. Observed: it is gone. Over: its successor responds. */
export const killPostgres: FaultKind = {
  name: 'kill postgres',
  weight: 2,
  draw: () => async (stack) => {
    const pid = await stack.postgresPid();
    if (pid === null) return { observed: 0, recoveryMs: null };
    const began = performance.now();
    process.kill(pid, 'SIGKILL');
    const gone = await within(10_000, () => isGone(pid));
    await awaitPostgres(stack);
    return { observed: gone ? 1 : 0, recoveryMs: performance.now() - began };
  },
};

/**
 * `kill -9` of a backend, after which Postgres terminates all others and recovers. Observed: the
 * backend is gone.
 */
export const killBackend: FaultKind = {
  name: 'kill a backend',
  weight: 2,
  draw: (random) => {
    const which = random();
    return async (stack) => {
      const [pid] = await backends(stack, which, 1);
      if (pid === undefined) return { observed: 0, recoveryMs: null };
      const began = performance.now();
      process.kill(pid, 'SIGKILL');
      const gone = await within(10_000, () => isGone(pid));
      await awaitPostgres(stack);
      return { observed: gone ? 1 : 0, recoveryMs: performance.now() - began };
    };
  },
};

/**
 * Terminates some backends with their transactions, as an administrator or a failover would.
 * Observed: each process is gone.
 */
export const endBackends: FaultKind = {
  name: 'end a backend',
  weight: 30,
  draw: (random) => {
    const which = random();
    const count = 1 + Math.floor(random() * 6);
    return async (stack) => {
      const pids = await backends(stack, which, count);
      await administer(stack, 'select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
      await within(2_000, () => pids.every(isGone));
      return { observed: pids.filter(isGone).length, recoveryMs: null };
    };
  },
};

/**
 * Resets the connections between all processes and a backend. Observed: an open connection was
 * reset.
 */
export function cutPart(part: PartName, weight: number): FaultKind {
  return {
    name: `cut ${part}`,
    weight,
    draw: () => async (stack) => ({
      observed:
        partLinks.filter((name) => name.endsWith(`-${part}`)).reduce((cut, name) => cut + stack.link(name).resetAll(), 0) > 0 ? 1 : 0,
      recoveryMs: null,
    }),
  };
}

/**
 * The links between a kind of process and a backend. During faults, nobody reads objects through
 * read processes.
 */
export const partLinks = [
  'upload-postgres',
  'ingest-postgres',
  'read-postgres',
  'upload-redis',
  'ingest-redis',
  'read-redis',
  'upload-s3',
  'ingest-s3',
] as const satisfies readonly LinkName[];

/**
 * Applies a link fault for at least this long; `effect` counts the affected traffic. Observed:
 * there was affected traffic.
 */
function disturbLink(
  name: string,
  weight: number,
  { ms, effect, faults }: { ms: number; effect: 'held' | 'delayed'; faults: (random: () => number) => LinkFaults },
): FaultKind {
  return {
    name,
    weight,
    draw: (random) => {
      const link = drawOne(partLinks, random);
      const lasts = ms * (0.3 + 0.7 * random());
      const drawn = faults(random);
      return async (stack) => {
        const proxy = stack.link(link);
        const before = proxy.effects[effect];
        proxy.faults = drawn;
        try {
          await sleep(lasts);
        } finally {
          proxy.faults = {};
        }
        return { observed: proxy.effects[effect] > before ? 1 : 0, recoveryMs: null };
      };
    },
  };
}

/**
 * Silently holds back all traffic between a kind of process and a backend for a while, then
 * delivers it. Observed: data was held back.
 */
export const partition = disturbLink('partition', 3, { ms: 2_500, effect: 'held', faults: () => ({ partition: true }) });

/**
 * Delays all traffic between a kind of process and a backend for a while. Observed: data was
 * delayed.
 */
export const latency = disturbLink('latency', 3, {
  ms: 2_000,
  effect: 'delayed',
  faults: (random) => ({ latencyMs: 30 + Math.floor(random() * 400) }),
});

/**
 * Makes connections half-open: neither side receives anything from the other again. New connections
 * work. Observed: data was sent into a half-open connection.
 */
function forget(name: string, weight: number, links: readonly LinkName[]): FaultKind {
  return {
    name,
    weight,
    draw: (random) => {
      const link = drawOne(links, random);
      return async (stack) => {
        const proxy = stack.link(link);
        // Traffic into connections that became half-open earlier does not count.
        const before = proxy.effects.halfOpen;
        if (proxy.halfOpenAll() === 0) return { observed: 0, recoveryMs: null };
        return { observed: (await within(1_500, () => proxy.effects.halfOpen > before)) ? 1 : 0, recoveryMs: null };
      };
    },
  };
}

export const halfOpen = forget('half-open', 3, partLinks);
/** Rare, because each client waits for its response until its timeout. */
export const halfOpenClients = forget('half-open to clients', 0.3, ['client']);

/**
 * The object store responds to some requests in this way for a while ({@link S3FaultProxy}).
 * Observed: once per affected request.
 */
export function failS3(kind: S3Fault): FaultKind {
  return {
    name: `s3 ${kind}`,
    weight: 1,
    draw: (random) => {
      const ms = 400 + random() * 1_200;
      const chance = 0.3 + random() * 0.4;
      return async ({ s3Faults }) => {
        const before = s3Faults.effects[kind];
        s3Faults.plan = { chance, kinds: [kind] };
        try {
          await sleep(ms);
        } finally {
          s3Faults.plan = { chance: 0, kinds: [] };
        }
        return { observed: s3Faults.effects[kind] - before, recoveryMs: null };
      };
    },
  };
}

function drawOne<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}

/**
 * The quality of the clients' connections for a while. Its effects are counted individually:
 * connection cut, response dropped, connection refused; a partition counts once.
 */
export function drawWeather(random: () => number): { readonly faults: LinkFaults; readonly ms: number } {
  const ms = 500 + random() * 2_000;
  const kind = random();
  const chance = 0.1 + random() * 0.25;
  if (kind < 0.4) return { faults: { resetChance: chance }, ms };
  if (kind < 0.75) return { faults: { dropResponseChance: chance }, ms };
  if (kind < 0.85) return { faults: { resetChance: chance / 2, dropResponseChance: chance / 2, latencyMs: random() * 60 }, ms };
  if (kind < 0.95) return { faults: { refuse: true }, ms: 100 + random() * 300 };
  if (kind < 0.98) return { faults: { partition: true }, ms: ms / 2 };
  return { faults: {}, ms };
}

/** Resolves when Postgres responds; throws after a minute. */
export async function awaitPostgres(stack: Stack): Promise<void> {
  const answers = await within(maxRecoveryMs, async () => {
    try {
      await administer(stack, 'select 1', []);
      return true;
    } catch {
      return false; // It is starting, recovering, or not running yet.
    }
  });
  if (!answers) throw new Error(`Postgres did not come back:\n${stack.parts.postgresLog.slice(-5).join('\n')}`);
}

/** Runs a statement as the administrator on a new connection; returns its result. */
export async function administer<Row extends pg.QueryResultRow>(
  stack: Stack,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: stack.adminUrl, application_name: 'chaos', connectionTimeoutMillis: 20_000 });
  client.on('error', () => undefined); // The statement fails, too.
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function backends(stack: Stack, which: number, count: number): Promise<number[]> {
  try {
    const rows = await administer<{ pid: number }>(
      stack,
      `select pid from pg_stat_activity where backend_type = 'client backend' and application_name like 'plotline%' and application_name <> 'plotline-listen' order by pid`,
    );
    if (rows.length === 0) return [];
    const first = Math.floor(which * rows.length);
    return Array.from({ length: Math.min(count, rows.length) }, (_, i) => rows[(first + i) % rows.length]!.pid);
  } catch {
    return []; // Postgres is down, so there are no backends.
  }
}

/** Whether a process has exited. A zombie counts as exited. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
