import type { RunName } from './names.ts';
import type { View } from './view.ts';

/** The suffix of run log names; no other uploaded file has it. */
const logSuffix = '.plotline.log';

/**
 * Whether a run's file is a log: standard output and error of one process, as text. All other files
 * are event files.
 */
export function isLogName(name: string): boolean {
  return name.endsWith(logSuffix) && !name.includes('tfevents');
}

/** {@link isLogName} for SQL: names that match the first pattern but not the second. */
export const logNamePattern = { like: `%${logSuffix}`, notLike: '%tfevents%' } as const;

/** The rank in a log's name, `….rank3.plotline.log`; null if it has none. */
export function rankOfLog(name: string): number | null {
  const match = /\.rank([0-9]{1,9})\.plotline\.log$/.exec(name);
  return match ? Number(match[1]) : null;
}

/** The tag that stands for run logs in deletions, links and snapshots. No series has this tag. */
export const logsTag = 'system/logs';

/**
 * Whether a visitor with this view sees the logs of `run` or, without it, of any run. Anonymous
 * links show no logs, because logs name people and machines.
 */
export function seesLogs(view: View | null, run?: RunName): boolean {
  if (view === null) return true;
  return view.logs === true && !view.anonymous && (run === undefined || !view.runs || view.runs.includes(run));
}
