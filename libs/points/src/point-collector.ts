import { type FileBatch, type FileProblem, limits, type SeriesMeta, type SessionStart } from '#model';
import { LegacyHistogram } from './legacy-histogram.ts';
import { readLegacyAudio, readLegacyImage } from './legacy-media.ts';
import { ProblemList } from './problem-list.ts';
import { type Reading, readBlobs, readHistogram, readNothing, readSimpleValue, readTensor, type UnfoldBudget } from './reading.ts';
import { Refusal, tooManyValues } from './refusal.ts';
import { Series } from './series.ts';
import {
  checkMetadata,
  eventBlobMetadata,
  firstMetadata,
  type GivenMetadata,
  graphPlugin,
  readMetadata,
  runGraphTag,
  taggedRunMetadataPlugin,
  twinMetadata,
  valueKind,
} from './summary-metadata.ts';
import { hasTag, TagTable } from './tag-table.ts';
import { TensorProto } from './tensor-proto.ts';
import { checkUtf8, utf8 } from './utf8.ts';
import { EventScan, ValueScan } from './value-scan.ts';
import { int64, Wire } from './wire.ts';

/** Bytes of a record that are not its event. */
const framingBytes = 16;
/** Rough cost of a small object in memory, for `pendingBytes`. */
const objectBytes = 200;
/** A scalar point in columns. */
const pointBytes = 24;

const sessionStart = 1;
const runGraphTagBytes = new TextEncoder().encode(runGraphTag);

/** What a reader of records knows about the same stretch of the file. */
export interface Framing {
  /** Complete records read, skipped ones included. */
  readonly records: number;
  readonly problems: readonly FileProblem[];
}

/**
 * Turns the events of one run into points, column by column, straight from the bytes of the records.
 *
 * One collector lives for a run: the first metadata of a tag count in all its files (data rule 3), which must come in log order. Between two `take`s
 * only events of one file may come, since offsets are those of a file.
 *
 * Blobs and tensors may be views of the buffers that events came in; those must not be written to until what `take` returned has been used.
 */
export class PointCollector {
  readonly #table = new TagTable();
  readonly #wire = new Wire();
  readonly #event = new EventScan();
  readonly #value = new ValueScan();
  /** The series of the last value, to guess the next one from. */
  #last: Series | null = null;
  /** Bytes of metadata that are kept for the run. */
  #metadataBytes = 0;

  #active: Series[] = [];
  #starts: SessionStart[] = [];
  #problems = new ProblemList();
  #events = 0;
  #startWallTime = Infinity;
  #lastWallTime = -Infinity;
  #points = 0;
  #otherBytes = 0;
  /** Changes whenever a point is added; two STARTs without points between them share one `pointsBefore`. */
  #pointsAtLastStart = -1;

  /** Of the event at hand. */
  #offset = 0;
  #unfold: UnfoldBudget = { left: 0 };
  #blobsLeft = 0;
  #notes = new Map<string, { count: number; detail: string }>();

  /** `known`: the series that the run has from earlier files or earlier parts of this one. */
  constructor(known: Iterable<SeriesMeta> = []) {
    const metas = [...known];
    for (const meta of metas) if (!meta.twin) this.#add(new Series(meta));
    for (const meta of metas) {
      if (!meta.twin) continue;
      const twin = new Series(meta);
      const series = this.#table.find(twin.tagBytes, 0, twin.tagBytes.length);
      if (series !== null) series.twin = twin;
    }
  }

  /** Points since the last `take`. */
  get pendingPoints(): number {
    return this.#points;
  }

  /** About how many bytes the points since the last `take` keep in memory; a view of a pushed buffer counts with its own length. */
  get pendingBytes(): number {
    return this.#points * pointBytes + this.#otherBytes;
  }

  /**
   * Takes the event in `buf[start, end)`, whose record lies at `offset` of the file. An event that cannot be read is reported and leaves
   * nothing behind; so is each value of a readable event that cannot be kept.
   */
  event(buf: Uint8Array, start: number, end: number, offset: number): void {
    this.#wire.attach(buf);
    this.#offset = offset;
    try {
      if (!this.#plainScalar(buf, start, end)) this.#read(start, end);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.#problems.add({ offset, bytes: end - start + framingBytes, reason: refusal.reason, detail: refusal.message, endsFile: false });
      return;
    }
    if (this.#notes.size > 0) this.#report();
  }

  /** Everything since the last `take`, with what the reader of records says about the same stretch. */
  take(framing: Framing = { records: 0, problems: [] }): FileBatch {
    for (const problem of framing.problems) this.#problems.add(problem);
    const batch: FileBatch = {
      series: this.#active.map((series) => series.take()),
      starts: this.#starts,
      records: framing.records,
      events: this.#events,
      startWallTime: this.#startWallTime === Infinity ? null : this.#startWallTime,
      lastWallTime: this.#lastWallTime === -Infinity ? null : this.#lastWallTime,
      problems: this.#problems.take(),
    };
    this.#active = [];
    this.#starts = [];
    this.#events = 0;
    this.#startWallTime = Infinity;
    this.#lastWallTime = -Infinity;
    this.#points = 0;
    this.#otherBytes = 0;
    this.#pointsAtLastStart = -1;
    return batch;
  }

  /**
   * Most events hold one scalar point of a known series and are laid out alike by all writers; those are taken here, without an object or a second
   * look at a byte. False, and nothing done, for every other event. Each length must end exactly where its parent ends, which is what
   * makes the single reads safe.
   */
  #plainScalar(buf: Uint8Array, start: number, end: number): boolean {
    const size = end - start;
    if (size < 20 || size > 255 || buf[start] !== 0x09) return false;
    const { view } = this.#wire;
    let at = start + 9;
    let step = 0;
    if (buf[at] === 0x10) {
      let byte = buf[at + 1]!;
      at += 2;
      step = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        // Steps of 2^28 and more, and negative ones, are read in the general way.
        if (shift > 21 || at >= end) return false;
        byte = buf[at++]!;
        step |= (byte & 0x7f) << shift;
      }
    }
    // Event.summary and its only Summary.value; a length of one byte is below 128.
    if (end - at < 11 || end - at > 129 || buf[at] !== 0x2a || buf[at + 1] !== end - at - 2) return false;
    if (buf[at + 2] !== 0x0a || buf[at + 3] !== end - at - 4 || buf[at + 4] !== 0x0a) return false;
    const tagStart = at + 6;
    const tagEnd = tagStart + buf[at + 5]!;
    if (end - tagEnd < 5) return false;
    const series = this.#find(buf, tagStart, tagEnd);
    if (series === null || !series.isScalar) return false;
    at = tagEnd;
    let value: number;
    if (buf[at] === 0x15) {
      value = view.getFloat32(at + 1, true);
      at += 5;
    } else {
      // TensorProto{1 dtype = float; 2 tensor_shape, empty; 5 float_val, packed or not, or 4 tensor_content}.
      if (end - at < 9 || buf[at] !== 0x42 || buf[at + 2] !== 0x08 || buf[at + 3] !== 1) return false;
      const tensorEnd = at + 2 + buf[at + 1]!;
      at += 4;
      if (buf[at] === 0x12 && buf[at + 1] === 0) at += 2;
      if (buf[at] === 0x2d) at += 1;
      else if ((buf[at] === 0x2a || buf[at] === 0x22) && buf[at + 1] === 4) at += 2;
      else return false;
      if (end - at < 4) return false;
      value = view.getFloat32(at, true);
      at += 4;
      if (at !== tensorEnd) return false;
    }
    if (at !== end) {
      if (end - at < 2 || buf[at] !== 0x4a || buf[at + 1] !== end - at - 2) return false;
      if (!series.hasMetadata(buf, at + 2, end)) {
        checkMetadata(this.#wire, at + 2, end);
        series.rememberMetadata(buf, at + 2, end);
      }
    }
    if (series.place < 0) this.#activate(series);
    const wallTime = view.getFloat64(start + 1, true);
    series.appendScalar(step, 0, wallTime, value);
    this.#points++;
    this.#seen(wallTime);
    return true;
  }

  #read(start: number, end: number): void {
    const event = this.#event;
    event.read(this.#wire, start, end);
    switch (event.what) {
      case 4:
        this.#keepEventBlob(runGraphTagBytes, 0, runGraphTagBytes.length, graphPlugin, event.start, event.end);
        break;
      case 5:
        this.#summary(event);
        break;
      case 7:
        this.#sessionLog(event.start, event.end);
        break;
      case 8:
        this.#taggedRunMetadata(event.start, event.end);
        break;
      // file_version, log_message, meta_graph_def: nothing that becomes a point.
      default:
    }
    this.#seen(event.wallTime);
  }

  #seen(wallTime: number): void {
    this.#events++;
    if (wallTime > this.#lastWallTime && wallTime < Infinity) this.#lastWallTime = wallTime;
    if (wallTime < this.#startWallTime && wallTime > 0) this.#startWallTime = wallTime;
  }

  /** Summary{1 repeated Value}. With several values all are checked before the first is kept. */
  #summary(event: EventScan): void {
    const wire = this.#wire;
    const { start, end } = event;
    this.#unfold.left = limits.maxRecordBytes;
    this.#blobsLeft = limits.maxValuesPerEvent;
    if (event.more === null && start < end) {
      wire.pos = start;
      if (wire.key(end) === 0x0a) {
        const valueEnd = wire.lengthEnd(end);
        if (valueEnd === end) {
          this.#takeValue(wire.pos, end, true);
          return;
        }
      }
    }
    const places = event.more === null ? [start, end] : [...event.more, start, end];
    let values = 0;
    const visit = (keep: boolean) => {
      for (let i = 0; i < places.length; i += 2) {
        const last = places[i + 1]!;
        for (wire.pos = places[i]!; wire.pos < last;) {
          const key = wire.key(last);
          if (key !== 0x0a) {
            wire.skip(key, last);
            continue;
          }
          if (!keep && ++values > limits.maxValuesPerEvent) throw tooManyValues;
          const valueEnd = wire.lengthEnd(last);
          this.#takeValue(wire.pos, valueEnd, keep);
          wire.pos = valueEnd;
        }
      }
    };
    visit(false);
    visit(true);
  }

  /** Reads one value in full, which may refuse the record, and then, if told so, keeps it, which may not. */
  #takeValue(start: number, end: number, keep: boolean): void {
    const wire = this.#wire;
    const value = this.#value;
    value.read(wire, start, end);
    const series = this.#find(wire.buf, value.tagStart, value.tagEnd);

    if (series !== null && series.isScalar) {
      // The way of nearly all values: no object is made.
      if (value.kind === valueKind.simple || (value.kind === valueKind.tensor && value.readPlainScalar(wire))) {
        if (value.metaStart >= 0) checkMetadata(wire, value.metaStart, value.metaEnd);
        if (keep) {
          const { stepLow, stepHigh, wallTime } = this.#event;
          if (series.place < 0) this.#activate(series);
          series.appendScalar(stepLow, stepHigh, wallTime, value.simple);
          this.#points++;
        }
        return;
      }
    }

    const { tagStart, tagEnd, kind } = value;
    if (series === null) checkUtf8(wire.buf, tagStart, tagEnd);
    let given: GivenMetadata | null = null;
    if (value.metaStart >= 0) {
      if (series === null) given = readMetadata(wire, value.metaStart, value.metaEnd);
      else checkMetadata(wire, value.metaStart, value.metaEnd);
    }
    const reading = this.#reading(value);
    if (!keep) return;
    const into =
      series ??
      this.#newSeries(
        wire.buf,
        tagStart,
        tagEnd,
        () => firstMetadata(utf8(wire.buf, tagStart, tagEnd), kind, given),
        given,
        reading === null,
      );
    if (into !== null) this.#keep(into, reading);
  }

  /** What the value's data can be read as; null when it has none. */
  #reading(value: ValueScan): Reading | null {
    const wire = this.#wire;
    const { dataStart, dataEnd } = value;
    switch (value.kind) {
      case valueKind.simple:
        return readSimpleValue(value.simple);
      case valueKind.tensor:
        return readTensor(new TensorProto(wire, dataStart, dataEnd));
      case valueKind.histogram:
        return readHistogram(new LegacyHistogram(wire, dataStart, dataEnd), wire.buf.subarray(dataStart, dataEnd));
      case valueKind.image:
        return readBlobs(readLegacyImage(wire, dataStart, dataEnd));
      case valueKind.audio:
        return readBlobs(readLegacyAudio(wire, dataStart, dataEnd));
      case valueKind.none:
        return null;
    }
  }

  /** The series of a tag; after each series the one that followed it the last time is tried first. */
  #find(buf: Uint8Array, start: number, end: number): Series | null {
    const last = this.#last;
    if (last !== null && last.next !== null && hasTag(last.next, buf, start, end)) return (this.#last = last.next);
    const series = this.#table.find(buf, start, end);
    if (series !== null) {
      if (last !== null) last.next = series;
      this.#last = series;
    }
    return series;
  }

  /** Adds the series of a tag that is not known yet. Null when there can be none; the value is then noted as not kept. */
  #newSeries(
    buf: Uint8Array,
    start: number,
    end: number,
    metaOf: () => SeriesMeta,
    given: GivenMetadata | null,
    isEmpty: boolean,
  ): Series | null {
    const shown = () => JSON.stringify(utf8(buf, start, end).slice(0, 100));
    if (end - start > limits.maxTagBytes) {
      return this.#note('tag-too-long', `A tag has ${end - start} bytes, the limit is ${limits.maxTagBytes}: ${shown()}…`);
    }
    if (buf.subarray(start, end).includes(0)) return this.#note('tag-has-nul', `A tag contains NUL, which cannot be stored: ${shown()}.`);
    if (given !== null) {
      if (`${given.plugin}${given.displayName}${given.description}`.includes('\0')) {
        return this.#note('metadata-has-nul', `The metadata of ${shown()} contain NUL, which cannot be stored.`);
      }
      if (given.bytes > limits.maxMetadataBytes || this.#metadataBytes + given.bytes > limits.maxRunMetadataBytes) {
        return this.#note(
          'metadata-too-large',
          `The metadata of ${shown()} have ${given.bytes} bytes; the limit is ${limits.maxMetadataBytes}, and ${limits.maxRunMetadataBytes} for a run.`,
        );
      }
    }
    if (this.#table.size >= limits.maxSeriesPerRun) {
      return this.#note('too-many-series', `The run has ${limits.maxSeriesPerRun} series already; ${shown()} is not kept.`);
    }
    const meta = metaOf();
    // A value without data says nothing, except that a tensor series of this name exists (protocol reference E.14).
    if (isEmpty && !(meta.listed && meta.dataClass === 'tensor')) return null;
    const series = this.#add(new Series(meta));
    this.#otherBytes += (given?.bytes ?? 0) + 2 * objectBytes;
    return series;
  }

  #add(series: Series): Series {
    const { meta } = series;
    this.#table.add(series);
    this.#metadataBytes += meta.pluginContent.length + meta.description.length + meta.displayName.length + meta.plugin.length;
    return series;
  }

  /** Adds a value to its series, in the series' class if it can be read so, else to its twin (data rule 3). */
  #keep(series: Series, reading: Reading | null): void {
    const { dataClass, listed } = series.meta;
    if (reading === null) {
      if (dataClass !== 'tensor' || !listed) return;
      reading = readNothing;
    }
    if (series.place < 0) this.#activate(series);
    if (dataClass === 'scalar') {
      const scalar = reading.scalar();
      if (scalar !== null) {
        const { stepLow, stepHigh, wallTime } = this.#event;
        series.appendScalar(stepLow, stepHigh, wallTime, scalar.value);
        if (scalar.rounded) series.rounded++;
        this.#points++;
        return;
      }
    } else if (dataClass === 'blob_sequence') {
      const blobs = reading.blobs(series.rules);
      if (blobs !== null) return this.#keepBlobs(series, blobs);
    }
    const tensor = reading.tensor(this.#unfold);
    if (tensor === null) {
      series.invalid++;
      this.#note(
        'tensor-too-large',
        `A tensor of ${JSON.stringify(series.meta.tag.slice(0, 100))} is larger than ${limits.maxTensorBytes} bytes.`,
      );
      return;
    }
    let into = series;
    if (dataClass !== 'tensor' || (listed && tensor.dtype === 'undecodable')) {
      series.mismatched++;
      into = series.twin ??= new Series(twinMetadata(series.meta));
      if (into.place < 0) this.#activate(into);
    }
    into.tensors.push({ ...this.#place(), ...tensor });
    this.#points++;
    this.#otherBytes += objectBytes + tensor.data.length;
  }

  #keepBlobs(series: Series, blobs: Uint8Array[]): void {
    const tag = JSON.stringify(series.meta.tag.slice(0, 100));
    if (blobs.length > this.#blobsLeft) {
      series.invalid++;
      this.#note('too-many-blobs', `An event holds more than ${limits.maxValuesPerEvent} blobs, the last of them in ${tag}.`);
      return;
    }
    let bytes = 0;
    for (const blob of blobs) {
      if (blob.length > limits.maxBlobBytes) {
        series.invalid++;
        this.#note('blob-too-large', `A blob of ${tag} has ${blob.length} bytes; the limit is ${limits.maxBlobBytes}.`);
        return;
      }
      bytes += blob.length + objectBytes;
    }
    this.#blobsLeft -= blobs.length;
    series.blobSequences.push({ ...this.#place(), blobs });
    this.#points++;
    this.#otherBytes += objectBytes + bytes;
  }

  /** A graph or run metadata, which an event carries outside a summary. `tag` lies in `tagBuf`, the blob in the event. */
  #keepEventBlob(tagBuf: Uint8Array, tagStart: number, tagEnd: number, plugin: string, start: number, end: number): void {
    this.#unfold.left = limits.maxRecordBytes;
    this.#blobsLeft = limits.maxValuesPerEvent;
    const blob = this.#wire.buf.subarray(start, end);
    const series =
      this.#find(tagBuf, tagStart, tagEnd) ??
      this.#newSeries(tagBuf, tagStart, tagEnd, () => eventBlobMetadata(utf8(tagBuf, tagStart, tagEnd), plugin), null, false);
    if (series !== null) this.#keep(series, readBlobs([blob]));
  }

  /** TaggedRunMetadata{1 tag; 2 run_metadata}. */
  #taggedRunMetadata(start: number, end: number): void {
    const wire = this.#wire;
    let [tagStart, tagEnd, dataStart, dataEnd] = [start, start, start, start];
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key !== 0x0a && key !== 0x12) {
        wire.skip(key, end);
        continue;
      }
      const last = wire.lengthEnd(end);
      if (key === 0x0a) [tagStart, tagEnd] = [wire.pos, last];
      else [dataStart, dataEnd] = [wire.pos, last];
      wire.pos = last;
    }
    checkUtf8(wire.buf, tagStart, tagEnd);
    this.#keepEventBlob(wire.buf, tagStart, tagEnd, taggedRunMetadataPlugin, dataStart, dataEnd);
  }

  /** SessionLog{1 status}: a START is kept with the number of points before it in each series of the batch. */
  #sessionLog(start: number, end: number): void {
    const wire = this.#wire;
    let status = 0;
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x08) {
        wire.varint(end);
        status = wire.high === 0 ? wire.low : 0;
      } else wire.skip(key, end);
    }
    if (status !== sessionStart) return;
    const before = this.#starts.at(-1);
    const shared = before !== undefined && this.#pointsAtLastStart === this.#points;
    const pointsBefore = shared ? before.pointsBefore : this.#active.map((series) => series.points);
    this.#pointsAtLastStart = this.#points;
    this.#starts.push({ ...this.#place(), pointsBefore });
    this.#otherBytes += objectBytes + (shared ? 0 : 8 * pointsBefore.length);
  }

  #place(): { offset: number; step: bigint; wallTime: number } {
    const { stepLow, stepHigh, wallTime } = this.#event;
    return { offset: this.#offset, step: int64(stepLow, stepHigh), wallTime };
  }

  #activate(series: Series): void {
    series.place = this.#active.push(series) - 1;
    this.#otherBytes += objectBytes;
  }

  /** Remembers that a value of this event is not kept. One event may do so 100,000 times; it is reported once for each reason. */
  #note(reason: string, detail: string): null {
    const note = this.#notes.get(reason);
    if (note) note.count++;
    else this.#notes.set(reason, { count: 1, detail });
    return null;
  }

  #report(): void {
    for (const [reason, { count, detail }] of this.#notes) {
      const more = count > 1 ? ` And ${count - 1} more values in this event for the same reason.` : '';
      this.#problems.add({ offset: this.#offset, bytes: 0, reason, detail: detail + more, endsFile: false });
    }
    this.#notes.clear();
  }
}
