import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { asArray, asObject, intField, type Json, shown } from '../http/json.ts';
import { experimentFor } from '../local/experiment-id.ts';
import { fileLabel } from '../local/file-label.ts';
import { notCounted } from '../receipt/not-counted.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';

/** Maximum displayed problems; the document has all problems. */
const maxRows = 100;

/** `plotline status`: shows ingest progress, and data that could not be read. */
export async function status(flags: { argument?: string; logdir: string }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const { api, origin } = session;
    const id = experimentFor(host, origin, flags.argument, flags.logdir);
    const frontier = await api.get(`/experiments/${id}/frontier`, `Experiment ${id}`);
    const files = await api.files(id);
    const problems: Json[] = [];
    for await (const problem of api.pages(`/experiments/${id}/problems`, 'problems', 'Reading the problems')) problems.push(problem);
    // The first page includes the runs that are behind; its list of runs is not used.
    const { behind: named = [] } = await api.get(`/experiments/${id}/runs?page_size=1`, 'Reading which runs are behind');
    const behind = asArray(named, 'behind').map((run) => asObject(run, 'behind'));
    const pending = intField(frontier, 'acknowledged_bytes') - intField(frontier, 'visible_bytes');
    const open = files.filter((file) => !file.complete);
    const ignored = notCounted(files);
    report.document({
      experiment_id: id,
      frontier,
      pending_bytes: pending,
      behind,
      files: files.length,
      files_not_counted: ignored.map(({ file: { run, name, version, replaced } }) => ({
        run,
        name,
        version,
        why: replaced ? 'replaced' : 'copy',
      })),
      incomplete_files: open.map(({ run, name, version, bytes }) => ({ run, name, version, bytes })),
      problems,
    });
    report.result(
      pending > 0
        ? `${formatBytes(pending)} of ${formatBytes(intField(frontier, 'acknowledged_bytes'))} are not visible yet.`
        : `Everything uploaded is visible (${formatBytes(intField(frontier, 'acknowledged_bytes'))}).`,
    );
    report.result(`Frontier: epoch ${shown(frontier['epoch'])} of ${shown(frontier['acknowledged_epoch'])}.`);
    report.result(`${plural(files.length, 'file')}${open.length > 0 ? `, ${open.length} of them incomplete` : ''}.`);
    for (const { file, why } of ignored.slice(0, maxRows)) report.result(`${fileLabel(file)}: ${why}.`);
    if (ignored.length > maxRows)
      report.result(`… and ${plural(ignored.length - maxRows, 'more file')} that add no points (--json has them all)`);
    const tail = intField(frontier, 'incomplete_tail_bytes');
    const rejected = intField(frontier, 'rejected_bytes');
    if (tail > 0) report.result(`${formatBytes(tail)} belong to incomplete records.`);
    if (rejected > 0) report.result(`${formatBytes(rejected)} could not be read.`);
    if (behind.length > 0) {
      report.result('');
      report.table(
        ['RUN', 'NOT VISIBLE', 'SINCE', 'WHY'],
        behind.map((run) => [shown(run['run']), formatBytes(intField(run, 'bytes')), shown(run['since']), reasonOf(run)]),
      );
    }
    if (problems.length > 0) {
      report.result('');
      report.table(
        ['RUN', 'FILE', 'BYTE', 'REASON', 'DETAIL'],
        problems
          .slice(0, maxRows)
          .map((p) => [shown(p['run']), shown(p['file']), Number(p['offset']), shown(p['reason']), shown(p['detail'])]),
      );
      if (problems.length > maxRows) report.result(`… and ${problems.length - maxRows} more (--json has them all)`);
    }
    return exitCodes.done;
  } finally {
    session.close();
  }
}

/** Why a run is behind (`why` of GET /runs), for display. */
export function reasonOf(run: Json): string {
  const failures = intField(run, 'failures');
  switch (run['why']) {
    case 'failing': {
      // While the database or the object store is down, attempts do not count.
      const what = failures > 0 ? `failed ${plural(failures, 'time')}` : 'cannot be ingested now';
      return `${what}: ${shown(run['detail'])}${run['next_try_at'] === null ? '' : `; next attempt at ${shown(run['next_try_at'])}`}`;
    }
    case 'deletion':
      return 'a deletion of its points runs first';
    case 'working':
      return 'a worker is ingesting it';
    case 'waiting':
      return 'no worker has claimed it yet';
    default:
      return shown(run['why']);
  }
}
