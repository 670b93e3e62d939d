import { setTimeout as sleep } from 'node:timers/promises';
import { blobsContent, type JsonTensor, tensorContent } from './media.ts';
import type { StoredPoint } from './training.ts';

/** A blob that a response references. */
export interface NamedBlob {
  readonly key: string;
  /** URL of the blob, in the object store or in the service. */
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Points by `run NUL tag NUL writer`, in log order. */
export type PointsBySeries = Map<string, StoredPoint[]>;

/** Reads through REST, with retries while the system recovers. */
export class Reader {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: { readonly url: string; readonly token: string }) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * Returns null if everything acknowledged becomes visible before `until` (in units of
   * performance.now()), otherwise a message with the progress.
   */
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

  /** Returns a body, or the reason that there is none. */
  async bytes(path: string): Promise<Buffer | string> {
    const response = await this.#get(path);
    return response.ok ? Buffer.from(await response.arrayBuffer()) : `${response.status} ${await response.text()}`;
  }

  async json<T>(path: string, body?: unknown): Promise<T> {
    const response = await this.#get(path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Returns all pages of a list. */
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

  /** Returns every scalar point of an experiment in log order, by `run NUL tag NUL writer`. */
  async points(experimentId: string, runs?: readonly string[]): Promise<PointsBySeries> {
    const all: PointsBySeries = new Map();
    let token: string | undefined;
    do {
      const body = { sampling: 'raw', superseded: true, page_size: 100_000, ...(runs && { runs }), ...(token && { page_token: token }) };
      const page = await this.json<PointsPage>(`/experiments/${experimentId}/scalars/query`, body);
      for (const { columns, ...series } of page.series) {
        const points = seriesIn(all, series);
        for (const { value, ...place } of rowsOf(columns)) points.push({ ...place, value: Number(value) });
      }
      token = page.next_page_token;
    } while (token);
    return all;
  }

  /**
   * Returns every tensor and blob sequence of an experiment, and the blobs that they reference, by
   * SHA-256.
   */
  async media(experimentId: string): Promise<{ readonly points: PointsBySeries; readonly blobs: Map<string, NamedBlob> }> {
    const points: PointsBySeries = new Map();
    const blobs = new Map<string, NamedBlob>();
    const body = { superseded: true, points: maxPoints };
    const tensors = await this.json<PointsPage<JsonTensor>>(`/experiments/${experimentId}/tensors/query`, body);
    for (const { columns, ...series } of tensors.series) {
      const ofSeries = seriesIn(points, series);
      for (const { value, ...place } of rowsOf(columns)) ofSeries.push({ ...place, value: tensorContent(value) });
    }
    const sequences = await this.json<BlobSequences>(`/experiments/${experimentId}/blob-sequences/query`, body);
    for (const { points: stored, ...series } of sequences.series) {
      const ofSeries = seriesIn(points, series);
      for (const { step, wall_time: wallTime, superseded, blobs: named } of stored) {
        for (const blob of named) if (blob) blobs.set(blob.sha256, blob);
        const value = blobsContent(named.map((blob) => blob?.sha256 ?? null));
        ofSeries.push({ step: Number(step), wallTime: Number(wallTime), value, superseded });
      }
    }
    return { points, blobs };
  }

  async #get(path: string, body?: unknown): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await fetch(`${this.#url}/api/v1${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${this.#token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(60_000),
        });
        if (response.status !== 503 || tries === 40) return response;
      } catch (error) {
        if (tries === 40) throw error;
      }
      await sleep(250);
    }
  }
}

/** The maximum number of points per series in a response. */
const maxPoints = 100_000;

/** Returns the key of a series in {@link PointsBySeries}. */
export function keyOf({ run, tag, writer = 0 }: SeriesName): string {
  return `${run}\0${tag}\0${writer}`;
}

function seriesIn(all: PointsBySeries, series: SeriesName): StoredPoint[] {
  const key = keyOf(series);
  const points = all.get(key) ?? [];
  all.set(key, points);
  return points;
}

function rowsOf<Value>({
  step,
  wall_time: wallTime,
  value,
  superseded,
}: Columns<Value>): (Omit<StoredPoint, 'value'> & { value: Value })[] {
  return step.map((at, i) => ({ step: Number(at), wallTime: Number(wallTime[i]), value: value[i]!, superseded: superseded[i]! }));
}

interface Columns<Value> {
  readonly step: readonly (number | string)[];
  readonly wall_time: readonly (number | string)[];
  readonly value: readonly Value[];
  readonly superseded: readonly boolean[];
}

interface SeriesName {
  readonly run: string;
  readonly tag: string;
  /** Absent for tags with one writer. */
  readonly writer?: number;
}

interface PointsPage<Value = number | string> {
  readonly series: readonly (SeriesName & { readonly columns: Columns<Value> })[];
  readonly next_page_token?: string;
}

interface BlobSequences {
  readonly series: readonly (SeriesName & {
    readonly points: readonly {
      readonly step: number | string;
      readonly wall_time: number | string;
      readonly superseded: boolean;
      readonly blobs: readonly (NamedBlob | null)[];
    }[];
  })[];
}
