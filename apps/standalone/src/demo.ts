#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '#config';
import { FolderInUse } from '#embedded-postgres';
import { dataFolder, run, signInNotice, whenAborted } from '#service';
import { createLogger } from '#telemetry';
import { growLiveRun, writeSampleLogs } from './demo/sample-logs.ts';
import { type StandaloneService, startStandalone } from './service.ts';

/**
 * The package's root, as seen from the source tree or from the build (dist/apps/standalone/src).
 */
const root = ['../../../', '../../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder)))!;
const cli = fileURLToPath(new URL('dist/apps/cli/src/main.js', root));
const sampleDescription = 'Demo: 24 runs of a small image classifier over learning rate, optimizer and weight decay';

/** The output of `upload --one-shot --json`. */
interface Uploaded {
  readonly experiment_id: string;
  readonly url: string;
  readonly runs: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobs: number;
}

function environmentOf({ dataDir }: StandaloneService): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PLOTLINE_SERVER: '',
    PLOTLINE_TOKEN: '',
    PLOTLINE_DATA_DIR: dataDir,
    // The upload state of the sample is kept with the data, not in the user's state folder.
    XDG_STATE_HOME: join(dataDir, 'demo'),
  };
}

/** Uploads new log data with the real CLI until it is interrupted. Shows no progress. */
async function watch(service: StandaloneService, logdir: string, interrupted: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [cli, 'upload', '--logdir', logdir], { stdio: 'ignore', env: environmentOf(service) });
  const stop = (): void => void child.kill('SIGTERM');
  if (interrupted.aborted) stop();
  interrupted.addEventListener('abort', stop);
  await new Promise<void>((resolve) => child.once('error', () => resolve()).once('close', () => resolve()));
  interrupted.removeEventListener('abort', stop);
}

/**
 * Runs the real CLI against the service in a separate process, and passes its messages on. Throws
 * if the CLI fails.
 */
async function plotline(service: StandaloneService, args: readonly string[], interrupted: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: environmentOf(service) });
  const stop = (): void => void child.kill('SIGTERM');
  interrupted.addEventListener('abort', stop);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  interrupted.removeEventListener('abort', stop);
  interrupted.throwIfAborted();
  if (code !== 0) throw new Error(`plotline ${args[0]} exited with code ${code}`);
  return out;
}

/**
 * Uploads the sample and prints where to view it. With `once`, it then reads everything back.
 * Otherwise, it serves until it is interrupted.
 */
async function show(service: StandaloneService, config: Config, once: boolean, interrupted: AbortSignal): Promise<void> {
  const sample = await writeSampleLogs(join(service.dataDir, 'demo'));
  say(`Uploading a sample sweep of 24 runs: ${sample}`);
  const upload = ['upload', '--logdir', sample, '--description', sampleDescription, '--one-shot', '--json'];
  const uploaded = JSON.parse(await plotline(service, upload, interrupted)) as Uploaded;
  const notice = await signInNotice(config.signIn.printLink, process.stdout, {
    create: () => service.signInLink(`/e/${uploaded.experiment_id}`),
    otherwise: 'run: npm run -s plotline -- login-link',
  });
  process.stdout.write(
    `\nUploaded ${uploaded.points} points, ${uploaded.tensors} tensors and ${uploaded.blobs} blobs from ${uploaded.runs} runs.\n` +
      `View your experiment at: ${uploaded.url}\n` +
      `${notice}\n`,
  );
  if (once) {
    await plotline(service, ['verify', uploaded.experiment_id, '--logdir', sample], interrupted);
    process.stdout.write('Read back: every file and every point matches what was logged.\n');
    return;
  }
  process.stdout.write(
    '\nOne of the runs keeps growing while you watch.\nTo upload your own logs, run this in another terminal:\n  npm run -s plotline -- upload --logdir DIR\nPress Ctrl-C to stop. Your data is kept.\n',
  );
  await Promise.all([growLiveRun(sample, interrupted), watch(service, sample, interrupted), whenAborted(interrupted)]);
}

/** Prints progress. */
function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * `npm run demo`: the service with sample data. Its log is readable text, without the usual startup
 * messages.
 */
await run(
  async (interrupted) => {
    const config = loadConfig(process.env);
    const { logLevel, logFormat } = config.telemetry;
    const logger = createLogger({
      level: process.env.PLOTLINE_LOG_LEVEL ? logLevel : 'warn',
      format: logFormat === 'auto' ? 'text' : logFormat,
    });
    const folder = dataFolder(config);
    say(existsSync(folder) ? `Starting Plotline on ${folder}` : `Starting Plotline and creating its database in ${folder}`);
    const service = await startStandalone(config, logger, interrupted);
    try {
      await show(service, config, process.argv.includes('--once'), interrupted);
    } finally {
      if (interrupted.aborted) say('Stopping');
      await service.stop();
    }
    return 0;
  },
  [FolderInUse],
);
