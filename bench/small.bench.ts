import { join } from 'node:path';
import type { Bench, BenchContext } from './lib/bench.ts';
import { type GeneratedLogs, generateSmallFiles } from './lib/generate-logs.ts';
import { orUnavailable } from './peers/python.ts';
import { rustBoard, type RustBoardLoad } from './peers/rustboard.ts';
import { withTemporaryFolder } from './lib/places.ts';
import type { Report, Row } from './lib/report.ts';
import { startService, type Upload, upload } from './lib/service.ts';
import { median } from './lib/stats.ts';

/** The shape of an upload: this many runs with this many files each. */
interface Shape {
  readonly title: string;
  readonly runs: number;
  readonly filesPerRun: number;
  /** Bound in seconds, from the start of the CLI until everything is visible. */
  readonly atMost: number;
}

interface Round {
  readonly upload: Upload;
  /** RustBoard's loads before and after the upload. */
  readonly loads: readonly RustBoardLoad[];
}

/**
 * Uploads many small event files and measures the time from the start of the CLI until every point
 * is visible, compared with RustBoard's load of the same files into memory. Every upload has a
 * fresh service.
 */
export const small: Bench = {
  name: 'small',
  summary: 'many small event files: time from CLI start until everything is visible, compared with RustBoard',
  flags: {
    runs: { default: 1_000, help: 'runs with one file each; 0: skip this shape' },
    files: { default: 3_000, help: 'files in `--folders` runs; 0: skip this shape' },
    folders: { default: 30, help: 'runs that hold these files' },
    tags: { default: 5, help: 'tags per file' },
    steps: { default: 20, help: 'steps per tag' },
    rounds: { default: 3, help: 'rounds; the table shows medians' },
    peers: { default: true, help: 'also measure the peer' },
  },
  async run(context) {
    return withTemporaryFolder(async (folder) => {
      const load = context.on('peers') ? await orUnavailable(() => rustBoard(context.say), context.say) : null;
      const rows: Row[] = [];
      const samples: Record<string, unknown> = {};
      for (const [index, shape] of shapesOf(context).entries()) {
        const model = { tags: context.number('tags'), steps: context.number('steps') };
        const logs = generateSmallFiles(join(folder, `logs-${index}`), { ...shape, ...model });
        context.say(`${shape.title}: ${logs.points} points, ${(logs.bytes / 1e6).toFixed(1)} MB`);
        const rounds: Round[] = [];
        for (let n = 1; n <= context.number('rounds'); n++) {
          rounds.push(await oneRound(join(folder, `round-${index}-${n}`), logs, load));
          const { seconds, processorSeconds } = rounds.at(-1)!.upload;
          context.say(`round ${n}: ${seconds.toFixed(2)} s, ${processorSeconds.toFixed(2)} s of processor time`);
        }
        rows.push(...rowsOf(shape, rounds));
        samples[shape.title] = rounds;
      }
      const parameters = { tags: context.number('tags'), steps: context.number('steps'), rounds: context.number('rounds') };
      return { bench: 'small', parameters, rows, samples } satisfies Report;
    });
  },
};

function shapesOf(context: BenchContext): Shape[] {
  const [runs, files, folders] = [context.number('runs'), context.number('files'), Math.max(context.number('folders'), 1)];
  return [
    ...(runs > 0 ? [{ title: `${runs} runs with one file each`, runs, filesPerRun: 1, atMost: 15 }] : []),
    ...(files > 0
      ? [{ title: `${files} files in ${folders} runs`, runs: folders, filesPerRun: Math.ceil(files / folders), atMost: 40 }]
      : []),
  ];
}

async function oneRound(folder: string, logs: GeneratedLogs, load: ((directory: string) => Promise<RustBoardLoad>) | null): Promise<Round> {
  const loads: RustBoardLoad[] = [];
  const service = await startService(join(folder, 'data'));
  try {
    if (load) loads.push(await load(logs.directory));
    const done = await upload(service, logs.directory, logs.points);
    if (load) loads.push(await load(logs.directory));
    return { upload: done, loads };
  } finally {
    await service.stop();
  }
}

function rowsOf({ title, atMost }: Shape, rounds: readonly Round[]): Row[] {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const loads = rounds.flatMap((round) => round.loads);
  const peer = loads.length > 0 ? median(loads.map(({ seconds }) => seconds)) : null;
  const ratio =
    loads.length > 0 ? middle((round) => (2 * round.upload.seconds) / (round.loads[0]!.seconds + round.loads[1]!.seconds)) : null;
  return [
    { measure: `${title}: upload until visible`, value: middle((round) => round.upload.seconds), unit: 's', atMost },
    {
      measure: `${title}: processor time`,
      value: middle((round) => round.upload.processorSeconds),
      unit: 's',
      note: 'CLI, service and Postgres',
    },
    { measure: `${title}: RustBoard load into memory`, value: peer, unit: 's' },
    { measure: `${title}: upload / RustBoard`, value: ratio, unit: 'x' },
  ];
}
