import type { Api } from '../api/api.ts';

/** A run's log, as the API lists it. */
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

/** Lines that contain the text. `next`: where the search continues; null if it reached the end. */
interface Found {
  readonly content: readonly LineJson[];
  readonly next: number | null;
}

/** Lines per request. */
export const blockLines = 500;

/** Maximum pages of listed logs; nobody would choose from more. */
const maxPages = 5;

/**
 * The logs of an experiment, in the order in which they were started: their names start with the
 * time.
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

/** Whether an experiment has any log that the reader may see. */
export async function hasLogs(api: Api, id: string, signal?: AbortSignal): Promise<boolean> {
  return (await api.get<{ logs: readonly LogJson[] }>(`/experiments/${id}/logs?page_size=1`, signal)).logs.length > 0;
}

/** The current state of a log. */
export async function readLog(api: Api, id: string, log: LogJson, signal?: AbortSignal): Promise<LogJson> {
  const { logs } = await api.get<{ logs: readonly LogJson[] }>(
    `/experiments/${id}/logs?page_size=1000&run=${encodeURIComponent(log.run)}`,
    signal,
  );
  return logs.find(({ file_id: fileId }) => fileId === log.file_id) ?? log;
}

/** Reads a log from line `from` on, at most one block of lines. */
export async function readLines(api: Api, id: string, fileId: string, from: number, signal?: AbortSignal): Promise<readonly LineJson[]> {
  const { content } = await api.get<{ content: readonly LineJson[] }>(
    `/experiments/${id}/logs/${fileId}?from=${from}&lines=${blockLines}`,
    signal,
  );
  return content;
}

/** Searches a log, starting at a line. */
export function searchLog(api: Api, id: string, fileId: string, text: string, from: number, signal?: AbortSignal): Promise<Found> {
  return api.get(`/experiments/${id}/logs/${fileId}?search=${encodeURIComponent(text)}&from=${from}`, signal);
}
