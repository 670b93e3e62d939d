import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesField, type EventSpec, joinBytes, seededRandom, stringField, varintField, writeEventFile } from '#testing';
import { EventWriter, scalarTag } from '../../bench/lib/event-writer.ts';

/** A realistic training run. */
export interface Training {
  readonly run: string;
  readonly steps: number;
  /** How fast the loss decreases. */
  readonly rate: number;
  readonly seed: number;
  /** Seconds since 1970. */
  readonly start: number;
}

const secondsPerStep = 0.4;

/**
 * One event per step: losses, accuracies, a schedule, gradient norms with spikes, and a validation
 * every tenth step.
 */
export function trainingEvents({ steps, rate, seed, start }: Training, from = 0): EventSpec[] {
  const random = seededRandom(seed);
  const noise = (): number => random() + random() + random() - 1.5;
  return Array.from({ length: steps }, (_, i) => {
    const step = from + i;
    const done = 1 - Math.exp((-rate * step) / 400);
    const loss = 2.3 * (1 - 0.92 * done);
    const norm = Math.exp(0.6 * noise()) * (1.4 - done);
    const scalars: Record<string, number> = {
      'train/loss': loss * (1 + 0.12 * noise()),
      'train/accuracy': 0.1 + 0.85 * done + 0.03 * noise(),
      'train/perplexity': Math.exp(loss * (1 + 0.08 * noise())),
      'gradients/norm': norm * (random() < 0.004 ? 12 : 1),
      'gradients/conv1': 0.3 * norm * (1 + 0.2 * noise()),
      'gradients/conv2': 0.12 * norm * (1 + 0.2 * noise()),
      learning_rate: 1e-3 * rate * 0.5 * (1 + Math.cos((Math.PI * step) / 3000)),
    };
    if (step % 10 === 0) {
      scalars['validation/loss'] = loss * 1.08 + 0.05 * noise() + 0.25 * done * done;
      scalars['validation/accuracy'] = 0.1 + 0.8 * done + 0.015 * noise();
      scalars['system/gpu_memory'] = 11.2e9 + 2e8 * noise();
      scalars['system/images_per_second'] = 2100 + 60 * noise();
    }
    return { step, wallTime: start + step * secondsPerStep, scalars };
  });
}

/** The runs of a sweep over learning rates. */
export const sweep: readonly Training[] = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1].map((rate, i) => ({
  run: `sweep/lr=${rate}`,
  steps: 3_000 - 350 * (i % 3),
  rate: [0.35, 0.7, 1.2, 1.9, 1.4, 0.5][i]!,
  seed: 11 + i,
  start: 1_795_255_000 + 700 * i,
}));

/** Returns a text for each tag, as the plugin writes it. */
export function textEvent(step: number, texts: Readonly<Record<string, string>>): EventSpec {
  const values = Object.entries(texts).map(([tag, text]) => bytesField(1, textValue(tag, text)));
  return { step, more: bytesField(5, joinBytes(...values)) };
}

/**
 * A text: Value {tag 1, tensor 8 {dtype 1: DT_STRING, string_val 8}, metadata 9 {plugin_data 1
 * {name 1}, description 3}}.
 */
export function textValue(tag: string, text: string, description = ''): Uint8Array {
  const tensor = joinBytes(varintField(1, 7), bytesField(2, new Uint8Array()), stringField(8, text));
  const metadata = joinBytes(bytesField(1, stringField(1, 'text')), stringField(3, description));
  return joinBytes(stringField(1, tag), bytesField(8, tensor), bytesField(9, metadata));
}

/** Writes event files of runs below a log directory. */
export async function writeTrainings(logdir: string, trainings: readonly Training[]): Promise<void> {
  for (const training of trainings) await writeRun(logdir, training.run, trainingEvents(training));
}

/** Writes one event file of a run. */
export function writeRun(logdir: string, run: string, events: readonly EventSpec[], file?: string): Promise<string> {
  return writeRunFile(logdir, run, writeEventFile(events), file);
}

/** Logs a point for every step from 0, at full speed: a million points are practical. */
export function writeLongRun(logdir: string, run: string, tag: string, steps: number, valueAt: (step: number) => number): Promise<string> {
  const pieces: Buffer[] = [];
  const writer = new EventWriter((bytes) => pieces.push(Buffer.from(bytes)));
  const form = scalarTag(tag, 'simple-value');
  const start = 1_700_000_000;
  writer.version(start);
  for (let step = 0; step < steps; step++) writer.scalar(form, step === 0, start + step, step, valueAt(step));
  writer.flush();
  return writeRunFile(logdir, run, Buffer.concat(pieces));
}

async function writeRunFile(
  logdir: string,
  run: string,
  bytes: Uint8Array,
  file = 'events.out.tfevents.1795255000.host.1.0.v2',
): Promise<string> {
  await mkdir(join(logdir, run), { recursive: true });
  const path = join(logdir, run, file);
  await writeFile(path, bytes);
  return path;
}
