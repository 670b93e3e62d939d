import { type FileProblemReason, hasReason } from '#model';
import { type ExitCode, exitCodes } from '../exit.ts';
import { ApiError } from '../http/api-error.ts';
import { counted, formatBytes, plural, type Report } from '../report.ts';
import type { Target } from './experiment.ts';
import type { Stored } from './stored.ts';
import type { Uploader } from './uploader.ts';

/**
 * The result of an upload. `stored` is null if the upload did not wait until the points were
 * visible.
 */
export interface UploadOutcome {
  readonly target: Target;
  readonly uploader: Uploader;
  readonly stored: Stored | null;
  /** Time from the last acknowledgement until everything was visible. */
  readonly visibleSeconds: number | null;
  readonly seconds: number;
}

/**
 * Reports the result of an upload, as the document that api.md defines, and for display. A rejected
 * file, a quarantined record or bytes that the service has lost make the upload a failure.
 */
export function summarize(outcome: UploadOutcome, report: Report): ExitCode {
  const { target, uploader, stored, visibleSeconds, seconds } = outcome;
  const folders = countRuns(uploader);
  const { bytes } = uploader.progress;
  report.document(uploadDocument(outcome));
  for (const { file, offset, reason } of stored?.damaged ?? [])
    report.say(reason === 'unverified-records' ? unverifiedText(file) : `${file}: ${reason} at byte ${offset}`);
  const what = `${plural(uploader.files.size, 'file')} in ${plural(folders, 'folder')}`;
  report.result(`Uploaded ${formatBytes(uploader.uploadedBytes)} of ${formatBytes(bytes)} (${what}) in ${seconds.toFixed(1)} s.`);
  if (stored) {
    const counts = `${counted([stored.points, 'point'], [stored.tensors, 'tensor'], [stored.blobs, 'blob']).join(', ')} in ${plural(stored.runs, 'run')}`;
    report.result(
      `${counts} are visible${visibleSeconds === null ? '' : `, ${visibleSeconds.toFixed(2)} s after the last byte was acknowledged`}.`,
    );
  }
  if (stored && stored.superseded > 0)
    report.result(
      `${stored.superseded} of them are superseded: the same steps were logged again, by a restart, later in the same file, or in a newer version of the file. Charts show what was logged last; superseded points are kept (plotline export ${target.id} --format csv --superseded).`,
    );
  // Folders with rejected files were already reported.
  if (stored && stored.runs < folders && uploader.failed.size === 0)
    report.result(`${plural(folders - stored.runs, 'folder')} of ${folders} had no readable data and are not shown as runs.`);
  report.result(`View your experiment at: ${target.url}`);
  const withReason = (...reasons: FileProblemReason[]) => stored?.damaged.filter((problem) => hasReason(problem, ...reasons)).length ?? 0;
  const quarantined = withReason('quarantined');
  if (quarantined > 0)
    report.say(`Quarantined ${plural(quarantined, 'record')} that could not be stored. See plotline status ${target.id}`);
  const lost = withReason('stored-bytes-lost', 'reading-fails');
  if (lost > 0) report.say(`The service lost stored bytes of ${plural(lost, 'file')}. See plotline status ${target.id}`);
  return quarantined > 0 || lost > 0 || uploader.failed.size > 0 ? exitCodes.failed : exitCodes.done;
}

/**
 * The document of an upload (api.md, CLI). `failed` and `interrupted` are present only if needed.
 */
export function uploadDocument({ target, uploader, stored, visibleSeconds, seconds }: UploadOutcome): object {
  const failed = [...uploader.failed].map(([file, error]) => ({ file, reason: error instanceof ApiError ? error.code : error.message }));
  return {
    experiment_id: target.id,
    url: target.url,
    runs: countRuns(uploader),
    files: uploader.files.size,
    bytes: uploader.progress.bytes,
    uploaded_bytes: uploader.uploadedBytes,
    points: stored?.points ?? null,
    superseded: stored?.superseded ?? null,
    tensors: stored?.tensors ?? null,
    blobs: stored?.blobs ?? null,
    damaged: stored?.damaged ?? [],
    ...(failed.length > 0 && { failed }),
    ...(visibleSeconds !== null && { visible_seconds: Math.round(visibleSeconds * 1000) / 1000 }),
    seconds: Math.round(seconds * 1000) / 1000,
  };
}

function countRuns(uploader: Uploader): number {
  return new Set([...uploader.files.values()].map((file) => file.found.run)).size;
}

/** The message about a file with a writer that computes wrong data checksums (data rule 8). */
export function unverifiedText(file: string): string {
  return `${file}: its data checksums are wrong. Its records are whole events, and are read as unverified.`;
}
