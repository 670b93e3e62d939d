import { relative, resolve } from 'node:path';
import type { TableFormat } from '#tables';
import { exitCodes, usageError } from '../exit.ts';
import { exportEvents } from '../export/events.ts';
import { exportByJob } from '../export/job.ts';
import { exportRaw, olderVersions } from '../export/raw.ts';
import { exportTable } from '../export/table.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import { fileLabel } from '../local/file-label.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';

/** Flags of `plotline export`. */
export interface ExportFlags {
  readonly argument: string;
  readonly format: 'raw' | 'events' | TableFormat;
  readonly outdir?: string;
  /** Tables: include superseded points. */
  readonly superseded?: boolean;
  /** CSV: names that a spreadsheet would run as formulas are marked as text. */
  readonly guardFormulas?: boolean;
  /** The service writes the files, and keeps them for some time. */
  readonly job?: boolean;
}

/**
 * `plotline export`: the event files as stored, without deleted points (`raw`), event files with the
 * effective values (`events`), or the scalars as a table (`csv`, `jsonl`, `arrow`, `parquet`).
 */
export async function exportExperiment(flags: ExportFlags, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  if (flags.outdir === '') throw usageError('--outdir is empty; name a folder.');
  const outdir = resolve(host.cwd, flags.outdir ?? id);
  if (flags.guardFormulas && flags.format !== 'csv') throw usageError('--guard-formulas requires --format csv.');
  if (flags.job) checkJob(flags);
  const session = openSession(host, report);
  try {
    if (flags.job) return await writeByJob(session.api, id, outdir, flags.format, report);
    if (flags.format === 'events') return await writeEvents(session.api, id, outdir, flags, report);
    if (flags.format !== 'raw') {
      const wish = { format: flags.format, outdir, superseded: flags.superseded ?? false, guard: flags.guardFormulas ?? false };
      const { path, points, bytes, leftOut } = await exportTable(session.api, id, wish, (done) =>
        report.status(`${plural(done, 'point')} …`),
      );
      report.document({
        experiment_id: id,
        format: flags.format,
        outdir,
        files: [{ path: relative(outdir, path), bytes }],
        points,
        bytes,
        superseded_left_out: leftOut,
      });
      report.result(`Wrote ${plural(points, 'point')} to ${path} (${formatBytes(bytes)}).`);
      if (leftOut > 0) report.result(`Left out ${plural(leftOut, 'superseded point')}; --superseded writes them as well.`);
      return exitCodes.done;
    }
    const { files, bytes, unchanged, gone, lost } = await exportRaw(session.api, id, outdir, (done, all) =>
      report.status(`${done} of ${plural(all, 'file')} …`),
    );
    const renamed = files.filter((file) => file.renamed);
    const older = files.filter((file) => file.path.startsWith(olderVersions));
    report.document({
      experiment_id: id,
      format: 'raw',
      outdir,
      bytes,
      unchanged,
      files: files.map(({ file, path, renamed: spelt }) => ({
        run: file.run,
        name: file.name,
        version: file.version,
        bytes: file.bytes,
        path,
        renamed: spelt,
        rewritten: file.rewritten,
      })),
      ...(gone.length > 0 && { gone: gone.map(({ file: { run, name, version } }) => ({ run, name, version })) }),
      ...(lost.length > 0 && { lost: lost.map(({ file: { run, name, version } }) => ({ run, name, version })) }),
    });
    for (const { file, path } of renamed) report.say(`${fileLabel(file)} is written as ${path}: its name is not safe as a file name.`);
    if (older.length > 0)
      report.say(`${plural(older.length, 'older version')} of replaced files ${older.length === 1 ? 'is' : 'are'} below ${olderVersions}.`);
    report.result(
      `Wrote ${plural(files.length - unchanged, 'file')} (${formatBytes(bytes)}) to ${outdir}${unchanged > 0 ? `; ${unchanged} already existed` : ''}.`,
    );
    for (const { file } of files)
      if (file.rewritten) report.say(`${fileLabel(file)} is written without deleted points; everything else is as received.`);
    for (const { file } of gone)
      report.say(
        `${fileLabel(file)} cannot be exported: the workspace keeps originals for a limited time, or a deletion of points could not read its stored bytes. You can export its points as a table.`,
      );
    for (const { file } of lost)
      report.say(`${fileLabel(file)} cannot be exported: the service has lost bytes of it, and its operator may be able to restore them.`);
    return gone.length + lost.length > 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    session.close();
  }
}

function checkJob({ format, superseded, guardFormulas }: ExportFlags): void {
  if (format === 'raw' || format === 'events') throw usageError('--job is for tables: csv, jsonl, arrow or parquet.');
  if (superseded || guardFormulas) throw usageError('--job writes effective points with their names as they are.');
}

async function writeByJob(api: Api, id: string, outdir: string, format: string, report: Report): Promise<number> {
  const { files, bytes, points, reused } = await exportByJob(api, id, format, outdir, (text) => report.status(text));
  report.clearStatus();
  report.document({ experiment_id: id, format, outdir, files, points, bytes, reused });
  report.result(`Wrote ${plural(points, 'point')} to ${outdir} (${formatBytes(bytes)}), with digests in manifest.json.`);
  if (reused) report.result('The service had exported the same content before.');
  return exitCodes.done;
}

async function writeEvents(api: Api, id: string, outdir: string, flags: ExportFlags, report: Report): Promise<number> {
  if (flags.superseded) throw usageError('--superseded is for tables; --format raw writes everything that was uploaded.');
  const done = await exportEvents(api, id, outdir, (runs) => report.status(`${plural(runs, 'run')} …`));
  report.clearStatus();
  report.document({
    experiment_id: id,
    format: 'events',
    outdir,
    files: done.files,
    bytes: done.bytes,
    points: done.points,
    tensors: done.tensors,
    blob_sequences: done.blobSequences,
    superseded_left_out: done.superseded,
    blobs_missing: done.missingBlobs,
    renamed: done.renamed,
  });
  report.result(`Wrote ${plural(done.files, 'event file')} (${formatBytes(done.bytes)}) to ${outdir}.`);
  if (done.superseded > 0) report.result(`Left out ${plural(done.superseded, 'superseded value')}; --format raw has them.`);
  if (done.missingBlobs > 0)
    report.result(`${plural(done.missingBlobs, 'blob')} could not be stored when uploaded; empty ones are in their place.`);
  for (const { run, path } of done.renamed) report.say(`The run ${run} is written to ${path}: its name is not safe as a path.`);
  return exitCodes.done;
}
