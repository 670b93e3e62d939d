import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Watch } from '../lib/usage.ts';
import { start } from '../lib/processes.ts';
import { PeerUnavailable } from './python.ts';
import { tensorboardEnvironment } from './tensorboard.ts';

/**
 * Result of loading a log directory into memory with TensorBoard's data server (the
 * `tensorboard-data-server` wheel).
 */
export interface RustBoardLoad {
  /** From process start until all files are in memory. */
  readonly seconds: number;
  /** The load cycle according to the server's own log. */
  readonly loadSeconds: number;
  readonly peakBytes: number;
  readonly processorSeconds: number;
}

const finished = /Finished load cycle \(([\d.]+)(m?s|µs)\)/;

/** Prepares the data server once and returns a function that loads a directory with it. */
export async function rustBoard(say: (line: string) => void): Promise<(directory: string) => Promise<RustBoardLoad>> {
  const server = findServer(await tensorboardEnvironment(say));
  return async (directory) => {
    const started = performance.now();
    // With `--reload once`, the server loads once and keeps serving; its log shows when the load
    // has finished.
    const running = start(server, [
      '--logdir',
      directory,
      '--reload',
      'once',
      '--port',
      '0',
      '--host',
      '127.0.0.1',
      '--verbose',
      '--die-after-stdin',
    ]);
    const watch = new Watch(running.pid, 50, { postgres: false });
    try {
      const [, amount, unit] = await running.line(finished, 600_000);
      const seconds = (performance.now() - started) / 1000;
      const factor = { s: 1, ms: 1e-3, µs: 1e-6 }[unit!] ?? Number.NaN;
      const used = watch.stop();
      return { seconds, loadSeconds: Number(amount) * factor, peakBytes: used.peakResident, processorSeconds: used.processorSeconds };
    } finally {
      watch.stop();
      await running.stop();
    }
  };
}

/** The data server with a directory in memory, serving on a loopback port. */
export interface RunningRustBoard {
  /** `127.0.0.1:PORT`, plain gRPC. */
  readonly target: string;
  stop(): Promise<void>;
}

/**
 * Starts the data server on a directory; resolves when it has loaded everything. `portFile`: the
 * file to which the server writes its port.
 */
export async function serveRustBoard(directory: string, portFile: string, say: (line: string) => void): Promise<RunningRustBoard> {
  const server = findServer(await tensorboardEnvironment(say));
  const where = ['--host', '127.0.0.1', '--port', '0', '--port-file', portFile];
  const running = start(server, ['--logdir', directory, '--reload', 'once', ...where, '--verbose', '--die-after-stdin']);
  try {
    await running.line(finished, 600_000);
    return { target: `127.0.0.1:${readFileSync(portFile, 'utf8').trim()}`, stop: () => running.stop() };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

function findServer(environment: string): string {
  const lib = join(environment, 'lib');
  for (const python of readdirSync(lib)) {
    const server = join(lib, python, 'site-packages', 'tensorboard_data_server', 'bin', 'server');
    if (existsSync(server)) return server;
  }
  throw new PeerUnavailable('this machine has no tensorboard-data-server binary');
}
