import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '#testing';
import {
  eventRecord,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  versionRecord,
} from '../../apps/standalone/src/demo/event-record.ts';
import { firstWallTime } from './log-model.ts';

/** The tags of each run in a sweep. */
export const sweepTags = ['train/loss', 'val/accuracy'] as const;

/**
 * Writes a sweep below `directory`: one small event file per run, with three hyperparameters, a
 * short curve for each of {@link sweepTags}, and an end. Returns the number of points.
 */
export function generateSweep(directory: string, { runs, steps }: { readonly runs: number; readonly steps: number }): number {
  const random = seededRandom(1);
  for (let run = 0; run < runs; run++) {
    const start = firstWallTime + run;
    const lr = 10 ** (-4 + 3 * random());
    const hparams = { lr, batch: 2 ** Math.floor(4 + 5 * random()), optimizer: random() < 0.5 ? 'adam' : 'sgd' };
    const records = [versionRecord(start), eventRecord(start, 0, [sessionStartValue(hparams, start)])];
    for (let step = 0; step < steps; step++) {
      const accuracy = 1 - Math.exp(-step / 4) - 0.2 * Math.abs(Math.log10(lr) + 2.5) + 0.05 * random();
      const values = [scalarValue(sweepTags[0], 1 - accuracy), scalarValue(sweepTags[1], accuracy)];
      records.push(eventRecord(start + step + 1, step * 10, values));
    }
    records.push(eventRecord(start + steps + 1, steps * 10, [sessionEndValue(random() < 0.95, start + steps + 1)]));
    const folder = join(directory, `run-${String(run).padStart(5, '0')}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `events.out.tfevents.${start}.host`), Buffer.concat(records));
  }
  return runs * steps * sweepTags.length;
}
