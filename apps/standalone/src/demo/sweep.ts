import { seededRandom } from '#model';
import {
  eventRecord,
  histogramValue,
  imageValue,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  textValue,
  versionRecord,
} from './event-record.ts';
import { grayPng } from './png.ts';

/** A run in the demo's sweep, which trains a small image classifier. */
export interface DemoRun {
  readonly name: string;
  readonly lr: number;
  readonly optimizer: 'adamw' | 'sgd';
  readonly weightDecay: number;
  readonly seed: number;
  /** Whether the loss becomes NaN. */
  readonly diverges: boolean;
}

/** Learning rates, optimizers and weight decays. Their combinations make 24 runs. */
export const demoRuns: readonly DemoRun[] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03].flatMap((lr, i) =>
  (['adamw', 'sgd'] as const).flatMap((optimizer, j) =>
    [0, 0.05].map((weightDecay, k) => ({
      name: `lr=${lr},opt=${optimizer},wd=${weightDecay}`,
      lr,
      optimizer,
      weightDecay,
      seed: 7 + 4 * i + 2 * j + k,
      diverges: lr === 0.03 && optimizer === 'adamw' && weightDecay === 0,
    })),
  ),
);

/** The run that grows while the demo is running. */
export const liveRun = demoRuns.findIndex(
  ({ lr, optimizer, weightDecay }) => lr === 0.003 && optimizer === 'adamw' && weightDecay === 0.05,
);

/** Number of events of a complete run; each event covers several steps. */
export const demoEvents = 1_000;
const stepsPerEvent = 4;
const secondsPerEvent = 1;
const validateEvery = 25;
const histogramsEvery = 125;
const classes = 10;
/** The loss of a model that guesses at random. */
const chance = Math.log(classes);

/** An event's wall time, in seconds since 1970. */
export type EventTime = (event: number) => number;

/** The records before the first event: version, hyperparameters, configuration. */
export function firstRecords(run: DemoRun, startTime: number): Buffer[] {
  const { lr, optimizer, weightDecay } = run;
  const hparams = { learning_rate: lr, optimizer, weight_decay: weightDecay, batch_size: 256, seed: run.seed };
  const rows = Object.entries(hparams).map(([name, value]) => `| ${name} | ${value} |`);
  return [
    versionRecord(startTime),
    eventRecord(startTime, 0, [sessionStartValue(hparams, startTime)]),
    eventRecord(startTime, 0, [textValue('config', ['| setting | value |', '|---|---|', ...rows].join('\n'))]),
  ];
}

/** The last record, which says whether the run succeeded. */
export function lastRecord(run: DemoRun, endTime: number): Buffer {
  return eventRecord(endTime, demoEvents * stepsPerEvent, [sessionEndValue(!run.diverges, endTime)]);
}

/**
 * The records of all events of a run, in order. The same run and times always give the same
 * records.
 */
export function* eventRecords(run: DemoRun, timeOf: EventTime): Generator<Buffer> {
  const random = seededRandom(7_919 * run.seed);
  const normal = (): number => random() + random() + random() + random() - 2;
  const best = run.optimizer === 'adamw' ? 0.001 : 0.01;
  const off = Math.abs(Math.log10(run.lr / best)); // from the best learning rate, in powers of ten
  const floor = 0.24 + 0.3 * off ** 1.6 + (run.weightDecay === 0 ? 0.06 : 0);
  const speed = Math.exp(-1.1 * off) * (run.optimizer === 'adamw' ? 1.3 : 1);
  let drift = 0;
  for (let event = 0; event < demoEvents; event++) {
    const step = event * stepsPerEvent;
    const done = event / demoEvents;
    drift = 0.9 * drift + 0.1 * normal();
    const clean = floor + (chance - floor) / (1 + (speed * event) / 60) ** 0.85;
    const blown = run.diverges && event > 180 ? Math.exp((event - 180) / 40) - 1 : 0;
    const isLost = run.diverges && event > 330;
    const loss = isLost ? Number.NaN : clean * (1 + 0.09 * normal() + 0.12 * drift) + 0.1 * blown;
    const accuracy = (value: number): number =>
      isLost ? 0.1 : Math.max(0.04, Math.min(0.995, 1 - (value + blown) / 2.56 + 0.012 * normal()));
    const warm = Math.min(1, event / 50);
    const values = [
      scalarValue('train/loss', loss),
      scalarValue('train/accuracy', accuracy(clean)),
      scalarValue('train/grad_norm', isLost ? Number.NaN : (0.4 + clean) * Math.exp(0.35 * normal()) * (random() < 0.004 ? 9 : 1) + blown),
      scalarValue('train/learning_rate', run.lr * warm * 0.5 * (1 + Math.cos(Math.PI * done))),
    ];
    if (event % validateEvery === 0) {
      const gap = (run.weightDecay === 0 ? 0.3 : 0.12) * done ** 2;
      values.push(
        scalarValue('val/loss', isLost ? Number.NaN : clean * 1.05 + gap + 0.02 * normal() + 0.1 * blown),
        scalarValue('val/accuracy', accuracy(clean * 1.05 + 0.5 * gap)),
        scalarValue('utilization/gpu_memory_gb', 11.2 + 0.15 * normal()),
        scalarValue('utilization/images_per_second', 2_140 + 70 * normal()),
      );
    }
    if (event % histogramsEvery === 0) {
      const right = accuracy(clean * 1.05);
      values.push(
        ...['blocks.0/mlp/weight', 'blocks.5/mlp/weight', 'head/weight'].map((tag, layer) =>
          histogramValue(tag, bell(0.02 * (1 + layer) * (1 + 1.5 * done * (1 - 0.4 * Number(run.weightDecay > 0))), 4_096, normal)),
        ),
        imageValue('val/confusion_matrix', confusionSize, confusionMatrix(right, random)),
        textValue('val/summary', `Step **${step}**: ${(100 * right).toFixed(1)} % of 10,000 validation images are classified correctly.`),
      );
    }
    yield eventRecord(timeOf(event), step, values);
  }
}

/** The times of a run that starts at `start` and has no breaks. */
export function steadyTimes(start: number): EventTime {
  return (event) => start + event * secondsPerEvent;
}

/** Counts of `total` normally distributed values in bins of equal width. */
function bell(deviation: number, total: number, normal: () => number): (readonly [number, number, number])[] {
  const bins = 30;
  const width = (8 * deviation) / bins;
  return Array.from({ length: bins }, (_, i) => {
    const left = -4 * deviation + i * width;
    const z = (left + width / 2) / deviation;
    const share = (Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)) * (width / deviation);
    return [left, left + width, Math.max(0, Math.round(total * share * (1 + 0.06 * normal())))] as const;
  });
}

const cellPixels = 12;
const confusionSize = classes * cellPixels;

/** A confusion matrix in which larger counts are brighter, so a good model shows a diagonal. */
function confusionMatrix(accuracy: number, random: () => number): Buffer {
  const cells = Array.from({ length: classes ** 2 }, (_, i) => {
    const isRight = Math.floor(i / classes) === i % classes;
    return isRight ? accuracy * (0.9 + 0.1 * random()) : ((1 - accuracy) / (classes - 1)) * 2 * random();
  });
  const pixels = Uint8Array.from({ length: confusionSize ** 2 }, (_, i) => {
    const row = Math.floor(Math.floor(i / confusionSize) / cellPixels);
    return Math.min(255, Math.round(255 * Math.sqrt(cells[row * classes + Math.floor((i % confusionSize) / cellPixels)]!)));
  });
  return grayPng(confusionSize, pixels);
}
