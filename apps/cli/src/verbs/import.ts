import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { limits, type RunName } from '#model';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { EventFolder, type ImportSummary } from '../import/event-folder.ts';
import { importMlflowFiles } from '../import/mlflow-files.ts';
import { importMlflowSqlite } from '../import/mlflow-sqlite.ts';
import { importNeptune } from '../import/neptune.ts';
import { skippedLine } from '../import/skipped-line.ts';
import { tablesOf, withSqlite } from '../import/sqlite.ts';
import { type NamedColumns, columnsOf, tableReaders } from '../import/tables.ts';
import { TablePoints } from '../import/table-points.ts';
import { importTrackio } from '../import/trackio.ts';
import { importWandb } from '../import/wandb.ts';
import { stateFolder } from '../local/folders.ts';
import { makeFolders } from '../local/write-file.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { upload } from './upload.ts';

/** Formats that `plotline import` reads. */
export const importFormats = ['csv', 'jsonl', 'arrow', 'parquet', 'neptune', 'wandb', 'mlflow', 'trackio'] as const;

/** One of {@link importFormats}. */
export type ImportFormat = (typeof importFormats)[number];

/** Flags of `plotline import`. */
export interface ImportFlags {
  /** The file or folder to read. */
  readonly argument: string;
  readonly from?: ImportFormat;
  readonly outdir?: string;
  /** If false, only writes the event files. */
  readonly upload: boolean;
  readonly name?: string;
  readonly experiment?: string;
  readonly new?: boolean;
  readonly run?: RunName;
  readonly runColumn?: string;
  readonly tagColumn?: string;
  readonly stepColumn?: string;
  readonly timeColumn?: string;
  readonly valueColumn?: string;
  readonly writerColumn?: string;
  readonly timeUnit: 's' | 'ms' | 'us' | 'ns';
  readonly allowRestarts?: boolean;
}

const unitsPerSecond = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 } as const;

/**
 * `plotline import`: converts the logs of other tools to event files, and uploads these like any
 * log directory. The same source gives the same files, so a second import adds only new data. Lists
 * what event files cannot represent.
 */
export async function importLogs(flags: ImportFlags, host: Host, report: Report): Promise<number> {
  if (!flags.upload && flags.outdir === undefined) throw usageError('--no-upload needs --outdir for the event files.');
  if (!flags.upload && (flags.name ?? flags.experiment) !== undefined)
    throw usageError('--name and --experiment apply only to the upload: omit --no-upload.');
  if (flags.name !== undefined && characters(flags.name).length > limits.maxExperimentNameCharacters)
    throw usageError(`--name is longer than ${limits.maxExperimentNameCharacters} characters. Choose a shorter name.`);
  const path = resolve(host.cwd, flags.argument);
  if (!existsSync(path)) throw new CliError(exitCodes.notFound, `${path} does not exist.`, { code: 'nothing-to-import' });
  const from = flags.from ?? (await formatOf(path));
  const target = flags.outdir === undefined ? join(stateFolder(host), 'imports', nameFor(path, from)) : resolve(host.cwd, flags.outdir);
  const summary = await writeFolder(path, from, target, flags);
  report.clearStatus();
  tell(summary, report);
  if (summary.files === 0)
    throw new CliError(exitCodes.failed, `${path} contains nothing that can be imported.`, { code: 'nothing-to-import' });
  const document = { source: path, format: from, outdir: target, ...documentOf(summary) };
  report.say(
    `Wrote ${plural(summary.files, 'event file')} (${formatBytes(summary.bytes)}) with ${plural(summary.points, 'point')} to ${target}.`,
  );
  if (!flags.upload) {
    report.document(document);
    return exitCodes.done;
  }
  const uploadFlags = {
    logdir: target,
    name: flags.name ?? characters(basename(path)).slice(0, limits.maxExperimentNameCharacters).join(''),
    ...(flags.experiment !== undefined && { experiment: flags.experiment }),
    ...(flags.new && { new: true }),
    oneShot: true,
    connections: 4,
    wait: true,
    compress: 'auto',
  } as const;
  return upload(uploadFlags, host, report.with({ import: document }));
}

/**
 * Writes the event files to a temporary folder beside the target, and moves them when they are
 * complete.
 */
async function writeFolder(path: string, from: ImportFormat, target: string, flags: ImportFlags): Promise<ImportSummary> {
  makeFolders(dirname(target));
  if (flags.outdir !== undefined && existsSync(target))
    throw new CliError(exitCodes.failed, `${target} already exists and was not overwritten. Choose another --outdir.`, {
      code: 'would-overwrite',
    });
  const work = await mkdtemp(join(dirname(target), '.plotline-import-'));
  const isTable = from in tableReaders;
  const folder = new EventFolder(work, { rejectsRestarts: isTable && !flags.allowRestarts });
  try {
    await read(path, from, flags, folder).catch((error: unknown) => {
      if (error instanceof CliError || !(error instanceof Error)) throw error;
      throw new CliError(exitCodes.failed, `${path} cannot be read as ${from}: ${error.message.replace(/[.]?$/, '.')}`, {
        code: 'unreadable',
        cause: error,
      });
    });
    const summary = await folder.finish();
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
    return summary;
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}

async function read(path: string, from: ImportFormat, flags: ImportFlags, folder: EventFolder): Promise<void> {
  switch (from) {
    case 'wandb':
      return importWandb(path, folder);
    case 'neptune':
      return importNeptune(path, folder);
    case 'trackio':
      return importTrackio(path, folder);
    case 'mlflow':
      return importMlflow(path, folder);
    default: {
      const runName = flags.run ?? basename(path, extname(path));
      const options = { runName, unitsPerSecond: unitsPerSecond[flags.timeUnit], sorts: !flags.allowRestarts };
      return tableReaders[from](path, (names) => new TablePoints(folder, { ...options, columns: columnsOf(names, namedBy(flags)) }));
    }
  }
}

async function importMlflow(path: string, folder: EventFolder): Promise<void> {
  if ((await stat(path)).isDirectory()) {
    if ((await importMlflowFiles(path, folder)) === 0)
      throw new CliError(exitCodes.failed, `${path} has no runs. Pass the mlruns folder or the database.`, { code: 'nothing-to-import' });
    return;
  }
  await withSqlite(path, async (database) => {
    if (!tablesOf(database).has('runs')) throw new CliError(exitCodes.failed, `${path} is not an MLflow database: it has no table "runs".`);
    await importMlflowSqlite(database, folder);
  });
}

function namedBy(flags: ImportFlags): NamedColumns {
  const { runColumn, tagColumn, stepColumn, timeColumn, valueColumn, writerColumn } = flags;
  return {
    run: runColumn ?? null,
    tag: tagColumn ?? null,
    step: stepColumn ?? null,
    time: timeColumn ?? null,
    value: valueColumn ?? null,
    writer: writerColumn ?? null,
    superseded: null,
  };
}

/** Determines the format from a file name; throws if it cannot. */
async function formatOf(path: string): Promise<ImportFormat> {
  const byExtension: Readonly<Record<string, ImportFormat>> = { '.csv': 'csv', '.jsonl': 'jsonl', '.arrow': 'arrow', '.parquet': 'parquet', '.wandb': 'wandb' }; // prettier-ignore
  const found = byExtension[extname(path).toLowerCase()];
  if (found && !(await stat(path)).isDirectory()) return found;
  if (basename(path) === 'mlruns' || basename(path) === 'mlflow.db') return 'mlflow';
  if (basename(path) === 'wandb') return 'wandb';
  throw usageError(`Specify the format of ${path}: --from ${importFormats.join('|')}.`);
}

/** Deterministic for a source, so that a second import continues the first. */
function nameFor(path: string, from: ImportFormat): string {
  return `${from}-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
}

function documentOf(summary: ImportSummary): object {
  const { runs, files, bytes, points, texts, configs, restarts, repeats, renamed, skipped } = summary;
  return { runs, files, bytes, points, texts, configs, restarts, repeats, renamed, skipped };
}

function characters(text: string): string[] {
  return Array.from(text);
}

function tell({ restarts, repeats, renamed, skipped }: ImportSummary, report: Report): void {
  for (const one of skipped) report.say(skippedLine(one));
  if (restarts === 1) report.say('1 point follows a higher step of its series: it counts as a restart.');
  if (restarts > 1) report.say(`${restarts} points follow a higher step of their series: they count as restarts.`);
  if (repeats > 0)
    report.say(
      `${repeats === 1 ? '1 point repeats' : `${repeats} points repeat`} a step. The last point of a step counts; exports include the earlier points with --superseded.`,
    );
  for (const { run, folder } of renamed) report.say(`The run ${run} is written as ${folder}, because its name is not a safe path.`);
}
