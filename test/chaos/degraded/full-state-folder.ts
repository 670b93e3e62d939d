import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeEventFile } from '#testing';
import { type Ended, runCli } from './run-cli.ts';
import { SmallDisk } from './small-disk.ts';
import type { Trial } from './trial.ts';

const points = 300;

/** The disk on which the command line keeps its memory is full: it says so, and makes nothing that it could not find again; with room it goes on. */
export async function fullStateFolder({ stack, report }: Trial): Promise<void> {
  const disk = await SmallDisk.mount(1);
  const logdir = await mkdtemp(join(tmpdir(), 'plotline-logs-'));
  try {
    await mkdir(join(logdir, 'run'));
    const events = Array.from({ length: points }, (_, step) => ({ step, scalars: { loss: step } }));
    await writeFile(join(logdir, 'run/events.out.tfevents.1700000000.host'), writeEventFile(events));
    const cli = (...args: string[]): Promise<Ended> => runCli(args, stack.cliEnvironment(join(disk.folder, 'state')));
    const upload = (): Promise<Ended> => cli('upload', '--logdir', logdir, '--one-shot', '--json');

    await disk.fill();
    const refused = await upload();
    report.figure(`full state folder: ends with ${refused.code}, “${refused.stderr.trim().split('\n').at(-1)}”`);
    report.must(
      refused.code !== 0 && /space|ENOSPC/i.test(refused.stderr),
      `a full state folder is not told: ${refused.code} ${refused.stderr}`,
    );

    await disk.makeRoom();
    const done = await upload();
    report.must(done.code === 0, `with room the upload ended with ${done.code}: ${done.stderr}`);
    const first = JSON.parse(done.stdout) as { experiment_id: string; points: number };
    report.must(first.points === points, `${first.points} of ${points} points were uploaded`);
    const again = JSON.parse((await upload()).stdout) as { experiment_id: string; uploaded_bytes: number };
    report.must(again.experiment_id === first.experiment_id && again.uploaded_bytes === 0, 'the upload was not remembered');
    const verified = await cli('verify', first.experiment_id, '--logdir', logdir);
    report.must(verified.code === 0, `verify found: ${verified.stderr}`);
  } finally {
    await rm(logdir, { recursive: true });
    await disk.unmount();
  }
}
