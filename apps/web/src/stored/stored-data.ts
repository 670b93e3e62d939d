import type { SeriesJson } from '#charts';
import type { PageData } from '../app/page-data.ts';
import type { LineJson, LogJson } from '../logs/log-api.ts';
import type { SeriesStats } from '../runs/use-series.ts';

/** The content of a bundle, except for the values of its tags. */
export interface StoredIndex {
  readonly version: 1;
  readonly page: PageData;
  /** In the form of the API's list. */
  readonly series: readonly (SeriesStats & { readonly data_class: string })[];
  /** By {@link valuesName}: the part with the values. */
  readonly parts: Readonly<Record<string, string>>;
  /** By key: the file of a blob, relative to the page. */
  readonly blobs: Readonly<Record<string, string>>;
  /** In the form of the API's list. */
  readonly logs: readonly LogJson[];
  /** By id of a log: the parts with its lines, each with the number of its first line. */
  readonly lines: Readonly<Record<string, readonly (readonly [first: number, part: string])[]>>;
}

/** Consecutive lines of a log. */
export interface StoredLines {
  readonly content: readonly LineJson[];
}

/** A blob whose bytes the page reads, instead of showing it by its address. */
export interface StoredBytes {
  readonly base64: string;
}

/** All points of the scalars of a tag, as the API returns them for `raw`. */
export interface StoredScalars {
  readonly series: readonly SeriesJson[];
}

/** Identifies the values of a tag. Scalars and graphs have no plugin. */
export function valuesName(kind: 'scalars' | 'tensors' | 'blob-sequences', plugin: string, tag: string): string {
  return JSON.stringify([kind, plugin, tag]);
}

/** Identifies the bytes of a blob. */
export function bytesName(key: string): string {
  return JSON.stringify(['bytes', '', key]);
}

type Receiver = (name: string, content: unknown) => void;

/**
 * Loads the parts of a bundle. Each is a script that calls `plotlinePart(name, content)`: browsers
 * read no other files of a folder from `file://`.
 */
export class StoredParts {
  readonly #waiting = new Map<string, Promise<unknown>>();
  readonly #received = new Map<string, unknown>();

  constructor() {
    const receive: Receiver = (name, content) => this.#received.set(name, content);
    Object.assign(window, { plotlinePart: receive });
  }

  /** The content of a part. Throws if its file is missing. */
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
