import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeArgumentsOf, seededRandom } from '#testing';
import { AckLog } from '../ack-log.ts';
import { check } from '../checker.ts';
import { type SentFile, sha256 } from '../client.ts';
import { Reader } from '../reader.ts';
import { checkedLine, type Outcome, type Scenario, type ScenarioContext } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf, type FilePlan } from '../training.ts';
import { drainMs } from '../workload.ts';

const runs = 3;

/** Test 8: `kill -9` of the command line while it watches a training; then its state files are cut at every length. */
export const cliKills: Scenario = {
  test: '8',
  title: 'kill -9 of the command line, and its state is cut',
  counts: { short: 3, full: 200 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-chaos-cli-'));
    try {
      return await killAndCut(stack, seed, count, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function killAndCut(stack: Stack, seed: number, count: number, folder: string): Promise<Outcome> {
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
  const cli = new CommandLine(stack, stateDir);

  let kills = 0;
  for (let round = 0; round < count; round++) {
    const child = cli.spawn('upload', '--logdir', logdir);
    for (const { path, bytes } of files) {
      const [from, to] = [round, round + 1].map((n) => Math.floor((bytes.length * n) / count)) as [number, number];
      await appendFile(path, bytes.subarray(from, to));
    }
    await sleep(150 + random() * 1_000);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    const [, signal] = (await ended) as [number | null, string | null];
    if (signal === 'SIGKILL') kills++;
  }
  const { experiment_id: experimentId } = await cli.json<{ experiment_id: string }>('upload', '--logdir', logdir, '--one-shot');

  const unmet: string[] = [];
  let cuts = 0;
  const stateFile = await findState(stateDir);
  const whole = await readFile(stateFile);
  // Every length in the full set; in the short one its beginning, middle and end
  const lengths =
    count >= 100 ? Array.from({ length: whole.length + 1 }, (_, i) => i) : [0, Math.floor(whole.length / 2), whole.length - 1];
  for (const length of lengths) {
    await writeFile(stateFile, whole);
    await truncate(stateFile, length);
    const again = await cli.json<{ experiment_id: string; uploaded_bytes: number }>(
      'upload',
      '--logdir',
      logdir,
      '--one-shot',
      '--no-wait',
    );
    if (again.experiment_id !== experimentId || again.uploaded_bytes !== 0)
      unmet.push(`with ${length} bytes of its state it sent ${again.uploaded_bytes} bytes to ${again.experiment_id}`);
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
    log.promise(fileId, bytes.length, 'the command line'); // it said that all is uploaded
    return { plan, experimentId, fileId, length: bytes.length, sha256: sha256(bytes) };
  });
  const result = await check({ url: stack.parts.front.url, token: stack.token, files: sent, log, drainMs: drainMs * stack.patience });
  await cli.run('verify', experimentId, '--logdir', logdir).catch((error: Error) => unmet.push(`plotline verify: ${error.message}`));
  return {
    figures: [`${kills} kills; ${cuts} of ${lengths.length} cut state files did no harm`, checkedLine(result)],
    violations: result.violations,
    unmet,
  };
}

/** The built command line, with a state folder of its own. */
class CommandLine {
  readonly #env: NodeJS.ProcessEnv;

  constructor(stack: Stack, stateDir: string) {
    this.#env = stack.cliEnvironment(stateDir);
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
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile() && /\.id-[A-Za-z0-9]{22}$/.test(entry.name));
  if (found.length !== 1) throw new Error(`the command line has ${found.length} state files`);
  return join(found[0]!.parentPath, found[0]!.name);
}
