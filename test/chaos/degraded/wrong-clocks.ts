import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeEventFile } from '#testing';
import type { ProcessKind } from '../stack.ts';
import { checkTimes } from './judge-times.ts';
import { ms } from './prober.ts';
import type { DegradedScenario } from './report.ts';
import { drained, type Trial, trial } from './trial.ts';
import { makeWrongClock, type WrongClock } from './wrong-clock.ts';

const day = 86_400;
const cliMain = join(import.meta.dirname, '../../../dist/apps/cli/src/main.js');

/**
 * The clocks of the ingest process, of the processes that serve requests, and of the CLI are a day
 * ahead or behind, one kind at a time.
 */
export const wrongClocks: DegradedScenario = {
  test: 65,
  name: 'clocks that are wrong by a day',
  run: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-clock-'));
    try {
      const clock = await makeWrongClock(folder);
      const offsets = new Map<ProcessKind, number>();
      const envOf = (kind: ProcessKind): NodeJS.ProcessEnv => clock.env(offsets.get(kind) ?? 0);
      return await trial(options, { stack: { envOf }, workload: { lanes: 3, pauseMs: 150 } }, async (parts) => {
        const { report, prober } = parts;
        await prober.wellAfter(performance.now());
        report.figure(`clocks are set by ${clock.by}`);
        for (const kinds of [['ingest'], ['upload', 'read'], ['upload'], ['read'], ['ingest', 'upload', 'read']] as const)
          for (const offset of [day, -day]) {
            offsets.clear();
            for (const kind of kinds) offsets.set(kind, offset);
            await restart(parts);
            const what = `${kinds.join(' and ')} ${offset > 0 ? 'a day ahead' : 'a day behind'}`;
            await live(parts, what, options.full ? 20_000 : 1_500);
            if (offsets.has('upload') || offsets.has('read')) await checkTimes(parts.stack, report, what);
          }
        offsets.clear();
        await restart(parts);
        for (const offset of [day, -day]) await checkCommandLine(parts, clock, folder, offset);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Restarts each process, so that it gets the current clock settings. */
async function restart({ stack }: Trial): Promise<void> {
  await Promise.all(
    stack.processes.map(async (process) => {
      await process.stop();
      await process.start();
    }),
  );
}

async function live(parts: Trial, what: string, lastsMs: number): Promise<void> {
  const { log } = parts.workload;
  const first = log.entries.length;
  await sleep(lastsMs);
  const visible = await drained(parts);
  const taken = log.entries.slice(first).filter(({ outcome }) => outcome === 'ok').length;
  parts.report.figure(`${what}: ${taken} appends acknowledged, everything visible after ${ms(visible)}`);
  parts.report.must(taken > 0, `${what}: nothing was acknowledged`);
  parts.report.mustTake(`${what}: everything visible`, visible, 15_000);
}

/** A CLI with a wrong clock uploads and verifies as usual. */
async function checkCommandLine({ stack, report }: Trial, clock: WrongClock, folder: string, offset: number): Promise<void> {
  const logdir = join(folder, `logs${offset}`);
  await mkdir(join(logdir, 'run'), { recursive: true });
  const events = Array.from({ length: 500 }, (_, step) => ({ step, scalars: { loss: step } }));
  await writeFile(join(logdir, 'run/events.out.tfevents.1700000000.host'), writeEventFile(events));
  const env = { ...stack.cliEnvironment(join(folder, `state${offset}`)), ...clock.env(offset) };
  const cli = (...args: string[]): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, [cliMain, ...args], { env });
  const { stdout } = await cli('upload', '--logdir', logdir, '--one-shot', '--json');
  const { experiment_id: id, points } = JSON.parse(stdout) as { experiment_id: string; points: number };
  await cli('verify', id, '--logdir', logdir); // Throws if it finds a difference.
  report.figure(`the CLI ${offset > 0 ? 'a day ahead' : 'a day behind'}: ${points} points uploaded and verified`);
  report.must(points === 500, `${points} of 500 points were uploaded`);
}
