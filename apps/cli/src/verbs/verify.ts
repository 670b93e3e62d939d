import { exitCodes } from '../exit.ts';
import { groupBy } from '../group-by.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { experimentFor } from '../local/experiment-id.ts';
import { fileLabel } from '../local/file-label.ts';
import { realLogdir } from '../local/logdir.ts';
import { pathFilter } from '../local/path-filter.ts';
import { scan } from '../local/scan.ts';
import { type Receipt, readReceipt, receiptDigest } from '../receipt/receipt.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';
import { verifySnapshot } from './verify-snapshot.ts';
import { Sieve } from '../upload/sieve.ts';
import { type ExperimentId, hasReason } from '#model';
import { notCounted } from '../receipt/not-counted.ts';
import { repair } from '../verify/repair.ts';
import { compareFiles, comparePoints, type Difference } from '../verify/compare.ts';

/** Flags of `plotline verify`. */
export interface VerifyFlags {
  readonly argument?: string;
  readonly experiment?: string;
  readonly logdir: string;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly followLinks?: boolean;
  readonly repair?: boolean;
  /**
   * Whether to compare the content digest of a snapshot instead; a string is the expected digest.
   */
  readonly snapshot?: string | true;
}

/**
 * `plotline verify`: checks that the service has the local data. Compares bytes by checksum, and
 * points by reading the files again. If they differ, reports every difference and exits with 1.
 * With `--repair`, the service first reapplies its data rules to all stored points.
 */
export async function verify(flags: VerifyFlags, host: Host, report: Report): Promise<number> {
  const { snapshot } = flags;
  if (snapshot !== undefined) {
    const named = flags.argument ?? flags.experiment;
    return verifySnapshot({ ...(named !== undefined && { argument: named }), snapshot, logdir: flags.logdir }, host, report);
  }
  const session = openSession(host, report);
  try {
    const { api, origin } = session;
    const id = experimentFor(host, origin, flags.argument ?? flags.experiment, flags.logdir);
    const logdir = realLogdir(host, flags.logdir);
    const filter = pathFilter(flags.include ?? [], flags.exclude ?? []);
    const look = () => scan(logdir, filter, { followLinks: flags.followLinks ?? false });
    const repaired = flags.repair ? await repair(api, id, report) : null;
    if (repaired !== null) report.say(`Repaired: the data rules were applied to ${plural(repaired, 'run')} again.`);
    const before = await look();
    const visible = await isVisible(api, id);
    const receipt = await readReceipt(api, id);
    // A copy of a log in the same run is not uploaded, so the server may lack it.
    const { files: logs } = await new Sieve({ say: () => undefined }).sift(before.files, true);
    const { differences, agreeing } = await compareFiles(logs, receipt.files, (await look()).files);
    const digest = receiptDigest(receipt.files);
    if (receipt.digest !== null && receipt.digest !== digest) {
      differences.push({
        what: 'digest',
        run: '',
        name: null,
        tag: null,
        detail: `its digest is ${receipt.digest}, but its list of files has the digest ${digest}`,
      });
    }
    const { uncounted, deleted } = visible
      ? await countRuns(receipt, agreeing, differences, report)
      : { uncounted: [...new Set(receipt.files.map((file) => file.run))], deleted: 0 };
    const unverified = receipt.files.filter((file) => file.unverified > 0);
    const rewritten = receipt.files.filter((file) => file.rewritten);
    const bytes = [...agreeing.keys()].reduce((sum, file) => sum + file.bytes, 0);
    report.clearStatus();
    report.document({
      experiment_id: id,
      verified: differences.length === 0,
      files: agreeing.size,
      bytes,
      digest,
      points_compared: uncounted.length === 0,
      runs_not_counted: uncounted,
      files_unverified: unverified.map(({ run, name, version, unverified: count }) => ({ run, name, version, records: count })),
      files_rewritten: rewritten.map(({ run, name, version }) => ({ run, name, version })),
      files_not_counted: notCounted(receipt.files).map(({ file: { run, name, version, replaced } }) => ({
        run,
        name,
        version,
        why: replaced ? 'replaced' : 'copy',
      })),
      points_deleted: deleted,
      ...(repaired !== null && { runs_repaired: repaired }),
      differences,
    });
    for (const difference of differences) report.result(`${place(difference)}: ${difference.detail}`);
    if (!visible) report.result('Points were not compared: not all acknowledged data is visible yet.');
    else if (uncounted.length > 0)
      report.result(
        `Points of ${plural(uncounted.length, 'run')} were not compared, because the service has bytes that the local files lack: ${uncounted.join(', ')}`,
      );
    for (const file of unverified)
      report.result(`${fileLabel(file)}: ${plural(file.unverified, 'record')} have wrong data checksums and were still read (unverified).`);
    for (const { file, why } of notCounted(receipt.files)) report.result(`${fileLabel(file)}: ${why}.`);
    for (const file of rewritten)
      report.result(`${fileLabel(file)}: some of its points were deleted on the service; the remaining points are kept.`);
    if (deleted > 0)
      report.result(`${plural(deleted, 'point')} of the local files ${deleted === 1 ? 'was' : 'were'} deleted on the service.`);
    if (differences.length === 0)
      report.result(
        `Verified: ${plural(agreeing.size, 'file')}, ${formatBytes(bytes)}, ${deleted > 0 || rewritten.length > 0 ? 'except for deleted points' : 'byte for byte and point for point'}. Receipt ${digest}`,
      );
    else report.result(plural(differences.length, 'difference'));
    return differences.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    session.close();
  }
}

/**
 * Adds the differences between points, by run. Returns the runs that could not be counted, and how
 * many points were deleted on the service.
 */
async function countRuns(
  receipt: Receipt,
  agreeing: Parameters<typeof comparePoints>[2],
  differences: Difference[],
  report: Report,
): Promise<{ uncounted: string[]; deleted: number }> {
  const served = groupBy(receipt.series, (series) => series.run);
  const quarantined = groupBy(
    receipt.problems.filter((problem) => hasReason(problem, 'quarantined')),
    (problem) => `${problem.run}\0${problem.file}\0${problem.version}`,
  );
  const uncounted: string[] = [];
  let deleted = 0;
  const runs = groupBy(receipt.files, (file) => file.run);
  let done = 0;
  for (const [run, own] of runs) {
    report.status(`Counting points: run ${++done} of ${runs.size}`);
    if (!own.every((file) => agreeing.has(file))) {
      uncounted.push(run);
      continue;
    }
    const skipped = (file: (typeof own)[number]) =>
      new Set(quarantined.get(`${file.run}\0${file.name}\0${file.version}`)?.map((problem) => problem.offset));
    const compared = await comparePoints(run, own, agreeing, served.get(run) ?? [], skipped);
    differences.push(...compared.differences);
    deleted += compared.deleted;
  }
  return { uncounted, deleted };
}

/** Whether all acknowledged data is visible. Waits a moment for data that was just uploaded. */
async function isVisible(api: Api, id: ExperimentId): Promise<boolean> {
  const { acknowledged_epoch: epoch } = await api.get(`/experiments/${id}/frontier`, `Experiment ${id}`);
  try {
    await api.get(`/experiments/${id}/frontier?wait_for=${String(epoch)}&timeout=30`, 'Waiting until everything is visible', {
      timeoutMs: 60_000,
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-visible-yet') return false;
    throw error;
  }
}

function place({ run, name, tag, what }: Difference): string {
  if (what === 'digest') return 'receipt';
  if (tag !== null) return `${run} › ${tag}`;
  return name === null ? run : fileLabel({ run, name });
}
