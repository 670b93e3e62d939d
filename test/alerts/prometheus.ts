import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort, prometheusProgram } from '#testing';
import { writeRules } from './alert-rules.ts';

/** A process to scrape. */
export interface Target {
  /** The label from the ServiceMonitor, e.g. `plotline-read`. */
  readonly service: string;
  /** Host and port. */
  readonly address: string;
}

interface Alert {
  readonly labels: { readonly alertname: string } & Readonly<Record<string, string>>;
  /** `pending`: the expression has been true for less time than the rule requires. */
  readonly state: 'pending' | 'firing';
}

/** A Prometheus with the unchanged rules of k8s/. It scrapes and evaluates once a second. */
export class Prometheus {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | null = null;
  #output = '';

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<Prometheus> {
    const { folder } = await writeRules();
    const prometheus = new Prometheus(folder, await freePort());
    await prometheus.#start();
    return prometheus;
  }

  async #start(): Promise<void> {
    const scrape = { job_name: 'plotline', file_sd_configs: [{ files: ['targets/*.json'], refresh_interval: '1s' }] };
    const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
    await mkdir(join(this.#folder, 'targets'));
    await writeFile(join(this.#folder, 'prometheus.yaml'), stringify({ global, rule_files: ['rules.yaml'], scrape_configs: [scrape] }));
    const args = {
      'config.file': join(this.#folder, 'prometheus.yaml'),
      'storage.tsdb.path': join(this.#folder, 'data'),
      'web.listen-address': `127.0.0.1:${this.#port}`,
    };
    const child = spawn(
      prometheusProgram('prometheus'),
      Object.entries(args).map(([name, value]) => `--${name}=${value}`),
      { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (this.#output += piece));
    for (let tries = 0; ; tries++) {
      const ready = await fetch(`http://127.0.0.1:${this.#port}/-/ready`).catch(() => null);
      if (ready?.ok) return;
      if (child.exitCode !== null || tries > 300) throw new Error(`prometheus does not start:\n${this.#output}`);
      await sleep(100);
    }
  }

  /** From now on, scrapes only these targets. */
  async watch(targets: readonly Target[]): Promise<void> {
    const groups = targets.map(({ service, address }) => ({ targets: [address], labels: { service } }));
    const file = join(this.#folder, 'targets/all.json');
    await writeFile(`${file}.new`, JSON.stringify(groups));
    await rename(`${file}.new`, file);
  }

  /** Returns the alerts with an expression that is true now. */
  async alerts(): Promise<readonly Alert[]> {
    return ((await this.#ask('alerts')) as { alerts: readonly Alert[] }).alerts;
  }

  /** Returns the values of an expression now. */
  async values(query: string): Promise<readonly number[]> {
    const { result } = (await this.#ask(`query?query=${encodeURIComponent(query)}`)) as { result: { value: [number, string] }[] };
    return result.map(({ value }) => Number(value[1]));
  }

  async #ask(path: string): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/api/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: unknown }).data;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
