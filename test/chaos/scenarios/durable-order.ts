import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startPostgres } from '#embedded-postgres';
import { nodeArgumentsOf } from '#testing';
import { AckLog } from '../ack-log.ts';
import { ChaosClient } from '../client.ts';
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts';
import { environmentOf, migrateDatabase } from '../environment.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import { readTrace, type Traced } from '../wal-trace.ts';
import { within } from '../workload.ts';

/** A full run has this many appends, and must not pass without tracing. */
const fullCount = 100;

/**
 * Test 3: a trace of system calls shows that WAL is on disk before the response is sent, and that
 * the test detects violations. Processes do not start with a Postgres that could lose commits.
 */
export const durableOrder: Scenario = {
  test: '3',
  title: 'the order of fdatasync and response; an unsafe Postgres is rejected',
  counts: { short: 20, full: fullCount },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const unmet: string[] = [];
    const figures: string[] = [];
    if (await hasStrace()) {
      const { inOrder, responses } = await traceAppends(stack, seed, count);
      figures.push(`${inOrder} of ${count} responses left after their own WAL fdatasync had returned`);
      if (responses !== count) unmet.push(`${responses} responses were traced, not ${count}`);
      if (inOrder !== count) unmet.push(`${count - inOrder} answers left without one`);
      // The same without the safeguard; an equally high count would prove nothing.
      await stack.runWithout('upload', 'commit-before-ack');
      const without = await traceAppends(stack, seed + 1, count);
      await stack.runWithout('upload', null);
      figures.push(`with responses that do not wait for the commit: ${without.inOrder} of ${without.responses}`);
      if (without.responses !== count || without.inOrder >= count)
        unmet.push(`responses that do not wait for the commit were not detected: ${without.inOrder} of ${without.responses} in order`);
    } else {
      const printed = 'the order was not checked: strace is missing, or may not trace';
      figures.push(printed);
      if (count >= fullCount) unmet.push(printed);
    }
    let rejected = 0;
    for (const [setting, value] of [
      ['fsync', 'off'],
      ['synchronous_commit', 'off'],
      ['full_page_writes', 'off'],
    ] as const) {
      const printed = await startOver({ [setting]: value });
      if (printed.code !== 0 && printed.output.includes(setting)) rejected++;
      else unmet.push(`with a Postgres with ${setting}=${value}, upload exited with ${printed.code}: ${printed.output.slice(-300)}`);
    }
    figures.push(`${rejected} of 3 unsafe settings rejected`);
    return { figures, violations: [], unmet };
  },
};

async function hasStrace(): Promise<boolean> {
  try {
    await promisify(execFile)('strace', ['-o', '/dev/null', 'true']);
    return true;
  } catch {
    return false;
  }
}

/** Pause between appends, so that leftover work of one append does not count for the next. */
const pauseMs = 30;

/** Sends appends one after another and traces the system calls during this time. */
async function traceAppends(stack: Stack, seed: number, count: number): Promise<Traced> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-chaos-trace-'));
  const trace = join(folder, 'trace');
  // The other writers stop, because their commits would count as ours.
  await Promise.all(stack.of('ingest').map((process) => process.stop()));
  const client = new ChaosClient({ url: stack.parts.front.url, token: stack.token, log: new AckLog(), random: Math.random });
  try {
    const experimentId = await client.createExperiment('traced');
    const plan: FilePlan = { seed, number: 0, run: 'run', name: 'events.out.tfevents.1', fromStep: 0, events: count * 4, tags: ['a'] };
    const bytes = bytesOf(plan);
    const file = await client.announce(experimentId, plan, bytes);
    const pids = [await stack.postgresPid(), ...(await backendPids(stack)), ...stack.of('upload').map(({ pid }) => pid)].filter(
      (pid) => pid !== null,
    );
    const calls = 'trace=fdatasync,fsync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg';
    const strace = spawn(
      'strace',
      ['-f', '-y', '-ttt', '-s', '24', '-e', calls, '-o', trace, ...pids.flatMap((pid) => ['-p', String(pid)])],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let printed = '';
    strace.stderr.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
    if (!(await within(10_000, () => printed.split(' attached').length > pids.length)))
      throw new Error(`strace did not attach: ${printed}`);
    const piece = Math.floor(bytes.length / count);
    for (let i = 0; i < count; i++) {
      await client.append(file, i * piece, bytes.subarray(i * piece, (i + 1) * piece));
      await sleep(pauseMs);
    }
    const ended = once(strace, 'exit');
    strace.kill('SIGINT');
    await ended;
    return readTrace(await readFile(trace, 'latin1'));
  } finally {
    client.close();
    await Promise.all(stack.of('ingest').map((process) => process.start()));
    await rm(folder, { recursive: true });
  }
}

async function backendPids(stack: Stack): Promise<number[]> {
  const postmaster = await stack.postgresPid();
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(postmaster)]);
  return stdout.trim().split(/\s+/).map(Number);
}

/**
 * Starts an upload process with a Postgres that has these settings; returns how the process exited.
 */
async function startOver(settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-chaos-unsafe-'));
  const postgres = await startPostgres({ dataDir: join(folder, 'database'), settings });
  try {
    const env = {
      ...environmentOf(postgres),
      PLOTLINE_DATA_DIR: join(folder, 'data'),
      PLOTLINE_REDIS_URL: 'redis://127.0.0.1:1',
      PLOTLINE_PORT: '0',
    };
    // `npm run migrate` creates the schema, and then fails for the same reason.
    const migrated = await migrateDatabase(postgres, env).catch((error: Error) => error.message);
    if (migrated === undefined) return { code: 0, output: 'npm run migrate did not mind' };
    const child = spawn(process.execPath, nodeArgumentsOf('start:upload'), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
        // The process must not start; if it does, it is stopped.
        if (output.includes('Plotline upload is at')) child.kill('SIGTERM');
      });
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code, output };
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
