import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bytesField,
  encodeEvent,
  type EventSpec,
  floatField,
  joinBytes,
  stringField,
  stringTensor,
  tensorValue,
  writeEventFile,
} from '#testing';
import { frameRecords } from '#records/testing';

/** A log directory that a training run writes. */
export class TrainingLog {
  readonly logdir: string;

  private constructor(logdir: string) {
    this.logdir = logdir;
  }

  static async make(): Promise<TrainingLog> {
    return new TrainingLog(await mkdtemp(join(tmpdir(), 'plotline-log-')));
  }

  /** Starts an event file of a run. */
  async begin(run: string, events: readonly EventSpec[]): Promise<void> {
    await mkdir(join(this.logdir, run), { recursive: true });
    await writeFile(this.#file(run), writeEventFile(events));
  }

  /** Appends to the file, as the same training run. */
  append(run: string, events: readonly EventSpec[]): Promise<void> {
    return appendFile(this.#file(run), frameRecords(events.map(encodeEvent)));
  }

  dispose(): Promise<void> {
    return rm(this.logdir, { recursive: true, force: true });
  }

  #file(run: string): string {
    return join(this.logdir, run, 'events.out.tfevents.1700000000.host.1.0');
  }
}

/** Returns events with one text tensor each. */
export function texts(tag: string, values: readonly string[]): EventSpec[] {
  return values.map((value, step) => ({ step, values: [tensorValue(tag, 'text', 'tensor', stringTensor([value]))] }));
}

/**
 * Returns events with one or several images each: width, height and bytes, as TF2's writers encode
 * them.
 */
export function images(tag: string, values: readonly (Uint8Array | readonly Uint8Array[])[]): EventSpec[] {
  return values.map((value, step) => ({
    step,
    values: [tensorValue(tag, 'images', 'blob_sequence', stringTensor(['2', '2', ...(value instanceof Uint8Array ? [value] : value)]))],
  }));
}

/** Returns events with a graph of one operation each, given by name. */
export function graphs(names: readonly string[]): EventSpec[] {
  // Event.graph_def{1 node{1 name; 2 op}}
  return names.map((name) => ({ step: 0, more: bytesField(4, bytesField(1, joinBytes(stringField(1, name), stringField(2, 'NoOp')))) }));
}

/** Returns an event with several numbers of one tag. */
export function repeated(step: number, tag: string, values: readonly number[]): EventSpec {
  const value = (number: number): Uint8Array => bytesField(1, joinBytes(stringField(1, tag), floatField(2, number)));
  return { step, more: bytesField(5, joinBytes(...values.map(value))) };
}
