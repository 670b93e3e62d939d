import { join } from 'node:path';
import { isLogName } from '#model';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { ApiError } from '../http/api-error.ts';
import { checkServer } from '../http/check-server.ts';
import { stringField } from '../http/json.ts';
import { stateFolder } from '../local/folders.ts';
import { Beginnings } from '../local/beginnings.ts';
import { realLogdir } from '../local/logdir.ts';
import { pathFilter } from '../local/path-filter.ts';
import { scan, type ScanResult } from '../local/scan.ts';
import { UploadMemory } from '../local/upload-memory.ts';
import { readReceipt } from '../receipt/receipt.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession, type Session } from '../session.ts';
import { type CompressChoice, Encoder } from '../upload/encode.ts';
import { chooseTarget, type Target } from '../upload/experiment.ts';
import { fixedLanes, type LaneCount, MeasuredLanes } from '../upload/lanes.ts';
import { type Stored, storedFrom } from '../upload/stored.ts';
import { Uploader } from '../upload/uploader.ts';
import { uploadOnce } from '../upload/one-shot.ts';
import { ProgressLine } from '../upload/progress-line.ts';
import { summarize, uploadDocument } from '../upload/summary.ts';
import { warnOfQuotas } from '../upload/warn-of-quotas.ts';
import { waitForFiles } from '../upload/wait-for-files.ts';
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
  readonly followLinks?: boolean;
  readonly oneShot?: boolean;
  readonly dryRun?: boolean;
  readonly connections: number | 'auto';
  readonly wait: boolean;
  readonly compress: CompressChoice;
}

function withoutLogs(found: ScanResult): ScanResult {
  return { ...found, files: found.files.filter(({ name }) => !isLogName(name)) };
}

/** Maximum remarks in the error about missing event files. */
const maxRemarks = 20;
/** A one-shot upload ends after this long without any success; a watcher never gives up. */
const oneShotGiveUpMs = 5 * 60_000;

/**
 * `plotline upload`: watches a log directory and uploads new data, or uploads what exists
 * (`--one-shot`).
 */
export async function upload(flags: UploadFlags, host: Host, report: Report): Promise<number> {
  if (flags.experiment !== undefined && flags.new) throw usageError('Use either --experiment or --new, not both.');
  const filter = pathFilter(flags.include ?? [], flags.exclude ?? []);
  const logdir = realLogdir(host, flags.logdir);
  const beginnings = new Beginnings();
  const look = (): Promise<ScanResult> => scan(logdir, filter, { followLinks: flags.followLinks ?? false, beginnings });
  const first = await look();
  if (first.files.length === 0 && (flags.oneShot || flags.dryRun)) throw nothingFound(logdir, first);
  if (flags.dryRun) return (await import('./dry-run.ts')).dryRun(logdir, first, report);

  const stop = new AbortController();
  const lanes = flags.connections === 'auto' ? new MeasuredLanes() : fixedLanes(flags.connections);
  const session = openSession(host, report, {
    connections: lanes.max,
    giveUpAfterMs: flags.oneShot ? oneShotGiveUpMs : Infinity,
    stop: stop.signal,
  });
  const attempt = new Attempt(flags, logdir, report, { session, lanes, stop });
  const release = host.onInterrupt(() => attempt.interrupt());
  try {
    const state = join(stateFolder(host), 'uploads');
    const memory = new UploadMemory(state, session.origin, logdir, (error) =>
      report.say(
        `${state} cannot be written (${error.code ?? error.message}), so the next upload of this folder will not find its experiment. Specify it with --experiment, or set XDG_STATE_HOME to a writable folder.`,
      ),
    );
    return await attempt.run(memory, first, look);
  } finally {
    release();
    session.close();
  }
}

/** One invocation of the command, which can be interrupted at any moment. */
class Attempt {
  readonly #flags: UploadFlags;
  readonly #logdir: string;
  readonly #report: Report;
  readonly #session: Session;
  readonly #lanes: LaneCount;
  readonly #stop: AbortController;
  #visibleSeconds: number | null = null;
  readonly #started = performance.now();
  #target: Target | null = null;
  #uploader: Uploader | null = null;

  constructor(
    flags: UploadFlags,
    logdir: string,
    report: Report,
    { session, lanes, stop }: { readonly session: Session; readonly lanes: LaneCount; readonly stop: AbortController },
  ) {
    this.#flags = flags;
    this.#logdir = logdir;
    this.#report = report;
    this.#session = session;
    this.#lanes = lanes;
    this.#stop = stop;
  }

  /**
   * The first call starts no more work, and the upload ends when the requests in flight have ended.
   * The second call cuts the connections.
   */
  interrupt(): void {
    if (this.#stop.signal.aborted) {
      this.#session.close();
      return;
    }
    this.#stop.abort();
    this.#uploader?.stop();
    this.#report.say('Stopping after the current requests (press Ctrl-C again to stop immediately).');
  }

  async run(memory: UploadMemory, first: ScanResult, scanAgain: () => Promise<ScanResult>): Promise<number> {
    try {
      await this.#upload(memory, first, scanAgain);
      const stored = this.#flags.wait && !this.#stop.signal.aborted ? await this.#waitUntilStored() : null;
      return this.#stop.signal.aborted ? this.#interrupted() : this.#finished(stored);
    } catch (error) {
      if (this.#stop.signal.aborted) return this.#interrupted();
      if (error instanceof ApiError && error.status === 404 && this.#uploader) {
        const message = 'The experiment was deleted during the upload. Run the command again to start a new experiment.';
        throw new CliError(exitCodes.notFound, message, { code: error.code, cause: error });
      }
      throw error;
    } finally {
      this.#report.clearStatus();
    }
  }

  async #upload(memory: UploadMemory, first: ScanResult, scanAgain: () => Promise<ScanResult>): Promise<void> {
    const { api, origin } = this.#session;
    const flags = this.#flags;
    const say = (line: string): void => this.#report.say(line);
    const { columns, storesLogs } = await checkServer(api, say);
    await warnOfQuotas(api, say);
    const sent = (found: ScanResult): ScanResult => (storesLogs ? found : withoutLogs(found));
    const look = async (): Promise<ScanResult> => sent(await scanAgain());
    const seen = await waitForFiles(sent(first), { logdir: this.#logdir, scan: look, say, stop: this.#stop.signal });
    if (this.#stop.signal.aborted) return;
    const { experiment, name, description } = flags;
    const request = { experiment, startNew: flags.new ?? false, name, description, logdir: this.#logdir };
    const target = (this.#target = await chooseTarget(api, memory, request, say));
    // A watcher's only result is available immediately; with --json, the document is printed at the
    // end.
    if (!flags.oneShot && this.#report.json) say(`View your experiment at: ${target.url}`);
    else if (!flags.oneShot) this.#report.result(`View your experiment at: ${target.url}`);
    const line = new ProgressLine(this.#report);
    const uploader = (this.#uploader = new Uploader({
      api,
      experimentId: target.id,
      lanes: this.#lanes,
      encoder: new Encoder(flags.compress, origin, columns),
      completeWhenSent: flags.oneShot ?? false,
      say,
      onProgress: () => line.update(uploader),
    }));
    if (this.#stop.signal.aborted) return;
    if (!flags.oneShot) {
      await new Watcher({ uploader, scan: look, say, stop: this.#stop.signal }).run(seen);
      return;
    }
    for (const remark of seen.remarks) say(`${remark.path}: ${remark.detail}`);
    await uploadOnce({ uploader, scan: look, say, stop: this.#stop.signal }, seen);
  }

  async #waitUntilStored(): Promise<Stored> {
    const { api } = this.#session;
    const { id } = this.#target as Target;
    const uploader = this.#uploader as Uploader;
    const acknowledged = performance.now();
    await waitUntilVisible(api, id, uploader.epoch, { say: (line) => this.#report.say(line), signal: this.#stop.signal });
    this.#visibleSeconds = (performance.now() - acknowledged) / 1000;
    const listed: string[] = [];
    for await (const run of api.pages(`/experiments/${id}/runs`, 'runs', 'Listing runs')) listed.push(stringField(run, 'run'));
    return storedFrom(await readReceipt(api, id), new Set([...uploader.files.values()].map((file) => file.found.run)), listed);
  }

  #finished(stored: Stored | null): number {
    const outcome = {
      target: this.#target as Target,
      uploader: this.#uploader as Uploader,
      stored,
      visibleSeconds: this.#visibleSeconds,
      seconds: this.#seconds(),
    };
    return summarize(outcome, this.#report);
  }

  #interrupted(): number {
    const [target, uploader, flags] = [this.#target, this.#uploader, this.#flags];
    const { bytes, done } = uploader?.progress ?? { bytes: 0, done: 0 };
    if (target && uploader) {
      const outcome = { target, uploader, stored: null, visibleSeconds: null, seconds: this.#seconds() };
      this.#report.document({ ...uploadDocument(outcome), interrupted: true });
    } else {
      this.#report.document({ error: { code: 'interrupted', detail: 'Stopped before anything was uploaded.' } });
    }
    const rest = bytes > done ? ` with ${formatBytes(bytes - done)} left` : '';
    const again = `plotline upload --logdir ${flags.logdir}${flags.oneShot ? ' --one-shot' : ''}`;
    this.#report.say(`Stopped${rest}. Run the same command again to continue: ${again}`);
    return exitCodes.interrupted;
  }

  #seconds(): number {
    return (performance.now() - this.#started) / 1000;
  }
}

function nothingFound(logdir: string, result: ScanResult): CliError {
  const remarks = result.remarks.slice(0, maxRemarks).map((remark) => `\n  ${remark.path}: ${remark.detail}`);
  if (result.remarks.length > maxRemarks) remarks.push(`\n  … and ${result.remarks.length - maxRemarks} more`);
  return new CliError(
    exitCodes.failed,
    `No event files: looked in ${logdir}${result.folders > 1 ? ` and ${plural(result.folders - 1, 'folder')} below it` : ''} for files with "tfevents" in their name.${remarks.join('')}`,
    { code: 'no-event-files' },
  );
}
