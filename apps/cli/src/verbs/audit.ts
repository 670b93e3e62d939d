import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asObject, type Json, shown } from '../http/json.ts';
import { downloadTo } from '../local/download.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';

interface Flags {
  readonly action?: string;
  readonly person?: string;
  readonly experiment?: string;
  readonly result?: string;
  readonly from?: string;
  readonly until?: string;
  readonly limit: number;
  readonly outfile?: string;
}

/**
 * `plotline audit`: shows the workspace's audit log, newest first; with `--outfile`, writes the
 * whole log to a file, oldest first.
 */
export async function audit(flags: Flags, host: Host, report: Report): Promise<number> {
  const query = new URLSearchParams();
  for (const name of ['action', 'person', 'experiment', 'result', 'from', 'until'] as const) {
    const value = flags[name];
    if (value !== undefined) query.set(name, value);
  }
  const asked = query.size > 0 ? `?${query.toString()}` : '';
  const session = openSession(host, report);
  try {
    const { api } = session;
    if (flags.outfile !== undefined) {
      const path = await downloadTo(host, flags.outfile, api.download('GET', `/audit/export${asked}`, 'Exporting the audit log'));
      report.document({ written_to: path });
      report.result(`Wrote ${path}.`);
      return exitCodes.done;
    }
    const entries: Json[] = [];
    for await (const entry of api.pages(`/audit${asked}`, 'entries', 'Reading the audit log')) {
      if (entries.length === flags.limit) break;
      entries.push(entry);
    }
    report.document({ entries });
    report.table(
      ['AT', 'PERSON', 'VIA', 'ACTION', 'RESULT', 'EXPERIMENT', 'OBJECT', 'FROM'],
      entries.map((entry) => [
        shown(entry['at']),
        nameOf(entry['person']),
        shown(entry['via']),
        shown(entry['action']),
        shown(entry['result']),
        shown(entry['experiment']),
        shown(entry['object']),
        shown(entry['address']),
      ]),
    );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

function nameOf(person: unknown): string {
  if (person === null) return 'the service';
  const { id, name } = asObject(person, 'person');
  return shown(name ?? id);
}
