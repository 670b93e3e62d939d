import { setTimeout as sleep } from 'node:timers/promises';
import { findExperiment, type Visit } from '../bridge/find-experiment.ts';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asArray, asObject, intField, type Json, shown } from '../http/json.ts';
import type { Report } from '../report.ts';

/** Lines in one response. */
const pageLines = 5_000;
const followEveryMs = 2_000;

interface LogsFlags {
  readonly argument: string;
  readonly second: string;
  readonly tail: number;
  readonly rank?: number;
  readonly follow?: boolean;
}

/** `plotline logs`: prints the output of a run's processes. */
export async function logs(flags: LogsFlags, host: Host, report: Report): Promise<number> {
  const visit = await findExperiment(flags.argument, host, report);
  const colors = host.stdout.isTTY === true && !host.env['NO_COLOR'];
  const stop = new AbortController();
  const release = host.onInterrupt(() => stop.abort());
  try {
    const found = await listLogs(visit, flags);
    if (found.length === 0 && !flags.follow)
      throw new CliError(exitCodes.notFound, `Run ${JSON.stringify(flags.second)} has no log.`, { code: 'not-found' });
    const tails: { log: Json; lines: string[] }[] = [];
    for (const log of found) {
      const first = Math.max(1, intField(log, 'lines') - flags.tail + 1);
      tails.push({ log, lines: flags.tail === 0 ? [] : await readLines(visit, log, first) });
    }
    report.document({ logs: tails.map(({ log, lines }) => ({ ...log, content: lines })) });
    if (report.json) return exitCodes.done;
    for (const { log, lines } of tails) {
      if (tails.length > 1) report.say(`==> ${shown(log['name'])} <==`);
      for (const line of lines) host.stdout.write(`${shownLine(line, colors)}\n`);
    }
    const seen = new Map(found.map((log) => [shown(log['file_id']), intField(log, 'lines')]));
    while (flags.follow && !stop.signal.aborted) {
      await sleep(followEveryMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) break;
      for (const log of await listLogs(visit, flags)) {
        const before = seen.get(shown(log['file_id'])) ?? 0;
        if (intField(log, 'lines') <= before) continue;
        const lines = await readLines(visit, log, before + 1);
        seen.set(shown(log['file_id']), before + lines.length);
        for (const line of lines) host.stdout.write(`${shownLine(line, colors)}\n`);
      }
    }
    return stop.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } finally {
    release();
    visit.api.http.close();
  }
}

async function listLogs({ api, experimentId, headers }: Visit, { second: run, rank }: LogsFlags): Promise<Json[]> {
  const path = `/experiments/${experimentId}/logs?page_size=1000&run=${encodeURIComponent(run)}`;
  const { logs: found } = await api.get(path, 'Listing logs', { headers });
  return asArray(found, 'logs')
    .map((log) => asObject(log, 'logs'))
    .filter((log) => rank === undefined || log['rank'] === rank)
    .toSorted((a, b) => (shown(a['name']) < shown(b['name']) ? -1 : 1)); // they begin with their times
}

async function readLines({ api, experimentId, headers }: Visit, log: Json, first: number): Promise<string[]> {
  const lines: string[] = [];
  for (let from = first; ;) {
    const path = `/experiments/${experimentId}/logs/${shown(log['file_id'])}?lines=${pageLines}&from=${from}`;
    const { content } = await api.get(path, 'Reading a log', { headers });
    const page = asArray(content, 'content').map((line) => asObject(line, 'content'));
    if (page.length === 0) return lines;
    for (const line of page) lines.push(shown(line['text']));
    from = intField(page.at(-1)!, 'line') + 1;
  }
}

/** Sequences that set colors, other sequences, and characters that are not text. */
const notShown =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  /\u001b\[[0-9;:]*m|\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])|[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A line for a terminal: colors only on request, and nothing that would move the cursor. */
export function shownLine(line: string, colors: boolean): string {
  const text = line.replace(notShown, (found) => (colors && found.length > 1 && found.endsWith('m') ? found : ''));
  return colors && text.includes('\u001b') ? `${text}\u001b[0m` : text;
}
