import { exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { type Json, shown } from '../http/json.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import { formatBytes, type Report } from '../report.ts';
import { experimentUrl, openSession } from '../session.ts';

/** Maximum rows of the displayed table; the JSON documents have all rows. */
const maxRows = 100;

/** `plotline list`. */
export async function list(flags: { filter?: string; orderBy?: string }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const query = new URLSearchParams();
    if (flags.filter !== undefined) query.set('filter', flags.filter);
    if (flags.orderBy !== undefined) query.set('order_by', flags.orderBy);
    const experiments: Json[] = [];
    for await (const experiment of session.api.pages(
      `/experiments${query.size > 0 ? `?${query.toString()}` : ''}`,
      'experiments',
      'Listing experiments',
    ))
      experiments.push(experiment);
    report.document({ experiments });
    if (experiments.length === 0) report.result('No experiments yet. Upload one: plotline upload --logdir DIR');
    else
      report.table(
        ['ID', 'NAME', 'CREATED', 'RUNS', 'POINTS', 'BYTES'],
        experiments.map((e) => [
          shown(e['id']),
          shown(e['name']),
          shown(e['created']),
          count(e['runs']),
          count(e['points']),
          count(e['bytes']),
        ]),
      );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

/** Columns that the runs table shows only if a run has a value. */
const factColumns: readonly (readonly [string, (run: Json) => string | null])[] = [
  ['NAME', (run) => textOf(run['display_name'])],
  ['GROUP', (run) => textOf(run['group'])],
  ['JOB', (run) => textOf(run['job_type'])],
  ['LABELS', (run) => textOf((run['labels'] as string[] | undefined)?.join(', '))],
  ['CONFIG', (run) => configText(run['config'] ?? run['hparams'])],
  ['COMMIT', (run) => commitText(run['source'] as Json | null)],
  ['PERSON', (run) => textOf(run['person'])],
  ['HOST', (run) => textOf(run['host'])],
];

/** `plotline show`: shows one experiment with its runs and series. */
export async function show(flags: { argument: string; filter?: string; orderBy?: string }, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const session = openSession(host, report);
  try {
    const { api } = session;
    const experiment = await api.get(`/experiments/${id}`, `Experiment ${id}`);
    const runs: Json[] = [];
    const query = new URLSearchParams();
    if (flags.filter !== undefined) query.set('filter', flags.filter);
    if (flags.orderBy !== undefined) query.set('order_by', flags.orderBy);
    for await (const run of api.pages(`/experiments/${id}/runs${query.size > 0 ? `?${query.toString()}` : ''}`, 'runs', 'Listing runs'))
      runs.push(run);
    const series: Json[] = [];
    for await (const one of api.pages(`/experiments/${id}/series`, 'series', 'Listing series')) series.push(one);
    report.document({ experiment, runs, series });
    for (const [field, value] of Object.entries(experiment)) {
      if (value !== null && value !== '' && typeof value !== 'object')
        report.result(
          `${`${field.replaceAll('_', ' ')}:`.padEnd(18)}${shown(value)}${field === 'bytes' ? ` (${formatBytes(Number(value))})` : ''}`,
        );
    }
    report.result('');
    const columns = factColumns.filter(([, read]) => runs.some((r) => read(r) !== null));
    report.table(
      ['RUN', 'STATE', 'STARTED', 'LAST', ...columns.map(([title]) => title)],
      runs
        .slice(0, maxRows)
        .map((r) => [
          shown(r['run'] ?? r['name']),
          shown(r['state'] ?? r['status']),
          time(r['start_time']),
          time(r['last_time']),
          ...columns.map(([, read]) => read(r)),
        ]),
    );
    more(report, runs.length, 'run');
    report.result('');
    const hasWriters = series.some((s) => Number(s['writer'] ?? 0) > 0);
    const rows = series
      .slice(0, maxRows)
      .map((s) => [
        shown(s['run']),
        shown(s['tag']),
        ...(hasWriters ? [shown(s['writer'] ?? 0)] : []),
        shown(s['data_class']),
        count(s['points']),
        count(s['superseded_points']),
        shown(s['last_step']),
        shown(s['last']),
      ]);
    report.table(['RUN', 'TAG', ...(hasWriters ? ['WRITER'] : []), 'CLASS', 'POINTS', 'SUPERSEDED', 'LAST STEP', 'LAST'], rows);
    more(report, series.length, 'series');
    return exitCodes.done;
  } finally {
    session.close();
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? shown(value) : null;
}

/** The first keys of a configuration; the document has all of them. */
function configText(config: unknown): string | null {
  const entries = Object.entries((config ?? {}) as Json);
  if (entries.length === 0) return null;
  const first = entries.slice(0, 3).map(([key, value]) => `${key}=${shown(value)}`);
  return shown(first.join(' ').slice(0, 60)) + (entries.length > 3 ? ' …' : '');
}

function commitText(source: Json | null): string | null {
  const commit = source?.['git_commit'];
  return typeof commit === 'string' ? `${shown(commit.slice(0, 10))}${source?.['git_dirty'] === true ? '+' : ''}` : null;
}

/** `plotline update`. */
export async function update(
  flags: { argument: string; name?: string; description?: string },
  host: Host,
  report: Report,
): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const changes = {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.description !== undefined && { description: flags.description }),
  };
  if (Object.keys(changes).length === 0) throw usageError('Nothing to change: add --name or --description.');
  const session = openSession(host, report);
  try {
    const experiment = await session.api.send('PATCH', `/experiments/${id}`, `Experiment ${id}`, changes);
    report.document(experiment);
    report.result(`Updated ${id}.`);
    return exitCodes.done;
  } finally {
    session.close();
  }
}

/** `plotline open`: opens the page in a browser if there is one, and prints its URL. */
export async function open(flags: { argument: string }, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const session = openSession(host, report);
  try {
    const experiment = await session.api.get(`/experiments/${id}`, `Experiment ${id}`);
    const url = typeof experiment['url'] === 'string' ? experiment['url'] : experimentUrl(session.origin, id);
    report.document({ id, url });
    report.result(url);
    if (!report.json) await openBrowser(url, host);
    return exitCodes.done;
  } finally {
    session.close();
  }
}

async function openBrowser(url: string, host: Host): Promise<void> {
  // The URL comes from the server and is passed to a program: only http URLs are allowed.
  if (!/^https?:\/\/[\w.:[\]-]+\/e\/[A-Za-z0-9]{22}$/.test(url)) return;
  const hasDisplay =
    process.platform === 'darwin' || process.platform === 'win32' || Boolean(host.env['DISPLAY'] || host.env['WAYLAND_DISPLAY']);
  if (!hasDisplay) return;
  const { spawn } = await import('node:child_process');
  const [command, args] =
    process.platform === 'darwin' ? ['open', [url]] : process.platform === 'win32' ? ['explorer', [url]] : ['xdg-open', [url]];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // If there is no program to open it, the printed URL is enough.
  child.on('error', () => undefined);
  child.unref();
}

function more(report: Report, total: number, noun: string): void {
  if (total > maxRows) report.result(`… and ${total - maxRows} more ${noun === 'run' ? 'runs' : 'series'} (--json has them all)`);
}

/** Counts are numbers, or strings beyond 2^53; right-aligned either way. */
function count(value: unknown): number | bigint | null {
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  return typeof value === 'number' ? value : null;
}

/** Formats a time of a run, in seconds since 1970. */
function time(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || Math.abs(value) > 8.64e12) return null;
  return new Date(value * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
