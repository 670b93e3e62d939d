import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Exchange, HttpClient } from '../lib/http.ts';
import { start } from '../lib/processes.ts';
import { pythonEnvironment } from './python.ts';

/** The environment that holds stock TensorBoard and its data server. */
export async function tensorboardEnvironment(say: (line: string) => void): Promise<string> {
  return pythonEnvironment('tensorboard', ['tensorboard==2.21.0', 'tensorboard-data-server==0.7.2', 'setuptools<81'], say);
}

/** Stock TensorBoard with its data server and default settings: 1,000 points per series. */
export interface TensorBoard {
  /** URL of its page. */
  readonly origin: string;
  /**
   * Resolves once this series is listed with its last step. TensorBoard loads in the background and
   * always keeps the last point.
   */
  waitFor(run: string, tag: string, lastStep: number): Promise<void>;
  /** Sends the request that TensorBoard's page sends for one curve. */
  scalars(run: string, tag: string): Promise<Exchange>;
  /** Sends the request that TensorBoard's page sends for one tag of several runs. */
  multirun(runs: readonly string[], tag: string): Promise<Exchange>;
  stop(): Promise<void>;
}

/** Starts TensorBoard on a directory. */
export async function startTensorBoard(directory: string, say: (line: string) => void): Promise<TensorBoard> {
  const environment = await tensorboardEnvironment(say);
  const args = ['--logdir', directory, '--host', '127.0.0.1', '--port', '0', '--load_fast', 'true', '--reload_interval', '0'];
  const running = start(join(environment, 'bin', 'tensorboard'), args);
  const [, origin] = await running.line(/TensorBoard \S+ at (http:\/\/[^/\s]+)/, 120_000);
  const base = `${origin}/data/plugin/scalars`;
  const http = new HttpClient();
  const scalars = (run: string, tag: string, check = true): Promise<Exchange> => {
    const url = `${base}/scalars?${new URLSearchParams({ run, tag }).toString()}`;
    return check ? http.expect(url) : http.send(url);
  };
  return {
    origin: origin!,
    scalars: (run, tag) => scalars(run, tag),
    multirun: (runs, tag) => {
      const form = new URLSearchParams({ tag });
      for (const run of runs) form.append('runs', run);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return http.expect(`${base}/scalars_multirun`, { method: 'POST', headers, body: form.toString() });
    },
    async waitFor(run, tag, lastStep) {
      for (const end = performance.now() + 600_000; performance.now() < end; await delay(500)) {
        const { status, body } = await scalars(run, tag, false);
        if (status !== 200) continue;
        const points = JSON.parse(body.toString('utf8')) as [number, number, number][];
        if (points.at(-1)?.[1] === lastStep) return;
      }
      throw new Error(`TensorBoard did not load ${run} ${tag} in time\n${running.output()}`);
    },
    async stop() {
      http.close();
      await running.stop();
    },
  };
}
