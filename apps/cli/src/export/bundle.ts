import { readdir } from 'node:fs/promises';
import { type ExperimentId, isExperimentId, type RunName, type TagName } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { asArray, asObject, intField, type Json, stringField } from '../http/json.ts';
import { makeFolders } from '../local/write-file.ts';
import { writeBundleLogs } from './bundle-logs.ts';
import { BundleWriter } from './bundle-writer.ts';
import type { ContentSelection } from './content-selection.ts';
import { exactNumber } from './exact-number.ts';
import { scalarPages } from './scalar-pages.ts';

/** The result of a bundle export. */
export interface BundleExport {
  readonly runs: number;
  readonly points: number;
  readonly blobs: number;
  readonly bytes: number;
  /** Number of logs of runs, with their text. */
  readonly logs: number;
  /** Tags that a bundle does not show, and why. */
  readonly leftOut: readonly { readonly tag: TagName; readonly plugin: string; readonly reason: string }[];
  /** Logs without their text in the bundle, and why. */
  readonly logsLeftOut: readonly { readonly run: RunName; readonly name: string; readonly reason: string }[];
}

/** The content of a bundle. `logs`: include the output of the runs. */
interface BundleSelection extends ContentSelection {
  readonly logs: boolean;
}

/** Maximum scalar points in a bundle: a browser loads all points of a tag at once. */
const maxPoints = 5_000_000;

/**
 * The number of points per run that the page requests, by plugin. The page shows only these
 * plugins.
 */
const shownValues: Readonly<Record<string, { readonly kind: 'tensors' | 'blob-sequences'; readonly points: number }>> = {
  histograms: { kind: 'tensors', points: 50 },
  text: { kind: 'tensors', points: 50 },
  pr_curves: { kind: 'tensors', points: 100 },
  images: { kind: 'blob-sequences', points: 500 },
  audio: { kind: 'blob-sequences', points: 500 },
};

/**
 * Plugins with blobs that hold a graph or its costs: the page requests these blobs without a
 * plugin.
 */
const graphPlugins: readonly string[] = [
  'graphs',
  'graph_keras_model',
  'graph_run_metadata',
  'graph_run_metadata_graph',
  'graph_tagged_run_metadata',
];
const graphsPerRun = 20;
/** Maximum size of a graph: the page does not draw larger graphs. */
const maxGraphBytes = 64 * 1024 * 1024;

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
};

/**
 * Writes an experiment's page and data as a folder. Any static server can serve it, and browsers
 * can open it without a server. The page shows what an anonymous link shows: no people, hosts,
 * commands or notes. On request, it also shows the logs of runs, which may name people and hosts.
 */
export async function exportBundle(
  api: Api,
  experimentId: ExperimentId,
  selection: BundleSelection,
  outdir: string,
  progress: (text: string) => void,
): Promise<BundleExport> {
  await requireEmpty(outdir);
  const writer = new BundleWriter(outdir);
  const { index, name, url: _, ...written } = await writeExperiment(api, experimentId, selection, { writer, maxPoints, progress });
  await writer.index({ version: 1, ...index });
  await writer.page(name);
  return { ...written, bytes: writer.bytes };
}

/** The result of exporting a report as a bundle. */
export interface ReportBundleExport extends BundleExport {
  readonly experiments: number;
  /** Experiments of the report that no longer exist. */
  readonly missing: readonly string[];
}

/**
 * Writes a report with the data of its experiments, like the bundle of an experiment: without
 * people, and without logs.
 */
export async function exportReportBundle(
  api: Api,
  reportId: string,
  outdir: string,
  progress: (text: string) => void,
): Promise<ReportBundleExport> {
  await requireEmpty(outdir);
  const writer = new BundleWriter(outdir);
  const report = await api.get(`/reports/${reportId}`, 'Reading the report');
  const ids = asArray(report['experiments'], 'experiments').map(String).filter(isExperimentId);
  const experiments: object[] = [];
  const missing: string[] = [];
  const bases = new Set([api.http.origin]);
  const total = { runs: 0, points: 0, blobs: 0, leftOut: [] as BundleExport['leftOut'][number][] };
  for (const [i, id] of ids.entries()) {
    const ofReport = (text: string): void => progress(`experiment ${i + 1} of ${ids.length}, ${text}`);
    try {
      const { index, url, runs, points, blobs, leftOut } = await writeExperiment(
        api,
        id,
        { logs: false },
        { writer, maxPoints: maxPoints - total.points, progress: ofReport },
      );
      experiments.push(index);
      bases.add(url.replace(/\/e\/[^/]*$/, ''));
      total.runs += runs;
      total.points += points;
      total.blobs += blobs;
      total.leftOut.push(...leftOut);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'experiment-not-found')) throw error;
      missing.push(id);
    }
  }
  const body = withoutService(stringField(report, 'body'), bases);
  const page = { base: '#', server: '', reader: null };
  await writer.index({ version: 1, page, report: { ...report, body, owner: null, updated_by: null }, experiments });
  await writer.page(stringField(report, 'title'));
  return { ...total, experiments: experiments.length, missing, bytes: writer.bytes, logs: 0, logsLeftOut: [] };
}

/**
 * Removes the service's address from the addresses of experiments in a report: the bundle has them
 * at `/e/`. `bases`: addresses of the service, including the prefix of its paths.
 */
function withoutService(body: string, bases: ReadonlySet<string>): string {
  return [...bases].reduce((text, base) => {
    const { origin, pathname } = new URL(base);
    const prefix = pathname.replace(/\/$/, '');
    const lines = text.replaceAll(`${origin}${prefix}/e/`, '/e/').split('\n');
    return lines.map((line) => withoutPrefix(line, prefix)).join('\n');
  }, body);
}

/**
 * Removes the prefix from the first address of a block, which is at the start of a line, also in
 * quotes and lists.
 */
function withoutPrefix(line: string, prefix: string): string {
  const at = line.search(/[^ \t>]/);
  return at >= 0 && line.startsWith(`${prefix}/e/`, at) ? line.slice(0, at) + line.slice(at + prefix.length) : line;
}

/** Where and how to write an experiment of a bundle. */
interface ExperimentWriting {
  readonly writer: BundleWriter;
  readonly maxPoints: number;
  readonly progress: (text: string) => void;
}

/** Writes the data of an experiment. Returns its index, and the result of its export. */
async function writeExperiment(
  api: Api,
  experimentId: ExperimentId,
  { logs: withLogs, ...content }: BundleSelection,
  { writer, maxPoints: max, progress }: ExperimentWriting,
): Promise<Omit<BundleExport, 'bytes'> & { readonly index: object; readonly name: string; readonly url: string }> {
  const path = `/experiments/${experimentId}`;
  const experiment = await api.get(path, 'Reading the experiment');
  const runs = await listOf(api, `${path}/runs`, 'runs', content.runs, 'run');
  const tags = await listOf(api, `${path}/tags`, 'tags', content.tags, 'tag');
  const listed = await listOf(api, `${path}/series`, 'series', content.runs, 'run');
  const names = new Set(tags.map((tag) => stringField(tag, 'tag')));
  const series = listed.filter((one) => names.has(stringField(one, 'tag')));
  const scalars = series.filter((one) => one['data_class'] === 'scalar');
  const points = scalars.reduce((sum, one) => sum + intField(one, 'points'), 0);
  if (points > max)
    throw new CliError(
      exitCodes.overLimit,
      max === maxPoints
        ? `The selection has ${points} scalar points; a bundle holds at most ${maxPoints}. Select fewer with --run and --tag.`
        : `The experiments in the report have too many scalar points; a bundle holds at most ${maxPoints}.`,
      { code: 'too-large' },
    );
  const parts: Record<string, string> = {};
  const blobs = new Map<string, string>();
  const leftOut: { tag: TagName; plugin: string; reason: string }[] = [];
  const shown: Json[] = [];
  for (const [i, tag] of tags.entries()) {
    const [name, plugin] = [stringField(tag, 'tag'), stringField(tag, 'plugin')];
    progress(`${i} of ${tags.length} tags …`);
    if (tag['data_class'] === 'scalar') {
      const ofTag = scalars.filter((one) => stringField(one, 'tag') === name);
      parts[JSON.stringify(['scalars', '', name])] = await writer.part('scalars', await scalarsOf(api, experimentId, ofTag, name, content));
      shown.push(tag);
      continue;
    }
    if (graphPlugins.includes(plugin)) {
      const body = { tags: [name], points: graphsPerRun, ...(content.runs && { runs: content.runs }) };
      const response = await api.send('POST', `${path}/blob-sequences/query`, 'Reading graphs', body);
      parts[JSON.stringify(['blob-sequences', '', name])] ??= await writer.part('graphs', { series: response['series'] });
      if (!(await writeGraphs(api, response, writer, parts))) leftOut.push({ tag: name, plugin, reason: 'some are too large to draw' });
      shown.push(tag);
      continue;
    }
    const values = shownValues[plugin];
    if (!values) {
      if (plugin !== 'hparams') leftOut.push({ tag: name, plugin, reason: 'not shown in bundles' });
      continue;
    }
    try {
      const body = { tags: [name], plugin, points: values.points, ...(content.runs && { runs: content.runs }) };
      const response = await api.send('POST', `${path}/${values.kind}/query`, 'Reading values', body);
      parts[JSON.stringify([values.kind, plugin, name])] = await writer.part('values', { series: response['series'] });
      if (values.kind === 'blob-sequences') await writeBlobs(api, response, writer, blobs);
      shown.push(tag);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'answer-too-large')) throw error;
      leftOut.push({ tag: name, plugin, reason: 'too large for one response' });
    }
  }
  const logs = withLogs
    ? await writeBundleLogs(api, experimentId, content.runs, writer, (done, all) => progress(`${done} of ${all} logs …`))
    : { logs: [], lines: {}, leftOut: [] };
  const page = {
    base: '#',
    server: '',
    reader: null,
    experiment: {
      experiment: { ...experiment, ...hidden, runs: runs.length, points },
      runs: runs.map((run) => ({ ...run, source: null, person: null, host: null, notes: null })),
      tags: shown.map((tag) => ({ ...tag, superseded_points: 0 })),
      problems: 0,
      cited: false,
    },
  };
  return {
    index: { page, series, parts, blobs: Object.fromEntries(blobs), logs: logs.logs, lines: logs.lines },
    name: stringField(experiment, 'name'),
    url: stringField(experiment, 'url'),
    runs: runs.length,
    points,
    blobs: blobs.size,
    logs: Object.keys(logs.lines).length,
    leftOut,
    logsLeftOut: logs.leftOut,
  };
}

/**
 * Fields that a bundle hides. The description names the machine and folder of the upload, unless a
 * member changed it.
 */
const hidden = { url: '', description: '', owner: null, workspace: null, notes: null, default_view: null, snapshot: null };

/** All items of a list, or only the items with these names. */
async function listOf(api: Api, path: string, field: string, names: readonly string[] | undefined, name: string): Promise<Json[]> {
  const wanted = names && new Set(names);
  const items: Json[] = [];
  for await (const item of api.pages(path, field, `Listing ${field}`)) if (!wanted || wanted.has(stringField(item, name))) items.push(item);
  return items;
}

/**
 * All effective points of a tag, in the form of the API's response for `raw`. `listed`: the tag's
 * series. A run without effective points has an empty series.
 */
async function scalarsOf(
  api: Api,
  experimentId: ExperimentId,
  listed: readonly Json[],
  tag: TagName,
  { runs }: ContentSelection,
): Promise<object> {
  const found = new Map<string, { run: RunName; writer: number; columns: Record<'step' | 'wall_time' | 'value', unknown[]> }>();
  for await (const range of scalarPages(api, experimentId, { superseded: false, tags: [tag], ...(runs && { runs }) })) {
    const key = JSON.stringify([range.run, range.writer]);
    const one = found.get(key) ?? { run: range.run, writer: range.writer, columns: { step: [], wall_time: [], value: [] } };
    found.set(key, one);
    for (let i = 0; i < range.steps.length; i++) {
      const step = range.steps[i]!;
      one.columns.step.push(Number.isSafeInteger(Number(step)) ? Number(step) : String(step));
      one.columns.wall_time.push(exactNumber(range.wallTimes[i]!));
      one.columns.value.push(exactNumber(range.values[i]!));
    }
  }
  const withPoints = new Set([...found.values()].map(({ run }) => run));
  const without = new Set(listed.map((one) => stringField(one, 'run')).filter((run) => !withPoints.has(run)));
  const none = { step: [], wall_time: [], value: [] };
  const all = [...found.values(), ...[...without].map((run) => ({ run, writer: 0, columns: none }))];
  const severalWriters = all.some(({ writer }) => writer > 0);
  return {
    series: all.map(({ run, writer, columns }) => ({
      run,
      tag,
      ...(severalWriters && { writer }),
      sampling: 'raw',
      exact: true,
      source_points: columns.step.length,
      columns,
    })),
  };
}

async function writeBlobs(api: Api, response: Json, writer: BundleWriter, known: Map<string, string>): Promise<void> {
  for (const { blobs } of pointsOf(response))
    for (const blob of blobs) {
      if (blob === null) continue;
      const [key, extension] = [stringField(blob, 'key'), extensions[stringField(blob, 'content_type')]];
      if (extension === undefined || known.has(key)) continue;
      known.set(key, await writer.blob(extension, await fetchBlob(api, key)));
    }
}

/**
 * Writes the graphs that the page can draw (the first blob of each point) as parts, because a page
 * at `file://` can read nothing else. Returns false if some graphs are too large.
 */
async function writeGraphs(api: Api, response: Json, writer: BundleWriter, parts: Record<string, string>): Promise<boolean> {
  let isWhole = true;
  for (const {
    blobs: [blob],
  } of pointsOf(response)) {
    if (!blob) continue;
    const key = stringField(blob, 'key');
    const name = JSON.stringify(['bytes', '', key]);
    if (intField(blob, 'bytes') > maxGraphBytes) isWhole = false;
    else parts[name] ??= await writer.part('graph', { base64: (await fetchBlob(api, key)).toString('base64') });
  }
  return isWhole;
}

function pointsOf(response: Json): { readonly blobs: readonly (Json | null)[] }[] {
  return asArray(response['series'], 'series').flatMap((series) =>
    asArray(asObject(series, 'series')['points'], 'points').map((point) => ({
      blobs: asArray(asObject(point, 'points')['blobs'], 'blobs').map((blob) => (blob === null ? null : asObject(blob, 'blobs'))),
    })),
  );
}

async function fetchBlob(api: Api, key: string): Promise<Buffer> {
  return (await api.response('GET', `/blobs/${encodeURIComponent(key)}`, 'Fetching a blob')).body;
}

async function requireEmpty(outdir: string): Promise<void> {
  makeFolders(outdir);
  if ((await readdir(outdir)).length > 0)
    throw new CliError(exitCodes.failed, `${outdir} is not empty, so nothing was written. Choose another --outdir.`, {
      code: 'would-overwrite',
    });
}
