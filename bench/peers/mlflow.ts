import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing';
import { type Exchange, HttpClient } from '../lib/http.ts';
import { start } from '../lib/processes.ts';
import { pythonEnvironment } from './python.ts';

/** An MLflow tracking server on SQLite. */
export interface MlflowServer {
  /**
   * Logs points of `keys` metrics into a new run, 1,000 per request (MLflow's maximum), one request
   * after another, as MLflow's client does.
   */
  log(points: number, keys: number): Promise<{ readonly run: string; readonly seconds: number }>;
  /**
   * Sends the request that MLflow's page sends for a chart of one metric, with at most `points`
   * points.
   */
  chart(run: string, points: number): Promise<Exchange>;
  stop(): Promise<void>;
}

const batch = 1_000;

/**
 * Starts a server with its database in `folder`. The first start creates the tables and takes ten
 * seconds or more.
 */
export async function startMlflow(folder: string, say: (line: string) => void): Promise<MlflowServer> {
  const environment = await pythonEnvironment('mlflow', ['mlflow==3.17.0'], say);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const running = start(
    join(environment, 'bin', 'mlflow'),
    [
      'server',
      '--backend-store-uri',
      `sqlite:///${join(folder, 'mlflow.db')}`,
      '--artifacts-destination',
      join(folder, 'mlflow-artifacts'),
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--workers',
      '1',
    ],
    { cwd: folder, env: { ...process.env, MLFLOW_DISABLE_TELEMETRY: 'true', PATH: `${join(environment, 'bin')}:${process.env['PATH']}` } },
  );
  const http = new HttpClient();
  const post = <T>(path: string, body: unknown): Promise<T> =>
    http.json<T>(`${origin}/api/2.0/mlflow/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await untilHealthy(http, origin, running);
  const { experiment_id } = await post<{ experiment_id: string }>('experiments/create', { name: 'bench' });
  return {
    async log(points, keys) {
      const { run } = await post<{ run: { info: { run_id: string } } }>('runs/create', { experiment_id, start_time: 1_780_000_000_000 });
      const bodies = Array.from({ length: Math.ceil(points / batch) }, (_, n) =>
        metrics(n * batch, Math.min(points, (n + 1) * batch), keys),
      );
      const started = performance.now();
      for (const body of bodies) await post('runs/log-batch', { run_id: run.info.run_id, metrics: body });
      return { run: run.info.run_id, seconds: (performance.now() - started) / 1000 };
    },
    chart(run, points) {
      const query = new URLSearchParams({ run_ids: run, metric_key: 'metric_0', max_results: String(points) });
      return http.expect(`${origin}/ajax-api/2.0/mlflow/metrics/get-history-bulk-interval?${query.toString()}`);
    },
    async stop() {
      http.close();
      await running.stop();
    },
  };
}

async function untilHealthy(
  http: HttpClient,
  origin: string,
  running: { output(): string; readonly exited: Promise<number | null> },
): Promise<void> {
  let ended = false;
  running.exited.then(
    () => (ended = true),
    () => (ended = true),
  );
  for (const end = performance.now() + 180_000; performance.now() < end && !ended; await delay(250)) {
    try {
      if ((await http.send(`${origin}/health`)).status === 200) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    }
  }
  throw new Error(`MLflow did not start\n${running.output()}`);
}

function metrics(from: number, to: number, keys: number): unknown[] {
  return Array.from({ length: to - from }, (_, n) => {
    const at = from + n;
    return { key: `metric_${at % keys}`, value: Math.exp(-at / 50_000), timestamp: 1_780_000_000_000 + at, step: Math.floor(at / keys) };
  });
}
