import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import { check } from '../checker.ts';
import { ChaosClient, type SentFile } from '../client.ts';
import { administer } from '../faults.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { Reader } from '../reader.ts';
import { checkedLine, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import type { FilePlan } from '../training.ts';
import { drainMs, within } from '../workload.ts';

/**
 * The lock in the criterion is the queue's lock on a job, which lasts 2 s (`lockMs` of the
 * dispatcher): a worker that is silent for longer loses its job to another. In a transaction, a
 * worker also holds the ledger's lock on its run until the transaction ends. After 30 s of silence,
 * Postgres terminates the transaction (`idle_in_transaction_session_timeout`).
 */
const lockMs = 2_000;
const frozenMs = 2 * lockMs;
/**
 * A worker pauses for this long at the place where it is frozen; the pause is over when it resumes.
 */
const stayMs = 3_000;

/** Where a worker is frozen, and how its work becomes available to others. */
interface Place {
  readonly name: string;
  readonly failpoint: 'before-claim' | 'after-claim' | 'before-ingest-commit';
  readonly inTransaction: boolean;
  /** Who terminates the worker's transaction while the worker is frozen. */
  readonly endedBy: 'nobody' | 'postgres' | 'administrator';
  /** Share of all rounds. */
  readonly share: number;
}

const places: readonly Place[] = [
  // Its connection survives, and it continues to claim and store what another worker has already
  // done.
  { name: 'before its transaction', failpoint: 'before-claim', inTransaction: false, endedBy: 'nobody', share: 0.45 },
  // A timeout ends the transaction, which takes half a minute each time.
  { name: 'at the beginning of its transaction', failpoint: 'after-claim', inTransaction: true, endedBy: 'postgres', share: 0.1 },
  // It has written everything, and continues with the commit.
  { name: 'before its commit', failpoint: 'before-ingest-commit', inTransaction: true, endedBy: 'administrator', share: 0.45 },
];

/**
 * Test 13: a worker is frozen during a job, another worker does the job, and then the first worker
 * continues. A round is one job of a frozen worker.
 */
export const zombies: Scenario = {
  test: '13',
  title: 'a frozen worker wakes up after another has done its work',
  counts: { short: 3, full: 100 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const frozenWorkers = new FrozenWorkers(stack, seed);
    try {
      for (const place of places) await frozenWorkers.visit(place, Math.max(1, Math.round(count * place.share)));
      return await frozenWorkers.conclude();
    } finally {
      await stack.arm('ingest-0', null);
      frozenWorkers.close();
    }
  },
};

/** Runs per upload, so that both workers get some of them. */
const runsAtOnce = 8;
const timeLimitMs = 60_000;
/**
 * Maximum rounds in which the other worker claims all runs, or no job has reached the place when
 * the worker freezes.
 */
const maxMissed = 20;

class FrozenWorkers {
  readonly #stack: Stack;
  readonly #seed: number;
  readonly #zombie: ManagedProcess;
  readonly #client: ChaosClient;
  readonly #reader: Reader;
  readonly #log = new AckLog();
  readonly #files: SentFile[] = [];
  readonly #figures: string[] = [];
  readonly #unmet: string[] = [];

  constructor(stack: Stack, seed: number) {
    this.#stack = stack;
    this.#seed = seed;
    [this.#zombie] = stack.of('ingest') as [ManagedProcess];
    this.#client = new ChaosClient({ url: stack.parts.front.url, token: stack.token, log: this.#log, random: seededRandom(seed) });
    this.#reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  }

  close(): void {
    this.#client.close();
  }

  /** Freezes the worker at a place repeatedly, until it has had this many jobs there. */
  async visit(place: Place, rounds: number): Promise<void> {
    const { name, failpoint, inTransaction } = place;
    const stay = `${failpoint}=sleep:${stayMs}`;
    // The start and the end of every attempt also trigger failpoints, for counting.
    const armed = failpoint === 'before-claim' ? stay : `before-claim=sleep:1,${stay}`;
    await this.#stack.arm('ingest-0', `${armed},after-ingest-commit=sleep:1`);
    const sums = { jobs: 0, open: 0, empty: 0, aborted: 0 };
    const took: number[] = [];
    const frozen: number[] = [];
    for (let missed = 0; sums.jobs < rounds && missed < maxMissed;) {
      const round = await this.#round(place);
      if (!round) {
        missed++;
        continue;
      }
      for (const key of ['jobs', 'open', 'empty', 'aborted'] as const) sums[key] += round[key];
      took.push(round.takenOverMs);
      frozen.push(round.frozenMs);
    }
    this.#figures.push(
      `frozen ${name}: ${sums.jobs} rounds, ${sums.open} with an open transaction, for at least ${Math.floor(Math.min(...frozen))} ms; done by another after ${times(took)}; ` +
        `then ${sums.empty} ended with 0 rows, ${sums.aborted} were aborted`,
    );
    if (sums.jobs < rounds) this.#unmet.push(`frozen ${name}: only ${sums.jobs} of ${rounds} rounds`);
    const intended = inTransaction ? sums.jobs : 0;
    if (sums.open !== intended) this.#unmet.push(`frozen ${name}: ${sums.open} rounds had an open transaction, not ${intended}`);
    // A worker with a terminated transaction cannot commit, and a worker that still has its
    // connection must have tried.
    if ((inTransaction ? sums.aborted : sums.empty) !== sums.jobs)
      this.#unmet.push(`frozen ${name}: ${sums.empty} attempts ended with 0 rows and ${sums.aborted} were aborted, of ${sums.jobs}`);
  }

  async conclude(): Promise<Outcome> {
    const { front, token } = this.#stack.parts;
    const result = await check({ url: front.url, token, files: this.#files, log: this.#log, drainMs: drainMs * this.#stack.timeFactor });
    return { figures: [...this.#figures, checkedLine(result)], violations: result.violations, unmet: this.#unmet };
  }

  /** Null if the worker had no job there, or another job had not reached the place yet. */
  async #round(place: Place) {
    const { name, failpoint, inTransaction, endedBy } = place;
    if (!(await within(timeLimitMs, () => this.#underWay() === 0))) this.#unmet.push(`frozen ${name}: the worker did not settle`);
    const before = this.#strikes(failpoint);
    const experimentId = await this.#upload();
    if (!(await within(10_000, () => this.#strikes(failpoint) > before))) return null;
    await sleep(300); // It works on two runs concurrently, and may just have started the other.
    if (!(await this.#zombie.freeze())) this.#unmet.push(`frozen ${name}: the worker could not be frozen`);
    const began = performance.now();
    await sleep(100); // Its last output has arrived.
    const jobs = this.#strikes(failpoint) - before;
    if (jobs !== this.#underWay()) {
      await this.#zombie.thaw();
      return null;
    }
    const connections = await postgresConnectionsOf(this.#stack, this.#zombie.pid!);
    const open = connections.filter(({ state }) => state === 'idle in transaction').map(({ pid }) => pid);
    if (endedBy === 'administrator') await administer(this.#stack, 'select pg_terminate_backend(pid) from unnest($1::int[]) pid', [open]);
    const late = await this.#reader.awaitVisible(experimentId, began + timeLimitMs);
    if (late !== null) this.#unmet.push(`frozen ${name}: no other worker did the work of the frozen one: ${late}`);
    const takenOverMs = performance.now() - began;
    await sleep(Math.max(0, frozenMs - (performance.now() - began)));
    const left = await postgresConnectionsOf(this.#stack, this.#zombie.pid!);
    const alive = left.filter(({ pid }) => endedBy === 'nobody' || open.includes(pid)).length;
    const shouldLive = endedBy === 'nobody' ? connections.length : 0;
    if (alive !== shouldLive) this.#unmet.push(`frozen ${name}: ${alive} of its connections survived until it woke up, not ${shouldLive}`);

    const stored = await this.#rowsOf(experimentId);
    const [ended, failures] = [this.#ended(), this.#failures()];
    const wokeAfterMs = performance.now() - began;
    await this.#zombie.thaw();
    const aborts = (): number => this.#failures() - failures;
    // An aborted attempt is retried immediately and finds nothing, so the end of the retry does not
    // count as the end of a frozen attempt.
    await within(timeLimitMs, () => (inTransaction ? aborts() : this.#ended() - ended) >= jobs);
    const aborted = aborts();
    const empty = inTransaction ? 0 : this.#ended() - ended - aborted;
    if ((await this.#rowsOf(experimentId)) !== stored)
      this.#unmet.push(`frozen ${name}: rows of experiment ${experimentId} were written after another worker had done the work`);
    return { jobs, open: open.length, takenOverMs, frozenMs: wokeAfterMs, aborted, empty };
  }

  /** Attempts of the worker that have not ended. */
  #underWay(): number {
    return this.#strikes('before-claim') - this.#ended();
  }

  #ended(): number {
    return this.#strikes('after-ingest-commit') + this.#failures();
  }

  #strikes(failpoint: string): number {
    return this.#zombie.strikes.get(`${failpoint}: sleep`) ?? 0;
  }

  /** Counts the aborted transactions of the worker, according to its log. */
  #failures(): number {
    return this.#zombie.output.match(/run \d+ could not be ingested/g)?.length ?? 0;
  }

  /** Uploads a new experiment with some small, complete runs. */
  async #upload(): Promise<string> {
    const experimentId = await this.#client.createExperiment(`zombies ${this.#files.length}`);
    const sent = await Promise.all(
      Array.from({ length: runsAtOnce }, (_, run) => {
        const plan: FilePlan = {
          seed: this.#seed,
          number: this.#files.length + run,
          run: `run-${run}`,
          name: 'events.out.tfevents.1',
          fromStep: 0,
          events: 60,
          tags: ['a', 'b'],
        };
        return this.#client.upload(experimentId, plan, { minBytes: 100_000, maxBytes: 100_000, pauseMs: 0 });
      }),
    );
    this.#files.push(...sent);
    return experimentId;
  }

  /**
   * Returns the row versions that ingest wrote for an experiment. Any write changes them, even if
   * the values are the same.
   */
  async #rowsOf(experimentId: string): Promise<string> {
    const tables = [
      ...['series', 'run_state', 'file_progress', 'pending_segment'].map((table) => `${table} where experiment_id = $1`),
      'run_tail where run_id in (select run_id from run where experiment_id = $1)',
      ...['series_stats', 'scalar_chunk'].map(
        (table) => `${table} where series_id in (select series_id from series where experiment_id = $1)`,
      ),
    ];
    const parts = tables.map(
      (from) => `select '${from.split(' ', 1)[0]}' as "table", ctid::text as place, xmin::text as writer from ${from}`,
    );
    return JSON.stringify(await administer(this.#stack, `${parts.join(' union all ')} order by 1, 2`, [experimentId]));
  }
}

interface PostgresConnection {
  /** Pid of its backend. */
  readonly pid: number;
  readonly state: string;
}

/**
 * Returns a process's connections to Postgres with the ingest role, found by their ports in /proc.
 */
async function postgresConnectionsOf(stack: Stack, pid: number): Promise<PostgresConnection[]> {
  const fds = await readdir(`/proc/${pid}/fd`);
  // Closed meanwhile.
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const sockets = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const ports = sockets.filter((socket) => inodes.has(socket[9] ?? '')).map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16));
  return administer<{ pid: number; state: string }>(
    stack,
    `select pid, state from pg_stat_activity where usename = 'plotline_ingest' and client_port = any($1::int[])`,
    [ports],
  );
}
