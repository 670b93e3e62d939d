import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing';
import { Cli, Service, type Uploaded } from '../e2e/service.ts';
import { StockClient } from './stock-client.ts';
import { StockViewer } from './stock-viewer.ts';

/** A service with its own gRPC port, the CLI, and a member with the stock client. */
export class Stage {
  readonly service: Service;
  readonly cli: Cli;
  readonly client: StockClient;
  readonly grpcPort: number;
  readonly #state: string;
  readonly #bridges = new Set<Bridge>();

  private constructor(service: Service, cli: Cli, client: StockClient, grpcPort: number, state: string) {
    this.service = service;
    this.cli = cli;
    this.client = client;
    this.grpcPort = grpcPort;
    this.#state = state;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const grpcPort = await freePort();
    const service = await Service.start({ processes: 'embedded', env: { PLOTLINE_GRPC_PORT: String(grpcPort), ...env } });
    const state = await mkdtemp(join(tmpdir(), 'plotline-state-'));
    return new Stage(service, new Cli(service, state), await StockClient.make(service.url, await service.token()), grpcPort, state);
  }

  /** Uploads the directory natively as a new experiment. */
  async uploadNatively(logdir: string): Promise<string> {
    return (await this.cli.json<Uploaded>('upload', '--logdir', logdir, '--one-shot', '--new')).experiment_id;
  }

  /** Calls {@link whenVisible} for this stage's service. */
  visible(experimentId: string): Promise<void> {
    return whenVisible(this.service, experimentId);
  }

  /** Starts `plotline tensorboard EXPERIMENT` without TensorBoard: only its bridge. */
  async bridge(target: string): Promise<Bridge> {
    const bridge = await Bridge.start(this.cli, target);
    this.#bridges.add(bridge);
    return bridge;
  }

  /** Starts stock TensorBoard on the bridge of an experiment. */
  async view(target: string, flags: readonly string[] = []): Promise<StockViewer> {
    const bridge = await this.bridge(target);
    return StockViewer.start(['--grpc_data_provider', bridge.address, ...flags]);
  }

  async dispose(): Promise<void> {
    for (const bridge of this.#bridges) await bridge.stop();
    await this.client.dispose();
    await this.service.dispose();
    await rm(this.#state, { recursive: true, force: true });
  }
}

/** Waits until everything acknowledged in an experiment is readable. */
export async function whenVisible(service: Service, experimentId: string): Promise<void> {
  const { acknowledged_epoch } = await service.json<{ acknowledged_epoch: number }>(`/experiments/${experimentId}/frontier`);
  await service.json(`/experiments/${experimentId}/frontier?wait_for=${acknowledged_epoch}&timeout=60`);
}

/** A bridge of the CLI that waits for TensorBoard. */
export class Bridge {
  readonly address: string;
  readonly #running: ReturnType<Cli['spawn']>;

  private constructor(address: string, running: ReturnType<Cli['spawn']>) {
    this.address = address;
    this.#running = running;
  }

  static start(cli: Cli, target: string): Promise<Bridge> {
    const running = cli.spawn(['tensorboard', target, '--bridge-only']);
    return new Promise((resolve, reject) => {
      let output = '';
      const hear = (piece: Buffer | string): void => {
        output += String(piece);
        const found = /127\.0\.0\.1:\d+/.exec(output);
        if (found) resolve(new Bridge(found[0], running));
      };
      running.child.stdout!.on('data', hear);
      running.child.stderr!.on('data', hear);
      running.ended.then(({ code }) => reject(new Error(`plotline tensorboard exited with ${code}\n${output}`)), reject);
    });
  }

  async stop(): Promise<void> {
    this.#running.child.kill('SIGTERM');
    await this.#running.ended;
  }
}
