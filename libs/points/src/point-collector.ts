import { type FileBatch, type FileProblemReason, limits, type SeriesMeta, type TagName } from '#model';
import { LegacyHistogram } from './legacy-histogram.ts';
import { readLegacyAudio, readLegacyImage } from './legacy-media.ts';
import { type Framing, PendingBatch } from './pending-batch.ts';
import { type Reading, readBlobs, readHistogram, readSimpleValue, readTensor } from './reading.ts';
import { Rejection, tooManyValues } from './rejection.ts';
import { readRunRecord } from './run-facts.ts';
import { RunSeries } from './run-series.ts';
import {
  checkMetadata,
  eventBlobMetadata,
  firstMetadata,
  graphPlugin,
  readMetadata,
  runGraphTag,
  taggedRunMetadataPlugin,
  valueKind,
} from './summary-metadata.ts';
import type { Series } from './series.ts';
import { TensorProto } from './tensor-proto.ts';
import { checkUtf8 } from './utf8.ts';
import { EventScan, eventField, ValueScan } from './value-scan.ts';
import { Wire } from './wire.ts';

/** Bytes of a record outside its event. */
const framingBytes = 16;

/** SessionLog.status */
const sessionStart = 1;

const runGraphTagBytes = new TextEncoder().encode(runGraphTag);

/**
 * The layout of a plain scalar event: the positions, from the start of the event, of the fields
 * that differ between such events.
 */
export interface ScalarForm {
  readonly series: Series;
  /** The step is a varint at 10, of at most four bytes. The wall time is at 1. */
  readonly hasStep: boolean;
  /** Four bytes, a float32. */
  readonly valueAt: number;
}

/**
 * Turns the events of one run into points, column by column, directly from the bytes of the
 * records.
 *
 * Use one collector per run: the first metadata of a tag applies to all its files (data rule 3),
 * and files must come in log order. Between two `take` calls, only events of one file may be
 * passed, because offsets are relative to a file.
 *
 * Blobs and tensors can be views of the buffers that events came in; do not write to those buffers
 * until you have used what `take` returned.
 *
 * ```ts
 * import { encodeEvent } from '#testing';
 *
 * const collector = new PointCollector();
 * for (const [step, loss] of [0.5, 0.25].entries()) {
 *   const event = encodeEvent({ step, scalars: { loss } });
 *   collector.event(event, 0, event.length, 0);
 * }
 * assert.equal(collector.pendingPoints, 2);
 * const { series } = collector.take();
 * assert.equal(series[0]?.meta.tag, 'loss');
 * assert.deepEqual(series[0]?.scalars?.steps, BigInt64Array.of(0n, 1n));
 * assert.equal(collector.pendingPoints, 0); // the caller has them now
 * ```
 */
export class PointCollector {
  readonly #series: RunSeries;
  readonly #batch = new PendingBatch();
  readonly #note = (reason: FileProblemReason, detail: string): void => this.#batch.note(reason, detail);
  readonly #wire = new Wire();
  readonly #event = new EventScan();
  readonly #value = new ValueScan();
  /** The position of the last plain scalar's value. */
  #valueAt = 0;

  /** `known`: the series that the run has from earlier files or from earlier parts of this file. */
  constructor(known: Iterable<SeriesMeta> = []) {
    this.#series = new RunSeries(known);
  }

  /** Number of points since the last `take`. */
  get pendingPoints(): number {
    return this.#batch.points;
  }

  /**
   * Approximate bytes of memory used by the points since the last `take`; a view of a pushed buffer
   * counts with its own length.
   */
  get pendingBytes(): number {
    return this.#batch.bytes;
  }

  /**
   * Reads the event in `buf[start, end)`, whose record is at `offset` in the file. An unreadable
   * event is reported, and none of it is stored. In a readable event, values that cannot be kept
   * are reported, and the others are kept.
   */
  event(buf: Uint8Array, start: number, end: number, offset: number): void {
    this.#wire.attach(buf);
    try {
      if (this.#plainScalar(buf, start, end) !== null) return;
      this.#batch.beginEvent(offset);
      this.#read(start, end);
    } catch (rejection) {
      if (!(rejection instanceof Rejection)) throw rejection;
      const bytes = end - start + framingBytes;
      this.#batch.problem({ offset, bytes, reason: rejection.reason, detail: rejection.message, endsFile: false });
    }
  }

  /**
   * Like {@link event}. Returns the form of the event if further events of this form may be passed
   * to {@link scalar}; null if they must be passed to this method.
   */
  learn(buf: Uint8Array, start: number, end: number, offset: number): ScalarForm | null {
    this.#wire.attach(buf);
    try {
      const series = this.#plainScalar(buf, start, end);
      if (series !== null) return { series, hasStep: buf[start + 9] === 0x10, valueAt: this.#valueAt - start };
    } catch (rejection) {
      if (!(rejection instanceof Rejection)) throw rejection;
    }
    this.event(buf, start, end, offset);
    return null;
  }

  /**
   * Reads an event with the form that {@link learn} returned: it differs from that event only in
   * its wall time, its step and its value, each with the same number of bytes.
   */
  scalar(form: ScalarForm, step: number, wallTime: number, value: number): void {
    this.#batch.keepScalar(form.series, step, 0, wallTime, value);
    this.#batch.seen(wallTime);
  }

  /** Everything since the last `take`, with the record reader's counts for the same range. */
  take(framing: Framing = { records: 0, problems: [] }): FileBatch {
    return this.#batch.take(framing);
  }

  /**
   * The fast path. Most events contain one scalar point of a known series, and all writers lay them
   * out alike. These events are read here in one pass without allocating an object, which is twice
   * as fast as the general path. Returns its series. For any other event, does nothing and returns
   * null. Each length must end exactly where its parent ends; that makes the unchecked single-byte
   * reads safe.
   */
  #plainScalar(buf: Uint8Array, start: number, end: number): Series | null {
    const size = end - start;
    if (size < 20 || size > 255 || buf[start] !== 0x09) return null;
    const { view } = this.#wire;
    let at = start + 9;
    let step = 0;
    if (buf[at] === 0x10) {
      let byte = buf[at + 1]!;
      at += 2;
      step = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        // The general path reads negative steps and steps of 2^28 or more.
        if (shift > 21 || at >= end) return null;
        byte = buf[at++]!;
        step |= (byte & 0x7f) << shift;
      }
    }
    // Event.summary and its only Summary.value; a one-byte length is below 128.
    if (end - at < 11 || end - at > 129 || buf[at] !== 0x2a || buf[at + 1] !== end - at - 2) return null;
    if (buf[at + 2] !== 0x0a || buf[at + 3] !== end - at - 4 || buf[at + 4] !== 0x0a) return null;
    const tagStart = at + 6;
    const tagEnd = tagStart + buf[at + 5]!;
    if (end - tagEnd < 5) return null;
    const series = this.#series.find(buf, tagStart, tagEnd);
    if (series === null || !series.isScalar) return null;
    at = tagEnd;
    let value: number;
    let valueAt: number;
    if (buf[at] === 0x15) {
      valueAt = at + 1;
      value = view.getFloat32(valueAt, true);
      at += 5;
    } else {
      // TensorProto{1 dtype = float; 2 tensor_shape, empty; 5 float_val, packed or not, or 4
      // tensor_content}.
      if (end - at < 9 || buf[at] !== 0x42 || buf[at + 2] !== 0x08 || buf[at + 3] !== 1) return null;
      const tensorEnd = at + 2 + buf[at + 1]!;
      at += 4;
      if (buf[at] === 0x12 && buf[at + 1] === 0) at += 2;
      if (buf[at] === 0x2d) at += 1;
      else if ((buf[at] === 0x2a || buf[at] === 0x22) && buf[at + 1] === 4) at += 2;
      else return null;
      if (end - at < 4) return null;
      valueAt = at;
      value = view.getFloat32(at, true);
      at += 4;
      if (at !== tensorEnd) return null;
    }
    if (at !== end) {
      if (end - at < 2 || buf[at] !== 0x4a || buf[at + 1] !== end - at - 2) return null;
      if (!series.hasMetadata(buf, at + 2, end)) {
        checkMetadata(this.#wire, at + 2, end);
        series.rememberMetadata(buf, at + 2, end);
      }
    }
    const wallTime = view.getFloat64(start + 1, true);
    this.#batch.keepScalar(series, step, 0, wallTime, value);
    this.#batch.seen(wallTime);
    this.#valueAt = valueAt;
    return series;
  }

  #read(start: number, end: number): void {
    const event = this.#event;
    event.read(this.#wire, start, end);
    switch (event.what) {
      case eventField.graphDef:
        this.#keepEventBlob(runGraphTagBytes, 0, runGraphTagBytes.length, graphPlugin, event.start, event.end);
        break;
      case eventField.summary:
        this.#summary(event);
        break;
      case eventField.sessionLog:
        this.#sessionLog(event);
        break;
      case eventField.taggedRunMetadata:
        this.#taggedRunMetadata(event);
        break;
      case eventField.logMessage: {
        const record = readRunRecord(this.#wire, event.start, event.end, event.wallTime);
        if (record !== null) this.#batch.keepRunRecord(record);
        break;
      }
      // The remaining kinds do not become points: file_version, meta_graph_def.
    }
    this.#batch.endEvent(event.wallTime);
  }

  /**
   * Summary{1 repeated Value}. If there are several values, all are checked before the first is
   * kept.
   */
  #summary(event: EventScan): void {
    const wire = this.#wire;
    const { start, end, more } = event;
    if (more === null && start < end) {
      wire.pos = start;
      if (wire.key(end) === 0x0a && wire.lengthEnd(end) === end) {
        this.#takeValue(wire.pos, end, true);
        return;
      }
    }
    const places = more === null ? [start, end] : [...more, start, end];
    this.#takeValues(places, false);
    this.#takeValues(places, true);
  }

  /** Checks, or keeps, the values in these ranges: alternating starts and ends. */
  #takeValues(places: readonly number[], keep: boolean): void {
    const wire = this.#wire;
    let values = 0;
    for (let i = 0; i < places.length; i += 2) {
      const end = places[i + 1]!;
      for (wire.pos = places[i]!; wire.pos < end;) {
        const key = wire.key(end);
        if (key !== 0x0a) {
          wire.skip(key, end);
          continue;
        }
        if (++values > limits.maxValuesPerEvent) throw tooManyValues;
        const valueEnd = wire.lengthEnd(end);
        this.#takeValue(wire.pos, valueEnd, keep);
        wire.pos = valueEnd;
      }
    }
  }

  /**
   * Reads one value in full, which may reject the record. Then keeps it if `keep` is set, which
   * never rejects.
   */
  #takeValue(start: number, end: number, keep: boolean): void {
    const wire = this.#wire;
    const value = this.#value;
    value.read(wire, start, end);
    const { buf } = wire;
    const { tagStart, tagEnd, kind } = value;
    const series = this.#series.find(buf, tagStart, tagEnd);

    if (series !== null) {
      if (value.metaStart >= 0) checkMetadata(wire, value.metaStart, value.metaEnd);
      if (series.isScalar && (kind === valueKind.simple || (kind === valueKind.tensor && value.readPlainScalar(wire)))) {
        const { stepLow, stepHigh, wallTime } = this.#event;
        if (keep) this.#batch.keepScalar(series, stepLow, stepHigh, wallTime, value.simple);
        return;
      }
      const reading = this.#reading(value);
      if (keep) this.#batch.keep(series, this.#event, reading);
      return;
    }

    checkUtf8(buf, tagStart, tagEnd);
    const given = value.metaStart >= 0 ? readMetadata(wire, value.metaStart, value.metaEnd) : null;
    const reading = this.#reading(value);
    if (!keep) return;
    const metaOf = (tag: TagName) => firstMetadata(tag, kind, given);
    const added = this.#series.admit({ buf, start: tagStart, end: tagEnd, given, isEmpty: reading === null, metaOf }, this.#note);
    if (added !== null) this.#batch.keep(added, this.#event, reading);
  }

  /** The form in which the value's data can be read; null if it has no data. */
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

  /**
   * Keeps a graph or run metadata, which an event contains outside a summary. The tag is
   * `tagBuf[tagStart, tagEnd)`; the blob is inside the event.
   */
  #keepEventBlob(tagBuf: Uint8Array, tagStart: number, tagEnd: number, plugin: string, start: number, end: number): void {
    const blob = this.#wire.buf.subarray(start, end);
    const metaOf = (tag: TagName) => eventBlobMetadata(tag, plugin);
    const series =
      this.#series.find(tagBuf, tagStart, tagEnd) ??
      this.#series.admit({ buf: tagBuf, start: tagStart, end: tagEnd, given: null, isEmpty: false, metaOf }, this.#note);
    if (series !== null) this.#batch.keep(series, this.#event, readBlobs([blob]));
  }

  /** TaggedRunMetadata{1 tag; 2 run_metadata}. */
  #taggedRunMetadata({ start, end }: EventScan): void {
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

  /** SessionLog{1 status}; only a START affects points. */
  #sessionLog(event: EventScan): void {
    const wire = this.#wire;
    const { end } = event;
    let status = 0;
    wire.pos = event.start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x08) {
        wire.varint(end);
        status = wire.high === 0 ? wire.low : 0;
      } else wire.skip(key, end);
    }
    if (status === sessionStart) this.#batch.keepStart(event);
  }
}
