import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeEventFile } from '#testing';
import { type Ended, runCli } from './run-cli.ts';
import { SmallDisk } from './small-disk.ts';
import type { Trial } from './trial.ts';

const points = 300;

/**
 * The disk with the CLI's state is full: the CLI reports this and uploads anyway. Once there is
 * free space, and if the experiment is named, the CLI records the upload.
 */
export async function fullStateFolder({ stack, report }: Trial): Promise<void> {
  const disk = await SmallDisk.mount(1);
  const logdir = await mkdtemp(join(tmpdir(), 'plotline-logs-'));
  try {
    await mkdir(join(logdir, 'run'));
    const events = Array.from({ length: points }, (_, step) => ({ step, scalars: { loss: step } }));
    await writeFile(join(logdir, 'run/events.out.tfevents.1700000000.host'), writeEventFile(events));
    const cli = (...args: string[]): Promise<Ended> => runCli(args, stack.cliEnvironment(join(disk.folder, 'state')));
    type Uploaded = { readonly experiment_id: string; readonly points: number; readonly uploaded_bytes: number };
    const upload = async (...args: string[]): Promise<Ended & { readonly result: Uploaded }> => {
      const ended = await cli('upload', '--logdir', logdir, '--one-shot', '--json', ...args);
      report.must(ended.code === 0, `the upload exited with ${ended.code}: ${ended.stderr}`);
      return { ...ended, result: JSON.parse(ended.stdout) as Uploaded };
    };

    await disk.fill();
    const full = await upload();
    report.figure(`full state folder: exits with ${full.code}, “${full.stderr.trim().split('\n').at(-1)}”`);
    report.must(/space|ENOSPC/i.test(full.stderr), `the full state folder was not reported: ${full.stderr}`);
    const first = full.result;
    report.must(first.points === points, `${first.points} of ${points} points were uploaded`);

    await disk.freeSpace();
    const named = (await upload('--experiment', first.experiment_id)).result;
    report.must(named.uploaded_bytes === 0, `${named.uploaded_bytes} bytes were uploaded twice`);
    const again = (await upload()).result;
    report.must(again.experiment_id === first.experiment_id && again.uploaded_bytes === 0, 'the upload was not recorded');
    const verified = await cli('verify', first.experiment_id, '--logdir', logdir);
    report.must(verified.code === 0, `verify found: ${verified.stderr}`);
  } finally {
    await rm(logdir, { recursive: true });
    await disk.unmount();
  }
}
