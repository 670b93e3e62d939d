import { type FileProblemReason, limits, type SeriesMeta, type TagName } from '#model';
import { Series } from './series.ts';
import type { GivenMetadata } from './summary-metadata.ts';
import { hasTag, TagTable } from './tag-table.ts';
import { utf8 } from './utf8.ts';

/** The parts of a series' first value that define the series. */
export interface FirstValue {
  /** The tag, `buf[start, end)`, known to be UTF-8. */
  readonly buf: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly given: GivenMetadata | null;
  /** Whether the value has no data. */
  readonly isEmpty: boolean;
  metaOf(tag: TagName): SeriesMeta;
}

/** Called when a value is not kept, with the reason. */
export type Note = (reason: FileProblemReason, detail: string) => void;

/** The series of a run, across its files (data rule 3). */
export class RunSeries {
  readonly #table = new TagTable();
  /** The series of the last value, used to guess the next one. */
  #last: Series | null = null;
  #metadataBytes = 0;

  constructor(known: Iterable<SeriesMeta>) {
    const metas = [...known];
    for (const meta of metas) if (!meta.twin) this.#add(meta);
    for (const meta of metas) {
      if (!meta.twin) continue;
      const twin = new Series(meta);
      const series = this.#table.find(twin.tagBytes, 0, twin.tagBytes.length);
      if (series !== null) series.twin = twin;
    }
  }

  /**
   * The series of the tag `buf[start, end)`, or null. First tries the series that followed the
   * previous one last time.
   */
  find(buf: Uint8Array, start: number, end: number): Series | null {
    const last = this.#last;
    if (last !== null && last.next !== null && hasTag(last.next, buf, start, end)) return (this.#last = last.next);
    const series = this.#table.find(buf, start, end);
    if (series !== null) {
      if (last !== null) last.next = series;
      this.#last = series;
    }
    return series;
  }

  /**
   * Adds the series of a tag that `find` did not find. Returns null if a series is not possible or
   * not needed; calls `note` with the reason if it is not possible.
   */
  admit(first: FirstValue, note: Note): Series | null {
    const { given, isEmpty } = first;
    const tagBytes = first.end - first.start;
    const tag = utf8(first.buf, first.start, first.end);
    const shown = shownTag(tag);
    if (tagBytes > limits.maxTagBytes) {
      note('tag-too-long', `A tag has ${tagBytes} bytes, the limit is ${limits.maxTagBytes}: ${shown}`);
    } else if (tag.includes('\0')) {
      note('tag-has-nul', `A tag contains NUL, which cannot be stored: ${shown}`);
    } else if (given !== null && `${given.plugin}${given.displayName}${given.description}`.includes('\0')) {
      note('metadata-has-nul', `The metadata of ${shown} contain NUL, which cannot be stored.`);
    } else if (given !== null && given.bytes > limits.maxMetadataBytes) {
      note('metadata-too-large', `The metadata of ${shown} have ${given.bytes} bytes, the limit is ${limits.maxMetadataBytes}.`);
    } else if (given !== null && this.#metadataBytes + given.bytes > limits.maxRunMetadataBytes) {
      note('metadata-too-large', `With those of ${shown} the run's metadata have more than ${limits.maxRunMetadataBytes} bytes.`);
    } else if (this.#table.size >= limits.maxSeriesPerRun) {
      note('too-many-series', `The run already has ${limits.maxSeriesPerRun} series; ${shown} is not stored.`);
    } else {
      const meta = first.metaOf(tag);
      // A value without data carries no information, except that a tensor series with this name
      // exists (protocol reference E.14), or what its metadata contains.
      if (!isEmpty || (meta.dataClass === 'tensor' && (meta.listed || meta.pluginContent.length > 0))) return this.#add(meta);
      note('value-without-data', `A value of ${shown} has no data.`);
    }
    return null;
  }

  #add(meta: SeriesMeta): Series {
    const series = new Series(meta);
    this.#table.add(series);
    this.#metadataBytes += meta.pluginContent.length + meta.description.length + meta.displayName.length + meta.plugin.length;
    return series;
  }
}

/** The start of a tag, in readable form. */
export function shownTag(tag: TagName): string {
  return JSON.stringify(tag.length > 100 ? `${tag.slice(0, 100)}…` : tag);
}
