import { fork } from 'node:child_process';
import type { Service } from '../lib/service.ts';

/** Appends accepted from a loud workspace so far, and rejections. */
export interface Noise {
  readonly served: number;
  readonly rejected: number;
}

/**
 * The target of the connections: a service, or a stand-in in the same process as the connections.
 * The stand-in accepts the same number of requests per minute and does nothing else.
 */
export interface NoiseTarget {
  /** Null: the stand-in. */
  readonly service: Pick<Service, 'origin' | 'token'> | null;
  readonly experimentId: string;
  readonly connections: number;
  readonly requestsPerMinute: number;
  /** Prefix of the connections' file names. */
  readonly name: string;
}

/** Messages from the bench to the process. */
export type LoudCommand = { readonly begin: NoiseTarget } | { readonly end: true };
/**
 * Messages from the process: every connection has been rejected once; or, after the end, the
 * counts.
 */
export type LoudReport = { readonly loud: true } | { readonly noise: Noise };

/**
 * The connections of a loud workspace, in their own process, because in reality they are on other
 * machines. Their own cost is the same with the service and with the stand-in, so the difference is
 * the effort that the service spends on them.
 */
export class LoudClients {
  readonly #process = fork(new URL('loud-process.ts', import.meta.url), { execArgv: ['--conditions=source'] });
  readonly #ended = new Promise<never>((_, reject) =>
    this.#process.once('exit', () => reject(new Error('the process of the loud workspace exited'))),
  );

  /**
   * Starts sending; resolves when every connection has been rejected once, that is, when the burst
   * is used up. Returns a function that ends the phase.
   */
  async begin(target: NoiseTarget): Promise<() => Promise<Noise>> {
    await this.#ask({ begin: target }, 'loud');
    return async () => (await this.#ask({ end: true }, 'noise')).noise;
  }

  close(): void {
    this.#ended.catch(() => undefined); // The exit below is expected.
    this.#process.kill();
  }

  async #ask<K extends string>(command: LoudCommand, key: K): Promise<Extract<LoudReport, Record<K, unknown>>> {
    this.#process.send(command);
    const responded = new Promise<LoudReport>((resolve) => this.#process.once('message', (message) => resolve(message as LoudReport)));
    const report = await Promise.race([responded, this.#ended]);
    if (!(key in report)) throw new Error(`the process of the loud workspace sent ${JSON.stringify(report)}`);
    return report as Extract<LoudReport, Record<K, unknown>>;
  }
}
