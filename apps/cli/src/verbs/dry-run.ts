import { exitCodes } from '../exit.ts';
import type { ScanResult } from '../local/scan.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { planUpload } from '../upload/plan.ts';
import { unverifiedText } from '../upload/summary.ts';

/** Maximum rows of the displayed table; the JSON document has all rows. */
const maxRows = 50;

/**
 * `plotline upload --dry-run`: shows what would be uploaded. Contacts no server. Exit 5 if
 * something is over a limit.
 */
export async function dryRun(logdir: string, found: ScanResult, report: Report): Promise<number> {
  const plan = await planUpload(found);
  report.document({
    logdir,
    runs: plan.runs.map((run) => ({ run: run.run, files: run.files, bytes: run.bytes, estimated_points: run.estimatedPoints })),
    files: plan.files,
    bytes: plan.bytes,
    estimated_points: plan.estimatedPoints,
    sampled: plan.sampled,
    over_limit: plan.overLimit,
    unverified: plan.unverified,
    skipped: found.remarks.map(({ path, reason }) => ({ path, reason })),
  });
  report.table(
    ['RUN', 'FILES', 'BYTES', plan.sampled ? 'POINTS (ABOUT)' : 'POINTS'],
    plan.runs.slice(0, maxRows).map((run) => [run.run, run.files, run.bytes, run.estimatedPoints]),
  );
  if (plan.runs.length > maxRows) report.result(`… and ${plural(plan.runs.length - maxRows, 'more run')}`);
  report.result(
    `Would upload ${plural(plan.files, 'file')} from ${plural(plan.runs.length, 'run')}: ${formatBytes(plan.bytes)}, ${plan.sampled ? 'about ' : ''}${plural(plan.estimatedPoints, 'point')}.`,
  );
  for (const remark of found.remarks) report.say(`${remark.path}: ${remark.detail}`);
  for (const file of plan.unverified) report.say(unverifiedText(file));
  for (const over of plan.overLimit) report.say(`Over a limit: ${over.file}: ${over.detail}`);
  return plan.overLimit.length > 0 ? exitCodes.overLimit : exitCodes.done;
}
