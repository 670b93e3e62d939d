import { relative, resolve } from 'node:path';
import type { ExperimentId } from '#model';
import type { TableFormat } from '#tables';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { writeCitation } from '../export/citation-file.ts';
import type { ContentSelection } from '../export/content-selection.ts';
import type { RenamedRun } from '../export/events.ts';
import type { RawExport } from '../export/raw.ts';
import { requireNames } from '../export/require-names.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import { fileLabel } from '../local/file-label.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';
import { isUuid } from '../uuid.ts';

/** Flags of `plotline export`. */
export interface ExportFlags {
  readonly argument: string;
  readonly format: 'raw' | 'events' | 'bundle' | TableFormat;
  readonly outdir?: string;
  /** Only these runs. If absent, all runs. */
  readonly run?: readonly string[];
  /** Only these tags. If absent, all tags. */
  readonly tag?: readonly string[];
  /** Tables: include superseded points. */
  readonly superseded?: boolean;
  /** CSV: whether names that a spreadsheet would run as formulas are marked as text. */
  readonly guardFormulas?: boolean;
  /** Whether the service writes the files, and keeps them until they expire. */
  readonly job?: boolean;
  /** Bundles: whether to include the logs of runs. */
  readonly logs?: boolean;
}

/** The content and the output of an export. */
interface Wanted {
  readonly api: Api;
  readonly id: ExperimentId;
  readonly outdir: string;
  readonly content: ContentSelection;
  readonly report: Report;
}

// Formats are loaded on demand: loading all of them takes longer than a small export.

/**
 * `plotline export`: exports the event files as stored, without deleted points (`raw`), event files
 * with the effective values (`events`), the scalars as a table (`csv`, `jsonl`, `arrow`, `parquet`),
 * or a page (`bundle`), also of a report.
 */
export async function exportExperiment(flags: ExportFlags, host: Host, report: Report): Promise<number> {
  const reportId = parseReportId(flags.argument);
  if (reportId !== null) return exportReport(reportId, flags, host, report);
  const id = parseExperimentId(flags.argument);
  if (flags.outdir === '') throw usageError('--outdir is empty. Pass a folder.');
  const outdir = resolve(host.cwd, flags.outdir ?? id);
  checkFlags(flags);
  const runs = flags.run && [...new Set(flags.run)];
  const tags = flags.tag && [...new Set(flags.tag)];
  const content = { ...(runs && { runs }), ...(tags && { tags }) };
  const session = openSession(host, report);
  const wanted = { api: session.api, id, outdir, content, report };
  try {
    if (flags.format === 'raw') return await writeRaw(wanted, flags.job ?? false);
    if (flags.format === 'bundle') return await writeBundle(wanted, flags.logs ?? false);
    if (flags.job) return await writeByJob(wanted, flags.format);
    await requireNames(session.api, id, content);
    return flags.format === 'events' ? await writeEvents(wanted) : await writeTable(wanted, flags.format, flags);
  } catch (error) {
    throw explained(error, outdir);
  } finally {
    session.close();
  }
}

/** The id of a report, from its id or the URL of its page; null if it is neither. */
function parseReportId(text: string): string | null {
  const id = /^https?:\/\/[^?#]*\/reports\/([0-9a-f-]{36})(?:[/?#].*)?$/.exec(text)?.[1] ?? text;
  return isUuid(id) ? id : null;
}

async function exportReport(id: string, flags: ExportFlags, host: Host, report: Report): Promise<number> {
  if (flags.outdir === '') throw usageError('--outdir is empty. Pass a folder.');
  const { format, run, tag, logs, job, superseded, guardFormulas } = flags;
  if (format !== 'bundle') throw usageError('A report can only be exported as a page: add --format bundle.');
  if ([run, tag, logs, job, superseded, guardFormulas].some((flag) => flag !== undefined))
    throw usageError('A report is exported with all runs and tags of its experiments, without logs: omit the other options.');
  const outdir = resolve(host.cwd, flags.outdir ?? id);
  const session = openSession(host, report);
  try {
    return await writeReportBundle({ api: session.api, id, outdir, report });
  } catch (error) {
    throw explained(error, outdir);
  } finally {
    session.close();
  }
}

function checkFlags({ format, job, superseded, guardFormulas, tag, logs }: ExportFlags): void {
  if (guardFormulas && format !== 'csv') throw usageError('--guard-formulas requires --format csv.');
  if (job && guardFormulas) throw usageError('The service does not apply --guard-formulas. Omit --job.');
  if (logs && format !== 'bundle') throw usageError('--logs is for --format bundle; plotline logs prints the logs of runs.');
  if (job && format === 'bundle') throw usageError('The service does not write bundles. Omit --job.');
  if (superseded && !isTable(format))
    throw usageError(
      '--superseded is only for tables: add --format csv, jsonl, arrow or parquet. --format raw writes everything that was uploaded.',
    );
  if (job && superseded) throw usageError('The service does not write tables with superseded points. Omit --job.');
  if (tag && format === 'raw')
    throw usageError('--format raw writes whole event files, which contain all tags: use --tag with another format.');
}

function isTable(format: ExportFlags['format']): format is TableFormat {
  return format !== 'raw' && format !== 'events' && format !== 'bundle';
}

async function isSnapshot(api: Api, id: ExperimentId): Promise<boolean> {
  const { snapshot } = await api.get(`/experiments/${id}`, `Experiment ${id}`);
  return snapshot !== null && snapshot !== undefined;
}

/**
 * The hint about superseded values that event files leave out. A snapshot has no original files.
 */
async function rawHint(api: Api, id: ExperimentId): Promise<string> {
  return (await isSnapshot(api, id)) ? '' : '; --format raw includes them';
}

const errnoTexts: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  ENOTDIR: 'it is not a folder, or is below a file',
  EEXIST: 'it is not a folder',
  ENAMETOOLONG: 'a name is too long for the file system',
};

/**
 * Converts a file system error to an error that names the output folder; returns other errors
 * unchanged.
 */
function explained(error: unknown, outdir: string): unknown {
  const text = error instanceof Error && 'syscall' in error ? errnoTexts[String((error as NodeJS.ErrnoException).code)] : undefined;
  if (text === undefined) return error;
  return new CliError(exitCodes.failed, `Cannot write to ${outdir}: ${text}. Choose another --outdir.`, {
    code: 'outdir-not-writable',
    cause: error,
  });
}

async function writeTable({ api, id, outdir, content, report }: Wanted, format: TableFormat, flags: ExportFlags): Promise<number> {
  const selection = { ...content, format, outdir, superseded: flags.superseded ?? false, guard: flags.guardFormulas ?? false };
  const { exportTable } = await import('../export/table.ts');
  const { path, points, bytes, leftOut } = await exportTable(api, id, selection, (done) => report.status(`${plural(done, 'point')} …`));
  report.document({
    experiment_id: id,
    format,
    outdir,
    files: [{ path: relative(outdir, path), bytes }],
    points,
    bytes,
    superseded_left_out: leftOut,
  });
  report.result(`Wrote ${plural(points, 'point')} to ${path} (${formatBytes(bytes)}).`);
  if (leftOut > 0) report.result(`Left out ${plural(leftOut, 'superseded point')}. To include them, add --superseded.`);
  return exitCodes.done;
}

async function writeRaw({ api, id, outdir, content, report }: Wanted, job: boolean): Promise<number> {
  if (await isSnapshot(api, id))
    throw new CliError(exitCodes.failed, 'A snapshot has no original files. Use --format events.', { code: 'snapshot-without-files' });
  if (!job) await requireNames(api, id, content);
  const { exportRaw, olderVersions, renameReasons } = await import('../export/raw.ts');
  const done: RawExport & { readonly reused?: boolean } = job
    ? await (await import('../export/raw-job.ts')).exportRawByJob(api, id, content, outdir, (text) => report.status(text))
    : await exportRaw(api, id, content, outdir, (count, all) => report.status(`${count} of ${plural(all, 'file')} …`));
  const { files, bytes, unchanged, gone, lost, reused } = done;
  const renamed = files.filter((file) => file.renamed);
  const older = files.filter((file) => file.path.startsWith(olderVersions));
  report.clearStatus();
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
    ...(reused !== undefined && { reused }),
  });
  for (const { file, path, reason } of renamed) report.say(`${fileLabel(file)} is written as ${path}: ${renameReasons[reason]}.`);
  if (older.length > 0)
    report.say(`${plural(older.length, 'older version')} of replaced files ${older.length === 1 ? 'is' : 'are'} in ${olderVersions}.`);
  report.result(
    `Wrote ${plural(files.length - unchanged, 'file')} (${formatBytes(bytes)}) to ${outdir}${unchanged > 0 ? `; ${unchanged} already existed` : ''}${job ? ', with digests in manifest.json' : ''}.`,
  );
  if (reused) report.result('The service had already exported the same content.');
  for (const { file } of files)
    if (file.rewritten) report.say(`${fileLabel(file)} is written without deleted points; everything else is as received.`);
  for (const { file } of gone)
    report.say(
      `${fileLabel(file)} cannot be exported: the workspace's retention period for originals has passed, or the stored bytes could not be read when points were deleted. You can export the points of the file as a table.`,
    );
  for (const { file } of lost)
    report.say(`${fileLabel(file)} cannot be exported: the service has lost some of its bytes. The operator may be able to restore them.`);
  return gone.length + lost.length > 0 ? exitCodes.failed : exitCodes.done;
}

async function writeBundle({ api, id, outdir, content, report }: Wanted, logs: boolean): Promise<number> {
  await requireNames(api, id, content);
  const { exportBundle } = await import('../export/bundle.ts');
  const done = await exportBundle(api, id, { ...content, logs }, outdir, (text) => report.status(text));
  report.clearStatus();
  report.document({
    experiment_id: id,
    format: 'bundle',
    outdir,
    runs: done.runs,
    points: done.points,
    blobs: done.blobs,
    logs: done.logs,
    bytes: done.bytes,
    left_out: done.leftOut,
    logs_left_out: done.logsLeftOut,
  });
  report.result(
    `Wrote ${plural(done.points, 'point')} from ${plural(done.runs, 'run')} to ${outdir} (${formatBytes(done.bytes)}). Open index.html.`,
  );
  for (const { tag, plugin, reason } of done.leftOut) report.say(`${tag} (${plugin}) is left out: ${reason}.`);
  for (const { run, name, reason } of done.logsLeftOut) report.say(`${run}/${name} is listed without its text: ${reason}.`);
  return exitCodes.done;
}

async function writeReportBundle({ api, id, outdir, report }: Omit<Wanted, 'id' | 'content'> & { readonly id: string }): Promise<number> {
  const { exportReportBundle } = await import('../export/bundle.ts');
  const done = await exportReportBundle(api, id, outdir, (text) => report.status(text));
  report.clearStatus();
  report.document({
    report_id: id,
    format: 'bundle',
    outdir,
    experiments: done.experiments,
    runs: done.runs,
    points: done.points,
    blobs: done.blobs,
    bytes: done.bytes,
    left_out: done.leftOut,
    missing: done.missing,
  });
  report.result(
    `Wrote the report with ${plural(done.points, 'point')} from ${plural(done.experiments, 'experiment')} to ${outdir} (${formatBytes(done.bytes)}). Open index.html.`,
  );
  for (const { tag, plugin, reason } of done.leftOut) report.say(`${tag} (${plugin}) is left out: ${reason}.`);
  for (const one of done.missing) report.say(`Experiment ${one} no longer exists.`);
  return exitCodes.done;
}

async function writeByJob({ api, id, outdir, content, report }: Wanted, format: 'events' | TableFormat): Promise<number> {
  const { exportByJob } = await import('../export/job.ts');
  const { files, bytes, points, renamed, reused } = await exportByJob(api, id, { format, ...content }, outdir, (text) =>
    report.status(text),
  );
  const cited = format === 'events' && isWhole(content) && (await writeCitation(api, id, outdir, renamed));
  const { countSuperseded } = await import('../export/scalar-pages.ts');
  const leftOut = await countSuperseded(api, id, { ...content, scalars: isTable(format) });
  report.clearStatus();
  report.document({ experiment_id: id, format, outdir, files, points, bytes, superseded_left_out: leftOut, reused, cited });
  report.result(`Wrote ${plural(points, 'point')} to ${outdir} (${formatBytes(bytes)}), with digests in manifest.json.`);
  if (leftOut > 0 && isTable(format))
    report.result(`Left out ${plural(leftOut, 'superseded point')}. To include them, use --superseded without --job.`);
  else if (leftOut > 0) report.result(`Left out ${plural(leftOut, 'superseded value')}${await rawHint(api, id)}.`);
  if (reused) report.result('The service had already exported the same content.');
  await sayRenamed(renamed, report);
  return exitCodes.done;
}

/**
 * Whether an export is complete. The digest of a citation covers the whole experiment, so a partial
 * export gets no citation.
 */
function isWhole({ runs, tags }: ContentSelection): boolean {
  return runs === undefined && tags === undefined;
}

async function sayRenamed(renamed: readonly RenamedRun[], report: Report): Promise<void> {
  if (renamed.length === 0) return;
  const { renameReasons } = await import('../export/raw.ts');
  for (const { run, path, reason } of renamed) report.say(`The run ${run} is written to ${path}: ${renameReasons[reason]}.`);
}

async function writeEvents({ api, id, outdir, content, report }: Wanted): Promise<number> {
  const { exportEvents } = await import('../export/events.ts');
  const done = await exportEvents(api, id, content, outdir, (runs) => report.status(`${plural(runs, 'run')} …`));
  const cited = isWhole(content) && (await writeCitation(api, id, outdir, done.renamed));
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
    renamed: done.renamed.map(({ run, path }) => ({ run, path })),
    cited,
  });
  report.result(`Wrote ${plural(done.files, 'event file')} (${formatBytes(done.bytes)}) to ${outdir}.`);
  if (done.superseded > 0) report.result(`Left out ${plural(done.superseded, 'superseded value')}${await rawHint(api, id)}.`);
  if (done.missingBlobs > 0)
    report.result(`${plural(done.missingBlobs, 'blob')} could not be stored when uploaded; empty blobs are in their place.`);
  await sayRenamed(done.renamed, report);
  return exitCodes.done;
}
