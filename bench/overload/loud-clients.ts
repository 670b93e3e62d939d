import { fork } from 'node:child_process';
import type { Service } from '../service.ts';

/** What a loud workspace got so far: appends that were taken, and refusals. */
export interface Noise {
  readonly served: number;
  readonly refused: number;
}

/** Where the connections send: to a service, or to a stand-in in their own process that grants as many requests a minute and does nothing else. */
export interface NoiseTarget {
  /** Null: the stand-in. */
  readonly service: Pick<Service, 'origin' | 'token'> | null;
  readonly experimentId: string;
  readonly connections: number;
  readonly requestsPerMinute: number;
  /** Begins the names of their files. */
  readonly name: string;
}

/** From the bench to the process. */
export type LoudCommand = { readonly begin: NoiseTarget } | { readonly end: true };
/** And back: each connection was refused once; or, after the end, what they got. */
export type LoudReport = { readonly loud: true } | { readonly noise: Noise };

/**
 * The connections of a loud workspace, in a process of their own, as they are on other machines in earnest. What they cost this machine is the same whether the service answers them or
 * the stand-in, so the difference is what the service spends on them.
 */
export class LoudClients {
  readonly #process = fork(new URL('loud-process.ts', import.meta.url), { execArgv: ['--conditions=source'] });
  readonly #ended = new Promise<never>((_, reject) =>
    this.#process.once('exit', () => reject(new Error('the process of the loud workspace ended'))),
  );

  /** Begins to send, and resolves when each connection was refused: what may be sent at once is used up. Gives what ends it. */
  async begin(target: NoiseTarget): Promise<() => Promise<Noise>> {
    await this.#ask({ begin: target }, 'loud');
    return async () => (await this.#ask({ end: true }, 'noise')).noise;
  }

  close(): void {
    this.#ended.catch(() => undefined); // it is meant to
    this.#process.kill();
  }

  async #ask<K extends string>(command: LoudCommand, key: K): Promise<Extract<LoudReport, Record<K, unknown>>> {
    this.#process.send(command);
    const answered = new Promise<LoudReport>((resolve) => this.#process.once('message', (message) => resolve(message as LoudReport)));
    const report = await Promise.race([answered, this.#ended]);
    if (!(key in report)) throw new Error(`the process of the loud workspace answered ${JSON.stringify(report)}`);
    return report as Extract<LoudReport, Record<K, unknown>>;
  }
}
