import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { ApiError } from '../http/api-error.ts';
import { checkServer } from '../http/check-server.ts';
import { stateFolder } from '../local/folders.ts';
import { pathFilter } from '../local/path-filter.ts';
import { scan, type ScanResult } from '../local/scan.ts';
import { UploadMemory } from '../local/upload-memory.ts';
import { readReceipt } from '../receipt/receipt.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession, type Session } from '../session.ts';
import { encoderFor } from '../upload/encode.ts';
import { chooseTarget, type Target } from '../upload/experiment.ts';
import { type Stored, storedFrom } from '../upload/stored.ts';
import { Uploader } from '../upload/uploader.ts';
import { waitUntilVisible } from '../upload/wait-visible.ts';
import { Watcher } from '../upload/watcher.ts';

/** Flags of `plotline upload`. */
export interface UploadFlags {
  readonly logdir: string;
  readonly name?: string;
  readonly description?: string;
  readonly experiment?: string;
  readonly new?: boolean;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly oneShot?: boolean;
  readonly dryRun?: boolean;
  readonly connections: number;
  readonly wait: boolean;
  readonly compress: 'auto' | 'zstd' | 'none';
}

/** A one-shot upload without any success for this long ends; a watcher never gives up. */
const oneShotPatienceMs = 5 * 60_000;

/** `plotline upload`: watches a log directory and uploads what appears, or uploads what is there (`--one-shot`). */
export async function upload(flags: UploadFlags, host: Host, report: Report): Promise<number> {
  const started = performance.now();
  if (flags.experiment !== undefined && flags.new)
    throw usageError('--experiment names an experiment and --new starts one: use one of them.');
  const filter = pathFilter(flags.include ?? [], flags.exclude ?? []);
  const logdir = resolveLogdir(resolve(host.cwd, flags.logdir));
  const first = await scan(logdir, filter);
  if (first.files.length === 0) throw nothingFound(logdir, first);
  if (flags.dryRun) return (await import('./dry-run.ts')).dryRun(logdir, first, report);

  const stop = new AbortController();
  const session = openSession(host, report, {
    connections: flags.connections,
    giveUpAfterMs: flags.oneShot ? oneShotPatienceMs : Infinity,
    stop: stop.signal,
  });
  let uploader: Uploader | null = null;
  const release = host.onInterrupt(() => {
    if (stop.signal.aborted) {
      session.close();
      return;
    }
    stop.abort();
    uploader?.stop();
    report.say('Stopping: finishing what is on its way (Ctrl-C again to stop at once).');
  });
  try {
    await checkServer(session.api, (line) => report.say(line));
    const memory = new UploadMemory(join(stateFolder(host), 'uploads'), session.origin, logdir);
    const target = await chooseTarget(
      session.api,
      memory,
      { experiment: flags.experiment, startNew: flags.new ?? false, name: flags.name, description: flags.description },
      (line) => report.say(line),
    );
    if (!flags.oneShot) report.say(`View your experiment at: ${target.url}`);
    uploader = new Uploader({
      api: session.api,
      experimentId: target.id,
      connections: flags.connections,
      encode: encoderFor(flags.compress, session.origin),
      completeWhenSent: flags.oneShot ?? false,
      say: (line) => report.say(line),
      onProgress: () => progress(uploader as Uploader, report),
    });
    if (stop.signal.aborted) uploader.stop();
    for (const remark of first.remarks) report.say(`${remark.path}: ${remark.detail}`);
    if (flags.oneShot) {
      uploader.update(first.files);
      await uploader.run();
    } else {
      await new Watcher({ uploader, scan: () => scan(logdir, filter), say: (line) => report.say(line), stop: stop.signal }).run(first);
    }
    report.clearStatus();
    if (stop.signal.aborted) return interrupted(flags, uploader, report);
    return await finish(session, target, uploader, { flags, report, started, stop: stop.signal });
  } catch (error) {
    report.clearStatus();
    if (stop.signal.aborted) return interrupted(flags, uploader, report);
    if (error instanceof ApiError && error.status === 404 && uploader) {
      throw new CliError(
        exitCodes.notFound,
        'The experiment was deleted while it was uploaded to. Run the command again to start a new one.',
        { code: error.code, cause: error },
      );
    }
    throw error;
  } finally {
    release();
    session.close();
  }
}

async function finish(
  session: Session,
  target: Target,
  uploader: Uploader,
  context: { flags: UploadFlags; report: Report; started: number; stop: AbortSignal },
): Promise<number> {
  const { flags, report } = context;
  const { api } = session;
  const files = [...uploader.files.values()];
  const runs = new Set(files.map((file) => file.found.run));
  let stored: Stored = { points: 0, tensors: 0, blobs: 0, damaged: [] };
  if (flags.wait) {
    await waitUntilVisible(api, target.id, uploader.epoch, { say: (line) => report.say(line), signal: context.stop });
    stored = storedFrom(await readReceipt(api, target.id), runs);
  }
  const bytes = files.reduce((sum, file) => sum + file.found.bytes, 0);
  const seconds = (performance.now() - context.started) / 1000;
  report.document({
    experiment_id: target.id,
    url: target.url,
    runs: runs.size,
    files: files.length,
    bytes,
    uploaded_bytes: uploader.uploadedBytes,
    points: stored.points,
    tensors: stored.tensors,
    blobs: stored.blobs,
    damaged: stored.damaged,
    ...(uploader.failed.size > 0 && {
      failed: [...uploader.failed].map(([file, error]) => ({ file, reason: error instanceof ApiError ? error.code : error.message })),
    }),
    seconds: Math.round(seconds * 1000) / 1000,
  });
  for (const { file, offset, reason } of stored.damaged) report.say(`${file}: ${reason} at byte ${offset}`);
  report.result(
    `Uploaded ${formatBytes(uploader.uploadedBytes)} of ${formatBytes(bytes)} (${plural(files.length, 'file')}, ${plural(runs.size, 'run')}) in ${seconds.toFixed(1)} s.`,
  );
  if (flags.wait)
    report.result(`${plural(stored.points, 'point')}, ${plural(stored.tensors, 'tensor')}, ${plural(stored.blobs, 'blob')} are visible.`);
  report.result(`View your experiment at: ${target.url}`);
  const quarantined = stored.damaged.filter((damage) => damage.reason === 'quarantined');
  if (quarantined.length > 0)
    report.say(
      `${plural(quarantined.length, 'record')} could not be stored and ${quarantined.length === 1 ? 'is' : 'are'} in quarantine: see \`plotline status ${target.id}\`.`,
    );
  return quarantined.length > 0 || uploader.failed.size > 0 ? exitCodes.failed : exitCodes.done;
}

function interrupted(flags: UploadFlags, uploader: Uploader | null, report: Report): number {
  const { bytes, done } = uploader?.progress ?? { bytes: 0, done: 0 };
  const rest = bytes - done;
  report.say(
    `Stopped${rest > 0 ? ` with ${formatBytes(rest)} to go` : ''}. Run the same command again to continue: plotline upload --logdir ${flags.logdir}${flags.oneShot ? ' --one-shot' : ''}`,
  );
  return exitCodes.interrupted;
}

function progress(uploader: Uploader, report: Report): void {
  if (!report.stderr.isTTY) return;
  const { bytes, done } = uploader.progress;
  const share = bytes === 0 ? 1 : done / bytes;
  const width = 24;
  const filled = Math.round(share * width);
  report.status(
    `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${Math.floor(share * 100)} %  ${formatBytes(done)} of ${formatBytes(bytes)}  ${plural(uploader.files.size, 'file')}`,
  );
}

/** The real path, so that one directory is remembered once, whatever the way to it. */
function resolveLogdir(path: string): string {
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    throw new CliError(exitCodes.failed, `There is no log directory ${path} (${(error as NodeJS.ErrnoException).code}).`, {
      code: 'no-event-files',
      cause: error,
    });
  }
  throw new CliError(exitCodes.failed, `${path} is a file; --logdir names the folder that holds the runs.`, { code: 'no-event-files' });
}

function nothingFound(logdir: string, result: ScanResult): CliError {
  const remarks = result.remarks.map((remark) => `\n  ${remark.path}: ${remark.detail}`).join('');
  return new CliError(
    exitCodes.failed,
    `No event files: looked in ${logdir} and ${plural(result.folders - 1, 'folder')} below it for files with "tfevents" in their name.${remarks}`,
    { code: 'no-event-files' },
  );
}
