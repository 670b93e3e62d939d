import { type ExperimentId, limits, type RunName } from '#model';
import type { Api } from '../http/api.ts';
import { asArray, asObject, intField, type Json, stringField } from '../http/json.ts';
import type { BundleWriter } from './bundle-writer.ts';

/** The logs of a bundle. */
interface BundleLogs {
  /** The logs as the API lists them. `kept`: whether the text is in the bundle. */
  readonly logs: readonly Json[];
  /** By log id: the parts with the log's lines, each with the number of its first line. */
  readonly lines: Readonly<Record<string, readonly (readonly [first: number, part: string])[]>>;
  readonly leftOut: readonly { readonly run: RunName; readonly name: string; readonly reason: string }[];
}

/**
 * Writes log lines as the page shows them, up to `maxBytes` of text. The shortest logs come first,
 * as in a snapshot; other logs are listed without text. If a log grows during the export, only the
 * lines that existed at the start are written.
 */
export async function writeBundleLogs(
  api: Api,
  experimentId: ExperimentId,
  runs: readonly RunName[] | undefined,
  writer: BundleWriter,
  progress: (done: number, all: number) => void,
  maxBytes: number = limits.maxSnapshotLogBytes,
): Promise<BundleLogs> {
  const wanted = runs && new Set(runs);
  const path = `/experiments/${experimentId}/logs`;
  const logs: Json[] = [];
  for await (const log of api.pages(path, 'logs', 'Listing logs')) if (!wanted || wanted.has(stringField(log, 'run'))) logs.push(log);
  const lines: Record<string, [number, string][]> = {};
  const leftOut: { run: RunName; name: string; reason: string }[] = [];
  let bytes = 0;
  for (const [i, log] of logs.toSorted((a, b) => intField(a, 'bytes') - intField(b, 'bytes')).entries()) {
    progress(i, logs.length);
    const names = { run: stringField(log, 'run'), name: stringField(log, 'name') };
    if (log['kept'] !== true) leftOut.push({ ...names, reason: 'its text is no longer stored' });
    else if (bytes + intField(log, 'bytes') > maxBytes) leftOut.push({ ...names, reason: 'the logs are too long for a bundle' });
    else {
      bytes += intField(log, 'bytes');
      lines[stringField(log, 'file_id')] = await writeLines(api, path, log, writer);
    }
  }
  return { logs: logs.map((log) => ({ ...log, kept: stringField(log, 'file_id') in lines })), lines, leftOut };
}

async function writeLines(api: Api, path: string, log: Json, writer: BundleWriter): Promise<[number, string][]> {
  const parts: [number, string][] = [];
  const total = intField(log, 'lines');
  for (let from: number | null = 1; from !== null && from <= total;) {
    const query: string = `from=${from}&lines=${limits.maxLogLines}`;
    const response: Json = await api.get(`${path}/${stringField(log, 'file_id')}?${query}`, 'Reading a log');
    const content = asArray(response['content'], 'content').filter((line) => intField(asObject(line, 'content'), 'line') <= total);
    if (content.length > 0) parts.push([from, await writer.part('log', { content })]);
    from = response['next'] === null ? null : intField(response, 'next');
  }
  return parts;
}
