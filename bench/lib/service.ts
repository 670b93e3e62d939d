import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, nodeArgumentsOf } from '#testing';
import { type Usage, Watch } from './usage.ts';
import { repository } from './places.ts';
import { type Running, start } from './processes.ts';

/**
 * A Plotline service that the bench started in its own folder, embedded or as separate processes.
 */
export interface Service {
  readonly origin: string;
  readonly token: string;
  readonly dataFolder: string;
  /**
   * Usage of the service's processes and its Postgres since they started; `peakResident` is the
   * peak of the largest process.
   */
  usage(): Usage;
  stop(): Promise<void>;
}

/** A service in one process. */
export interface EmbeddedService extends Service {
  readonly running: Running;
}

/** Starts a service with a data folder that must not exist yet, and waits until it is ready. */
export async function startService(dataFolder: string, settings: Readonly<Record<string, string>> = {}): Promise<EmbeddedService> {
  const port = await freePort();
  const running = start(process.execPath, nodeArgumentsOf('start'), {
    cwd: repository,
    env: { ...plainEnvironment(), PLOTLINE_DATA_DIR: dataFolder, PLOTLINE_PORT: String(port), ...settings },
  });
  const watch = new Watch(running.pid, 250);
  try {
    await running.line(/^Plotline is at /m, 120_000);
    const { server, token } = readCredentials(dataFolder);
    const stop = async (): Promise<void> => {
      watch.stop();
      await running.stop(60_000);
    };
    return { origin: server.replace(/\/$/, ''), token, dataFolder, running, usage: () => watch.usage(), stop };
  } catch (error) {
    watch.stop();
    await running.stop();
    throw error;
  }
}

/**
 * Reads the credentials that the first start of a service, or `npm run migrate`, writes for the
 * owner.
 */
export function readCredentials(dataFolder: string): { readonly server: string; readonly token: string } {
  return JSON.parse(readFileSync(join(dataFolder, 'credentials.json'), 'utf8')) as { server: string; token: string };
}

/** The parts of the JSON from `plotline upload --one-shot --json` that the benches use. */
export interface UploadReceipt {
  readonly experiment_id: string;
  readonly points: number;
  readonly bytes: number;
  readonly uploaded_bytes: number;
}

export interface Upload {
  /** From the start of the CLI process to its exit, which follows when everything is visible. */
  readonly seconds: number;
  /** Peak memory of the CLI. */
  readonly peakBytes: number;
  /** CPU time of the CLI, the service and Postgres during the upload. */
  readonly processorSeconds: number;
  readonly receipt: UploadReceipt;
}

/**
 * Uploads a directory as a new experiment with the real CLI. Throws unless every point is visible
 * at the end.
 */
export async function upload(service: Service, directory: string, points: number, flags: readonly string[] = []): Promise<Upload> {
  const before = service.usage();
  const started = performance.now();
  const running = startUpload(service, directory, ['--new', '--one-shot', '--json', ...flags]);
  const watch = new Watch(running.pid, 20, { postgres: false });
  const code = await running.exited;
  const seconds = (performance.now() - started) / 1000;
  const used = watch.stop();
  const processorSeconds = used.processorSeconds + service.usage().processorSeconds - before.processorSeconds;
  if (code !== 0) throw new Error(`plotline upload exited with ${code}\n${running.output()}`);
  const receipt = JSON.parse(running.stdout()) as UploadReceipt;
  if (receipt.points !== points) throw new Error(`logged ${points} points, stored ${receipt.points}`);
  return { seconds, peakBytes: used.peakResident, processorSeconds, receipt };
}

/**
 * Starts `plotline upload` on a directory, with its own state folder, so that it does not see the
 * user's earlier uploads.
 */
export function startUpload(service: Service, directory: string, flags: readonly string[]): Running {
  return startCommand(service, ['upload', '--logdir', directory, ...flags]);
}

/** Starts the CLI against a service, with its own state folder beside the service's data folder. */
export function startCommand(service: Service, args: readonly string[]): Running {
  const state = join(service.dataFolder, '..', 'cli-home');
  return start(process.execPath, [join(repository, 'dist/apps/cli/src/main.js'), ...args], {
    env: {
      ...plainEnvironment(),
      PLOTLINE_SERVER: service.origin,
      PLOTLINE_TOKEN: service.token,
      HOME: state,
      XDG_STATE_HOME: join(state, 'state'),
      XDG_CONFIG_HOME: join(state, 'config'),
    },
  });
}

/** Returns the environment without Plotline settings. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLOTLINE_')));
}
