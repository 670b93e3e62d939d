import type { Api } from '../api/api.ts';

/** A log of a run, as the API lists it. */
export interface LogJson {
  readonly file_id: string;
  readonly run: string;
  readonly name: string;
  readonly rank: number | null;
  readonly bytes: number | string;
  readonly lines: number | string;
  readonly complete: boolean;
  readonly kept: boolean;
}

/** A line of a log. */
export interface LineJson {
  readonly line: number;
  readonly text: string;
  readonly cut?: boolean;
}

/** Lines with a text. `next`: where the search continues; null if it reached the end. */
interface Found {
  readonly content: readonly LineJson[];
  readonly next: number | null;
}

/** Lines per request. */
export const blockLines = 500;

/** Maximum listed logs: nobody chooses among more. */
const maxPages = 5;

/**
 * The logs of an experiment, in the order in which they started, because their names start with
 * their times.
 */
export async function listLogs(api: Api, id: string, signal?: AbortSignal): Promise<LogJson[]> {
  const logs: LogJson[] = [];
  let token = '';
  for (let page = 0; page < maxPages; page++) {
    const found = await api.get<{ logs: LogJson[]; next_page_token?: string }>(
      `/experiments/${id}/logs?page_size=1000${token === '' ? '' : `&page_token=${token}`}`,
      signal,
    );
    logs.push(...found.logs);
    if (found.next_page_token === undefined) break;
    token = found.next_page_token;
  }
  return logs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether an experiment has a log that the reader may see. */
export async function hasLogs(api: Api, id: string, signal?: AbortSignal): Promise<boolean> {
  return (await api.get<{ logs: readonly LogJson[] }>(`/experiments/${id}/logs?page_size=1`, signal)).logs.length > 0;
}

/** A log as it is now. */
export async function readLog(api: Api, id: string, log: LogJson, signal?: AbortSignal): Promise<LogJson> {
  const { logs } = await api.get<{ logs: readonly LogJson[] }>(
    `/experiments/${id}/logs?page_size=1000&run=${encodeURIComponent(log.run)}`,
    signal,
  );
  return logs.find(({ file_id: fileId }) => fileId === log.file_id) ?? log;
}

/** Lines of a log from `from` on, at most a block. */
export async function readLines(api: Api, id: string, fileId: string, from: number, signal?: AbortSignal): Promise<readonly LineJson[]> {
  const { content } = await api.get<{ content: readonly LineJson[] }>(
    `/experiments/${id}/logs/${fileId}?from=${from}&lines=${blockLines}`,
    signal,
  );
  return content;
}

/** Searches a log from a line on. */
export function searchLog(api: Api, id: string, fileId: string, text: string, from: number, signal?: AbortSignal): Promise<Found> {
  return api.get(`/experiments/${id}/logs/${fileId}?search=${encodeURIComponent(text)}&from=${from}`, signal);
}
