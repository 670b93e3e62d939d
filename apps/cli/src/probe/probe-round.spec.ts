import { describe, expect, it } from 'vitest';
import type { Api } from '../http/api.ts';
import { probePhases, probeRound } from './probe-round.ts';

const never = new Promise<never>(() => undefined);

/** A service that stores one point. `responses` override its default behavior. */
class OnePointApi {
  readonly calls: string[] = [];
  readonly #responses: Partial<Record<'append' | 'read' | 'get', (value: number) => unknown>>;
  #value = Number.NaN;

  constructor(responses: Partial<Record<'append' | 'read' | 'get', (value: number) => unknown>> = {}) {
    this.#responses = responses;
  }

  readonly http = { origin: 'http://localhost' };

  useUploads(): void {
    this.calls.push('use the addresses of /limits');
  }

  async send(method: string, path: string): Promise<unknown> {
    this.calls.push(`${method} ${path}`);
    return { id: 'x' };
  }

  async announce(): Promise<unknown> {
    return { fileId: 'f' };
  }

  async append(_file: string, { body }: { body: Buffer }): Promise<unknown> {
    const value = body.readFloatLE(body.length - 8); // before the checksum: the last number of the last record
    this.#value = value;
    return this.#responses.append ? this.#responses.append(value) : { epoch: 1 };
  }

  async complete(): Promise<number> {
    return 1;
  }

  async get(path: string): Promise<unknown> {
    if (!path.startsWith('/experiments/')) return {};
    return this.#responses.get ? this.#responses.get(this.#value) : {};
  }

  async read(): Promise<unknown> {
    const response = (value: number) => ({
      series: [{ run: 'probe', tag: 'value', columns: { step: [1], wall_time: [0], value: [value] } }],
    });
    return (this.#responses.read ?? response)(this.#value);
  }

  get api(): Api {
    return this as unknown as Api;
  }
}

describe('a round of the probe', () => {
  it('measures each phase, and deletes its experiment', async () => {
    const service = new OnePointApi();
    const { seconds, failed } = await probeRound(service.api, 5_000);
    expect(failed).toBeNull();
    expect(Object.keys(seconds)).toEqual(probePhases);
    expect(service.calls).toEqual(['use the addresses of /limits', 'POST /experiments', 'DELETE /experiments/x']);
  });

  it('fails if the service returns another value, no value, or another number of points', async () => {
    const point = (step: number[], value: number[]) => ({ series: [{ run: 'probe', tag: 'value', columns: { step, value } }] });
    const others = [
      () => ({ series: [] }),
      (value: number) => point([1], [value + 1e-9]),
      (value: number) => point([1, 1], [value, value]),
    ];
    for (const read of others) {
      const service = new OnePointApi({ read });
      const { failed } = await probeRound(service.api, 5_000);
      expect([failed?.phase, failed?.error.message]).toEqual(['read', expect.stringContaining('data that differs from the uploaded data')]);
      expect(service.calls.at(-1)).toBe('DELETE /experiments/x');
    }
  });

  it('fails in the phase that does not end in time, and deletes its experiment', async () => {
    for (const [phase, responses] of [
      ['upload', { append: () => never }],
      ['visible', { get: () => never }],
      ['read', { read: () => never }],
    ] as const) {
      const service = new OnePointApi(responses);
      const { failed } = await probeRound(service.api, 50);
      expect([failed?.phase, failed?.error.message]).toEqual([phase, 'the round took longer than 0.05 s']);
      expect(service.calls.at(-1)).toBe('DELETE /experiments/x');
    }
  });
});
