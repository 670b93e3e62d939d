import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeArgumentsOf, seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import { AppendRecord } from '../append-record.ts';
import { check } from '../checker.ts';
import { type SentFile, sha256 } from '../client.ts';
import { Reader } from '../reader.ts';
import { checkedLine, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import { drainMs, within } from '../workload.ts';

const runs = 3;
/**
 * The fraction of the logs that is written during the kills; the rest follows while the state is
 * truncated at every length.
 */
const writtenDuringKills = 0.7;
/** Probability that the state is truncated between two kills, with more bytes to send. */
const cutChance = 0.4;

/**
 * Test 8: `kill -9` of the CLI while it watches a training run; between some kills, its state file
 * is truncated. Then the state file is truncated at every length, each time after the logs have
 * grown. No append may start beyond the offset that the server reported as durable.
 */
export const cliKills: Scenario = {
  test: '8',
  title: 'kill -9 of the CLI, and its state is truncated',
  counts: { short: 3, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-chaos-cli-'));
    const record = await AppendRecord.before(stack.url);
    try {
      return await killAndCut(stack, record, seed, count, folder);
    } finally {
      await record.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function killAndCut(stack: Stack, record: AppendRecord, seed: number, count: number, folder: string): Promise<Outcome> {
  const random = seededRandom(seed);
  const logdir = join(folder, 'logs');
  const stateDir = join(folder, 'state');
  const training = Array.from({ length: runs * 2 }, (_, i): FilePlan => {
    const part = i % 2;
    return {
      seed,
      number: i,
      run: `run-${Math.floor(i / 2)}`,
      name: `events.out.tfevents.${1_700_000_000 + part}.host`,
      fromStep: part * 400,
      events: 800,
      tags: ['loss', 'accuracy'],
      media: 30,
    };
  });
  const files = training.map((plan) => ({ plan, bytes: bytesOf(plan), path: join(logdir, plan.run, plan.name) }));
  for (const { path } of files) await mkdir(join(path, '..'), { recursive: true });
  const cli = new CommandLine({ ...stack.cliEnvironment(stateDir), PLOTLINE_SERVER: record.url });
  /** Writes the logs up to this fraction. Returns the number of added bytes. */
  const written = files.map(() => 0);
  const growTo = async (share: number): Promise<number> => {
    let added = 0;
    for (const [i, { path, bytes }] of files.entries()) {
      const end = Math.floor(bytes.length * share);
      await appendFile(path, bytes.subarray(written[i], end));
      added += end - written[i]!;
      written[i] = end;
    }
    return added;
  };

  const unmet: string[] = [];
  let kills = 0;
  let cutBetween = 0;
  for (let round = 0; round < count; round++) {
    const mustCut = round === count - 1 && cutBetween === 0;
    if (round > 0 && (random() < cutChance || mustCut)) cutBetween += await cutState(stateDir, random);
    const child = cli.spawn('upload', '--logdir', logdir, '--compress', round % 2 === 0 ? 'columns' : 'none');
    await growTo((writtenDuringKills * (round + 1)) / count);
    // The first process lives until there is state to truncate; other processes may die before they
    // have sent anything.
    if (round === 0) await within(30_000, async () => (await stateFiles(stateDir)).length > 0);
    await sleep(150 + random() * 1_000);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    const [, signal] = (await ended) as [number | null, string | null];
    if (signal === 'SIGKILL') kills++;
  }
  if (kills !== count) unmet.push(`${kills} of ${count} kills hit a running CLI`);
  if (cutBetween === 0) unmet.push('no state was truncated between two kills');
  const { experiment_id: experimentId } = await cli.json<{ experiment_id: string }>('upload', '--logdir', logdir, '--one-shot');

  let cuts = 0;
  // As on another machine, truncated state files remain short, because the CLI gets everything that
  // it needs from their names.
  await rm(stateDir, { recursive: true });
  await cli.json('upload', '--logdir', logdir, '--one-shot', '--experiment', experimentId);
  const stateFile = await findState(stateDir);
  const whole = await readFile(stateFile);
  if (whole.length < 10) unmet.push(`the state has only ${whole.length} bytes`);
  // Every length in the full set; the start, middle and end in the short set.
  const lengths =
    count >= 100 ? Array.from({ length: whole.length + 1 }, (_, i) => i) : [0, Math.floor(whole.length / 2), whole.length - 1];
  for (const [i, length] of lengths.entries()) {
    await writeFile(stateFile, whole);
    await truncate(stateFile, length);
    const added = await growTo(writtenDuringKills + ((1 - writtenDuringKills) * (i + 1)) / lengths.length);
    const again = await cli.json<{ experiment_id: string; uploaded_bytes: number }>(
      'upload',
      '--logdir',
      logdir,
      '--one-shot',
      '--no-wait',
    );
    if (again.experiment_id !== experimentId || again.uploaded_bytes !== added)
      unmet.push(`with ${length} bytes of its state it sent ${again.uploaded_bytes} bytes, not ${added}, to ${again.experiment_id}`);
    else cuts++;
  }

  const reader = new Reader({ url: stack.parts.front.url, token: stack.token });
  const listed = await reader.pages<{ file_id: string; run: string; name: string }>(
    `/experiments/${experimentId}/files?page_size=1000`,
    'files',
  );
  const log = new AckLog();
  const sent = files.map(({ plan, bytes }): SentFile => {
    const fileId = listed.find(({ run, name }) => run === plan.run && name === plan.name)?.file_id ?? '0';
    // The CLI has reported that everything is uploaded.
    log.promise(fileId, bytes.length, 'the CLI');
    return { plan, experimentId, fileId, length: bytes.length, sha256: sha256(bytes) };
  });
  const result = await check({ url: stack.parts.front.url, token: stack.token, files: sent, log, drainMs: drainMs * stack.timeFactor });
  await cli.run('verify', experimentId, '--logdir', logdir).catch((error: Error) => unmet.push(`plotline verify: ${error.message}`));
  const { appends, ahead, conflicts } = record;
  if (appends.length < lengths.length) unmet.push(`only ${appends.length} appends were seen`);
  if (ahead.length > 0) unmet.push(`${ahead.length} appends started beyond what was durable, e.g. ${JSON.stringify(ahead[0])}`);
  if (conflicts.length > 0) unmet.push(`${conflicts.length} requests got a 409, e.g. ${conflicts[0]}`);
  const withoutResponse = appends.filter(({ status }) => status === null).length;
  return {
    figures: [
      `${kills} kills, state truncated ${cutBetween} times in between; ${cuts} of ${lengths.length} truncated state files did no harm, with more to send each time`,
      `${appends.length} appends, ${withoutResponse} of them without a response: ${ahead.length} beyond what was durable, ${conflicts.length} × 409`,
      checkedLine(result),
    ],
    violations: result.violations,
    unmet,
  };
}

/** The built CLI, with its own state folder. */
class CommandLine {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  spawn(...args: string[]): ChildProcess {
    return spawn(process.execPath, [...nodeArgumentsOf('plotline'), ...args], { env: this.#env, stdio: 'ignore' });
  }

  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [...nodeArgumentsOf('plotline'), ...args], {
      env: this.#env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run(...args, '--json')) as T;
  }
}

async function findState(stateDir: string): Promise<string> {
  const found = (await stateFiles(stateDir)).filter((file) => /\.id-[A-Za-z0-9]{22}$/.test(file));
  if (found.length !== 1) throw new Error(`the CLI has ${found.length} state files`);
  return found[0]!;
}

/** Truncates all current state files at random lengths. Returns their number. */
async function cutState(stateDir: string, random: () => number): Promise<number> {
  const found = await stateFiles(stateDir);
  for (const file of found) {
    const { size } = await stat(file);
    await truncate(file, Math.floor(random() * size));
  }
  return found.length;
}

/** Returns the files with names that record an experiment or the intent to create one. */
async function stateFiles(stateDir: string): Promise<string[]> {
  const name = /\.(id|key)-[A-Za-z0-9-]+$/;
  // Nothing was recorded yet.
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && name.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
}
