#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigFault, loadConfig } from '#config';
import { FolderInUse } from '#embedded-postgres';
import { createLogger } from '#telemetry';
import { startStandalone, type StandaloneService } from './service.ts';

/** The package's root, from the source tree as from the build (dist/apps/standalone/src). */
const root = ['../../../', '../../../../'].map((up) => new URL(up, import.meta.url)).find((folder) => existsSync(new URL('package.json', folder)))!;
const sample = fileURLToPath(new URL('test/data/logs/keras', root));
const cli = fileURLToPath(new URL('dist/apps/cli/src/main.js', root));

/** Runs the real command line against the service, in a process of its own; its messages go to ours. Throws when it fails. */
async function plotline(service: StandaloneService, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PLOTLINE_SERVER: '', PLOTLINE_TOKEN: '', PLOTLINE_DATA_DIR: service.dataDir },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`plotline ${args[0]} ended with code ${code}`);
  return out;
}

interface Uploaded {
  readonly experiment_id: string;
  readonly url: string;
  readonly runs: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobs: number;
}

/** Starts the service, uploads the sample, prints its URL. With `--once` it then reads everything back and stops; else it serves until Ctrl-C. */
async function demo(): Promise<void> {
  const once = process.argv.includes('--once');
  const config = loadConfig(process.env);
  const logger = createLogger({ level: config.telemetry.logLevel, format: config.telemetry.logFormat });
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const service = await startStandalone(config, logger);
  let code = 0;
  try {
    const uploaded = JSON.parse(await plotline(service, ['upload', '--logdir', sample, '--name', 'Sample: Keras on digits', '--one-shot', '--json'])) as Uploaded;
    process.stdout.write(`Uploaded ${uploaded.points} points, ${uploaded.tensors} tensors and ${uploaded.blobs} blobs of ${uploaded.runs} runs.\n`);
    process.stdout.write(`View your experiment at: ${uploaded.url}\n`);
    process.stdout.write(`Sign in first (once, within an hour): ${await service.signInLink()}\n`);
    if (once) {
      await plotline(service, ['verify', uploaded.experiment_id, '--logdir', sample]);
      process.stdout.write('Read back: every file and every point is as it was logged.\n');
    } else {
      process.stdout.write('Ctrl-C stops the service.\n');
      await stopped;
    }
  } catch (error) {
    code = 1;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  await service.stop();
  process.exit(code);
}

demo().catch((error: unknown) => {
  const expected = error instanceof ConfigFault || error instanceof FolderInUse;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(error instanceof ConfigFault ? 2 : 1);
});
