import type { SeriesJson } from '#charts';
import type { ReportJson } from '../api/types.ts';
import type { PageData } from '../app/page-data.ts';
import type { LineJson, LogJson } from '../logs/log-api.ts';
import type { SeriesStats } from '../runs/use-series.ts';

/** The content of a bundle, except for the values of its tags. */
export type StoredIndex = StoredExperimentBundle | StoredReportBundle;

/** The page of an experiment. */
export interface StoredExperimentBundle extends StoredExperiment {
  readonly version: 1;
}

/** A report with its experiments. */
export interface StoredReportBundle {
  readonly version: 1;
  readonly page: PageData;
  readonly report: ReportJson;
  readonly experiments: readonly StoredExperiment[];
}

/** An experiment, except for the values of its tags. */
export interface StoredExperiment {
  readonly page: PageData;
  /** In the form of the API's list. */
  readonly series: readonly (SeriesStats & { readonly data_class: string })[];
  /** For each {@link valuesName}, the part with the values. */
  readonly parts: Readonly<Record<string, string>>;
  /** For each blob key, the blob's file, relative to the page. */
  readonly blobs: Readonly<Record<string, string>>;
  /** In the form of the API's list. */
  readonly logs: readonly LogJson[];
  /** For each log id, the parts with the log's lines, and the number of each part's first line. */
  readonly lines: Readonly<Record<string, readonly (readonly [first: number, part: string])[]>>;
}

/** Consecutive lines of a log. */
export interface StoredLines {
  readonly content: readonly LineJson[];
}

/** A blob whose bytes the page reads instead of showing the blob by its URL. */
export interface StoredBytes {
  readonly base64: string;
}

/** All scalar points of a tag, as the API returns them for `raw`. */
export interface StoredScalars {
  readonly series: readonly SeriesJson[];
}

/** Identifies a tag's values. Scalars and graphs have no plugin. */
export function valuesName(kind: 'scalars' | 'tensors' | 'blob-sequences', plugin: string, tag: string): string {
  return JSON.stringify([kind, plugin, tag]);
}

/** Identifies a blob's bytes. */
export function bytesName(key: string): string {
  return JSON.stringify(['bytes', '', key]);
}

type Receiver = (name: string, content: unknown) => void;

/**
 * Loads the parts of a bundle. Each part is a script that calls `plotlinePart(name, content)`,
 * because browsers read no other files from a `file://` folder.
 */
export class StoredParts {
  readonly #waiting = new Map<string, Promise<unknown>>();
  readonly #received = new Map<string, unknown>();

  constructor() {
    const receive: Receiver = (name, content) => this.#received.set(name, content);
    Object.assign(window, { plotlinePart: receive });
  }

  /** The content of a part. Throws if the file is missing. */
  load<T>(name: string): Promise<T> {
    const known = this.#waiting.get(name) ?? this.#load(name);
    this.#waiting.set(name, known);
    return known as Promise<T>;
  }

  #load(name: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script');
      const failed = (): void => {
        this.#waiting.delete(name);
        reject(new Error(`data/${name}.js cannot be read`));
      };
      script.onload = () => {
        script.remove();
        if (this.#received.has(name)) resolve(this.#received.get(name));
        else failed();
        this.#received.delete(name);
      };
      script.onerror = failed;
      script.src = `data/${name}.js`;
      document.head.append(script);
    });
  }
}
