import { appendFileSync, mkdirSync, openSync, closeSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { EventWriter, type ScalarForm, type ScalarTag, scalarTag } from './event-writer.ts';
import { type LogModel, RunModel, firstWallTime } from './log-model.ts';

/** The size of the generated logs. */
export interface GeneratedLogs {
  readonly directory: string;
  readonly files: readonly string[];
  readonly points: number;
  readonly bytes: number;
}

/**
 * Writes one event file per run below `directory` (created if missing), with the given number of
 * steps.
 */
export function generateLogs(directory: string, model: LogModel, form: ScalarForm = 'float-val'): GeneratedLogs {
  const runs = Array.from({ length: model.runs }, (_, run) => generateRun(directory, runName(run), model, run, form));
  return {
    directory,
    files: runs.flatMap((run) => run.files),
    points: runs.reduce((sum, run) => sum + run.points, 0),
    bytes: runs.reduce((sum, run) => sum + run.bytes, 0),
  };
}

/**
 * Writes small event files below `directory`: `filesPerRun` in each run, each starting at the step
 * after the previous file, as after restarts.
 */
export function generateSmallFiles(
  directory: string,
  shape: { readonly runs: number; readonly filesPerRun: number; readonly tags: number; readonly steps: number },
): GeneratedLogs {
  const tags = tagNames(shape.tags).map((tag) => scalarTag(tag, 'float-val'));
  const files: string[] = [];
  let bytes = 0;
  for (let run = 0; run < shape.runs; run++) {
    const folder = join(directory, runName(run));
    mkdirSync(folder, { recursive: true });
    for (let part = 0; part < shape.filesPerRun; part++) {
      const began = firstWallTime + run + part * 2 * shape.steps;
      const writer = new EventWriter((piece) => appendFileSync(files.at(-1)!, piece), 64 * 1024);
      files.push(join(folder, `events.out.tfevents.${began}.host.${1000 + run}.${part}.v2`));
      writer.version(began);
      for (let step = 0; step < shape.steps; step++) {
        for (const tag of tags) writer.scalar(tag, step === 0, began + step, part * shape.steps + step, Math.fround(1 / (1 + step + part)));
      }
      writer.flush();
      bytes += writer.written;
    }
  }
  return { directory, files, points: shape.runs * shape.filesPerRun * shape.tags * shape.steps, bytes };
}

/**
 * Writes one run of `model` below `directory`. `index` selects its random stream, curves and start
 * time.
 */
export function generateRun(
  directory: string,
  name: string,
  model: LogModel,
  index: number,
  form: ScalarForm = 'float-val',
): GeneratedLogs {
  const file = join(directory, name, `events.out.tfevents.${firstWallTime + index}.host.${1000 + index}.0.v2`);
  mkdirSync(join(directory, name), { recursive: true });
  const tags = tagNames(model.tags).map((tag) => scalarTag(tag, form));
  const bytes = writeRun(file, model, index, tags);
  return { directory, files: [file], points: model.tags * model.steps, bytes };
}

/** `sweep/run-03`: a run name with a folder, as sweeps write them. */
export function runName(run: number): string {
  return `sweep/run-${String(run).padStart(2, '0')}`;
}

/** Names of 13 to 15 letters, for records of about 60 bytes. */
export function tagNames(count: number): string[] {
  const groups = ['train/loss', 'train/norm', 'valid/loss', 'valid/rate'];
  return Array.from({ length: count }, (_, n) => `${groups[n % groups.length]}_${String(n).padStart(3, '0')}`);
}

function writeRun(file: string, model: LogModel, run: number, tags: readonly ScalarTag[]): number {
  const descriptor = openSync(file, 'w');
  try {
    return writeEvents((bytes) => writeAll(descriptor, bytes), model, run, tags);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Passes the bytes of one run's event file to `sink`, which must not keep them. Returns their
 * number.
 */
export function writeEvents(sink: (bytes: Uint8Array) => void, model: LogModel, run: number, tags: readonly ScalarTag[]): number {
  const writer = new EventWriter(sink);
  const points = new RunModel(model, run);
  writer.version(firstWallTime + run);
  for (let step = 0; step < model.steps; step++) {
    let wallTime = points.nextStep();
    for (let tag = 0; tag < tags.length; tag++) {
      if (tag > 0) wallTime += points.gap();
      writer.scalar(tags[tag]!, step === 0, wallTime, step, points.value(tag, step));
    }
  }
  writer.flush();
  return writer.written;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done);
}
