import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPoint } from './training.ts';

/** Reads through REST, again and again where the system is just coming back. */
export class Reader {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: { readonly url: string; readonly token: string }) {
    this.#url = url;
    this.#token = token;
  }

  /** Null when everything acknowledged is visible before `until` (as performance.now()), else how far it came. */
  async awaitVisible(experimentId: string, until: number): Promise<string | null> {
    for (;;) {
      const { epoch, acknowledged_epoch: acknowledged } = await this.json<{ epoch: number; acknowledged_epoch: number }>(
        `/experiments/${experimentId}/frontier`,
      );
      if (epoch === acknowledged) return null;
      if (performance.now() > until) return `${epoch} of ${acknowledged} epochs are visible`;
      await sleep(50);
    }
  }

  /** A body, or why there is none. */
  async bytes(path: string): Promise<Buffer | string> {
    const answer = await this.#get(path);
    return answer.ok ? Buffer.from(await answer.arrayBuffer()) : `${answer.status} ${await answer.text()}`;
  }

  async json<T>(path: string, body?: unknown): Promise<T> {
    const answer = await this.#get(path, body);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** All pages of a list. */
  async pages<T>(path: string, member: string): Promise<T[]> {
    const all: T[] = [];
    let token = '';
    do {
      const page = await this.json<Record<string, unknown>>(`${path}${token && `&page_token=${token}`}`);
      all.push(...(page[member] as T[]));
      token = (page.next_page_token as string | undefined) ?? '';
    } while (token);
    return all;
  }

  /** Every scalar point of an experiment in log order, by `run NUL tag`. */
  async points(experimentId: string, runs?: readonly string[]): Promise<Map<string, StoredPoint[]>> {
    const all = new Map<string, StoredPoint[]>();
    let token: string | undefined;
    do {
      const body = { sampling: 'raw', superseded: true, page_size: 100_000, ...(runs && { runs }), ...(token && { page_token: token }) };
      const page = await this.json<ScalarsPage>(`/experiments/${experimentId}/scalars/query`, body);
      for (const { run, tag, columns } of page.series) {
        const key = `${run}\0${tag}`;
        const points = all.get(key) ?? [];
        all.set(key, points);
        columns.step.forEach((step, i) =>
          points.push({
            step: Number(step),
            wallTime: Number(columns.wall_time[i]),
            value: Number(columns.value[i]),
            superseded: columns.superseded[i]!,
          }),
        );
      }
      token = page.next_page_token;
    } while (token);
    return all;
  }

  async #get(path: string, body?: unknown): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await fetch(`${this.#url}/api/v1${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${this.#token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(60_000),
        });
        if (answer.status !== 503 || tries === 40) return answer;
      } catch (error) {
        if (tries === 40) throw error;
      }
      await sleep(250);
    }
  }
}

interface ScalarsPage {
  readonly series: readonly {
    readonly run: string;
    readonly tag: string;
    readonly columns: {
      readonly step: readonly (number | string)[];
      readonly wall_time: readonly (number | string)[];
      readonly value: readonly (number | string)[];
      readonly superseded: readonly boolean[];
    };
  }[];
  readonly next_page_token?: string;
}
