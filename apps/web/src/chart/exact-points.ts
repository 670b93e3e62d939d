import type { Api } from '../api/api.ts';
import type { ShownPart } from '../compare/shown-parts.ts';
import { fileName, saveFile } from './save-file.ts';

/** The points to read from one experiment. */
interface PointsRequest {
  readonly tags: readonly string[];
  /** Null means all runs. */
  readonly runs: readonly string[] | null;
}

/** The format: a table, or one JSON document per page, each on its own line. */
export type PointsForm = 'csv' | 'jsonl';

const pageSize = 100_000;

/**
 * Saves every point of the given tags, not a sample, as a file. Reads them page by page, so that no
 * response is too large.
 */
async function exactPoints(api: Api, experimentId: string, { tags, runs }: PointsRequest, type: PointsForm): Promise<Blob> {
  const parts: Blob[] = [];
  const path = `/experiments/${experimentId}/scalars/query`;
  for (let token: string | null = ''; token !== null;) {
    const body = { tags, ...(runs && { runs }), sampling: 'raw', page_size: pageSize, ...(token !== '' && { page_token: token }) };
    const { bytes, next }: { bytes: Blob; next: string | null } = await api.download(
      path,
      body,
      type === 'csv' ? 'text/csv' : 'application/json',
    );
    parts.push(type === 'csv' && parts.length > 0 ? await withoutHead(bytes) : bytes, ...(type === 'jsonl' ? [new Blob(['\n'])] : []));
    token = type === 'csv' ? next : await nextToken(bytes);
  }
  return new Blob(parts, { type: type === 'csv' ? 'text/csv' : 'application/jsonl' });
}

/**
 * Like `savePoints`, for all displayed experiments, with one file each. `name`: the base name of
 * the files.
 */
export async function savePoints(
  api: Api,
  parts: readonly ShownPart[],
  tags: readonly string[],
  name: string,
  type: PointsForm,
): Promise<void> {
  for (const { id, prefix, runs } of parts) saveFile(await exactPoints(api, id, { tags, runs }, type), fileName(prefix + name, type));
}

/** Each CSV page starts with the column names. */
async function withoutHead(bytes: Blob): Promise<Blob> {
  const start = new Uint8Array(await bytes.slice(0, 1000).arrayBuffer());
  return bytes.slice(start.indexOf(10) + 1);
}

async function nextToken(bytes: Blob): Promise<string | null> {
  const tail = await bytes.slice(-1000).text();
  return /"next_page_token":"([A-Za-z0-9_-]+)"\}$/.exec(tail)?.[1] ?? null;
}
