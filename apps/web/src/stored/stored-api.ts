import type { SeriesJson } from '#charts';
import { Api } from '../api/api.ts';
import { ApiProblem } from '../api/problem.ts';
import type { ReportJson } from '../api/types.ts';
import { type ScalarsBody, selectScalars } from './stored-scalars.ts';
import { readStoredLines, searchStoredLines } from './stored-logs.ts';
import { runsTable } from './stored-runs.ts';
import {
  bytesName,
  type StoredBytes,
  type StoredExperiment,
  type StoredIndex,
  type StoredLines,
  type StoredParts,
  type StoredScalars,
  valuesName,
} from './stored-data.ts';

interface ValuesBody extends ScalarsBody {
  readonly tags?: readonly string[];
  readonly plugin?: string;
  readonly x?: string;
  readonly formula?: string;
}

/** Answers the page's requests from the files of a bundle. */
export class StoredApi extends Api {
  readonly #report: ReportJson | null;
  readonly #experiments: ReadonlyMap<string, StoredExperiment>;
  readonly #parts: StoredParts;

  constructor(index: StoredIndex, parts: StoredParts) {
    super('');
    const stored = 'report' in index ? index.experiments : [index];
    this.#report = 'report' in index ? index.report : null;
    this.#experiments = new Map(stored.map((one) => [one.page.experiment!.experiment.id, one]));
    this.#parts = parts;
  }

  override get isStored(): boolean {
    return true;
  }

  override get canReadBlobs(): boolean {
    return location.protocol !== 'file:';
  }

  override at(path: string): string {
    const blob = /^\/blobs\/(.+)$/.exec(path)?.[1];
    const file = blob === undefined ? undefined : this.#fileOf(blob);
    return file ?? `#missing${path}`;
  }

  override async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.#respond(path, signal)) as T;
  }

  override async getTimed(): Promise<never> {
    throw notStored();
  }

  override async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const [, id = '', kind] = /^\/experiments\/([^/]+)\/(scalars|tensors|blob-sequences)\/query$/.exec(path) ?? [];
    const stored = this.#experiments.get(id);
    if (method !== 'POST' || !stored || kind === undefined) throw notStored();
    const query = body as ValuesBody;
    return (kind === 'scalars' ? await this.#scalars(stored, query) : await this.#values(stored, kind as 'tensors', query)) as T;
  }

  override async remove(): Promise<void> {
    throw notStored();
  }

  override async download(): Promise<never> {
    throw notStored();
  }

  override async bytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const key = path.replace(/^\/blobs\//, '');
    const part = [...this.#experiments.values()].map(({ parts }) => parts[bytesName(key)]).find((name) => name !== undefined);
    if (part === undefined && this.#fileOf(key) !== undefined) return super.bytes(path, signal);
    if (part === undefined) throw notStored();
    const { base64 } = await this.#parts.load<StoredBytes>(part);
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  }

  #fileOf(blob: string): string | undefined {
    return [...this.#experiments.values()].map(({ blobs }) => blobs[blob]).find((file) => file !== undefined);
  }

  async #respond(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#report && path === `/reports/${this.#report.id}`) return this.#report;
    const [, id = '', name = '', query = ''] = /^\/experiments\/([^/?]+)([^?]*)\??(.*)$/s.exec(path) ?? [];
    const stored = this.#experiments.get(id);
    if (!stored) throw notStored();
    const { experiment, runs, tags } = stored.page.experiment!;
    const asked = new URLSearchParams(query);
    if (name === '') return experiment;
    if (name === '/runs') return runsTable(runs!, stored.series, asked);
    if (name === '/tags') return { tags };
    if (name === '/logs') {
      const run = asked.get('run');
      return { logs: stored.logs.filter((log) => run === null || log.run === run) };
    }
    const log = /^\/logs\/(.+)$/.exec(name)?.[1];
    if (log !== undefined) {
      const blocks = stored.lines[log];
      if (!blocks) throw notStored();
      const load = async (part: string) => (await this.#parts.load<StoredLines>(part)).content;
      const from = Number(asked.get('from') ?? 1);
      const search = asked.get('search');
      return search === null
        ? readStoredLines(blocks, load, from, Number(asked.get('lines') ?? 1_000))
        : searchStoredLines(blocks, load, from, search, signal);
    }
    if (name === '/series') {
      const [run, tag] = [asked.get('run'), asked.get('tag')];
      const isAsked = (one: { readonly run: string; readonly tag: string }) =>
        (run === null || one.run === run) && (tag === null || one.tag === tag);
      return { series: stored.series.filter(isAsked) };
    }
    throw notStored();
  }

  async #scalars(stored: StoredExperiment, { tags = [], x, formula, ...body }: ValuesBody): Promise<{ series: SeriesJson[] }> {
    if (formula !== undefined) throw new ApiProblem(400, 'not-stored', 'Bundles do not support formulas.');
    const xSeries = x === undefined ? null : await this.#seriesOf(stored, x);
    const series: SeriesJson[] = [];
    for (const tag of tags) series.push(...selectScalars(await this.#seriesOf(stored, tag), body, xSeries));
    return { series };
  }

  async #seriesOf({ parts }: StoredExperiment, tag: string): Promise<readonly SeriesJson[]> {
    const part = parts[valuesName('scalars', '', tag)];
    return part === undefined ? [] : (await this.#parts.load<StoredScalars>(part)).series;
  }

  async #values(
    { parts }: StoredExperiment,
    kind: 'tensors' | 'blob-sequences',
    { tags = [], plugin = '', runs }: ValuesBody,
  ): Promise<{ series: unknown[] }> {
    const wanted = runs && new Set(runs);
    const series: { readonly run: string }[] = [];
    for (const tag of tags) {
      const part = parts[valuesName(kind, plugin, tag)];
      if (part !== undefined) series.push(...(await this.#parts.load<{ series: { run: string }[] }>(part)).series);
    }
    return { series: series.filter(({ run }) => !wanted || wanted.has(run)) };
  }
}

function notStored(): ApiProblem {
  return new ApiProblem(404, 'not-stored', 'This data is not in the bundle.');
}
