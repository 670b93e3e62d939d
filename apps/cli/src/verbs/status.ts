import { exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';
import { intField, type Json, shown } from '../http/json.ts';
import { experimentFor } from '../local/experiment-id.ts';
import { formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';

/** Problems that are printed for a person; the document has them all. */
const maxRows = 100;

/** `plotline status`: how far the service is with what was uploaded, and what it could not read. */
export async function status(flags: { argument?: string; logdir: string }, host: Host, report: Report): Promise<number> {
  const session = openSession(host, report);
  try {
    const { api, origin } = session;
    const id = experimentFor(host, origin, flags.argument, flags.logdir);
    const frontier = await api.get(`/experiments/${id}/frontier`, `Experiment ${id}`);
    const files = await api.files(id);
    const problems: Json[] = [];
    for await (const problem of api.pages(`/experiments/${id}/problems`, 'problems', 'Reading the problems')) problems.push(problem);
    const pending = intField(frontier, 'acknowledged_bytes') - intField(frontier, 'visible_bytes');
    const open = files.filter((file) => !file.complete);
    report.document({
      experiment_id: id,
      frontier,
      pending_bytes: pending,
      files: files.length,
      incomplete_files: open.map(({ run, name, version, bytes }) => ({ run, name, version, bytes })),
      problems,
    });
    report.result(
      pending > 0
        ? `${formatBytes(pending)} of ${formatBytes(intField(frontier, 'acknowledged_bytes'))} are not visible yet.`
        : `Everything uploaded is visible (${formatBytes(intField(frontier, 'acknowledged_bytes'))}).`,
    );
    report.result(`Frontier: epoch ${shown(frontier['epoch'])} of ${shown(frontier['acknowledged_epoch'])}.`);
    report.result(`${plural(files.length, 'file')}, ${open.length} of them still open.`);
    const tail = intField(frontier, 'incomplete_tail_bytes');
    const rejected = intField(frontier, 'rejected_bytes');
    if (tail > 0) report.result(`${formatBytes(tail)} belong to records whose end has not been uploaded.`);
    if (rejected > 0) report.result(`${formatBytes(rejected)} could not be read.`);
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
