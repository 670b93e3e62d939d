import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExperimentId } from '#model';
import { agrees } from '../ask.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import { counted, formatBytes, plural, type Report } from '../report.ts';
import { openSession } from '../session.ts';

interface Flags {
  readonly argument: string;
  readonly run?: readonly string[];
  readonly tag?: readonly string[];
  readonly steps?: Steps;
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** Steps, inclusive, as decimal numbers; an open end is absent. */
interface Steps {
  readonly from?: string;
  readonly to?: string;
}

/**
 * `plotline delete`: deletes an experiment, or runs, tags or steps of it. Shows what would be
 * removed and asks for confirmation, unless `--yes` is given; without a terminal, `--yes` is
 * required. With `--wait`, returns when nothing is left on the server.
 */
export async function remove(flags: Flags, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const { run: runs, tag: tags, steps } = flags;
  const whole = !runs && !tags && !steps;
  const session = openSession(host, report);
  try {
    if (!flags.yes) {
      if (!host.stdin.isTTY) throw usageError('Deleting needs confirmation, but no terminal is available. Add --yes to delete.');
      const { name } = await session.api.get(`/experiments/${id}`, `Experiment ${id}`);
      const request = { runs, tags, steps, dry_run: true };
      const preview = await session.api.send('POST', `/experiments/${id}/deletions`, `Experiment ${id}`, request);
      requirePoints(preview, flags);
      report.say(consequences(preview));
      const what = whole ? '' : `${describe(flags)} of `;
      const rest = whole ? ' and all its data' : '';
      if (!(await agrees(host, `Delete ${what}${id} (${shown(name) || 'without a name'})${rest}, for everyone? [y/N] `)))
        throw new CliError(exitCodes.failed, 'Nothing was deleted.', { code: 'not-confirmed' });
    }
    const kept = flags.yes ? await keptIn(session.api, id, { runs, tags, steps }, flags) : '';
    let deletion = whole
      ? await removeWhole(session.api, id, flags.wait === true)
      : await session.api.send('POST', `/experiments/${id}/deletions`, `Experiment ${id}`, { runs, tags, steps }, randomUUID());
    if (flags.wait && deletion) deletion = await untilDone(session.api, stringField(deletion, 'id'), report);
    report.document({ id, deleted: true, ...(deletion && { deletion }) });
    const done = deletion?.['state'] === 'done';
    report.result(
      `${whole || done ? 'Deleted' : 'Deleting'} ${whole ? id : `${describe(flags)} of ${id}`}${done && deletion ? `: ${countsOf(deletion)}` : ''}.${kept}`,
    );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

async function removeWhole(api: Api, id: ExperimentId, look: boolean): Promise<Json | null> {
  await api.send('DELETE', `/experiments/${id}`, `Experiment ${id}`);
  if (!look) return null;
  const { deletions } = await api.get(`/experiments/${id}/deletions`, 'Reading the deletion');
  return asObject(asArray(deletions, 'deletions')[0], 'deletions');
}

const pollMs = 500;

async function untilDone(api: Api, deletionId: string, report: Report): Promise<Json> {
  for (;;) {
    const deletion = await api.get(`/deletions/${deletionId}`, 'Reading the deletion');
    if (deletion['state'] === 'done') {
      report.clearStatus();
      return deletion;
    }
    report.status(`${shown(deletion['state'])}: ${countsOf(deletion)}`);
    await sleep(pollMs);
  }
}

/**
 * A sentence, with a leading space, about the snapshots that keep their copies; empty if there are
 * none. A failed preview does not stop the deletion.
 */
async function keptIn(api: Api, id: ExperimentId, what: object, flags: Flags): Promise<string> {
  try {
    const preview = await api.send('POST', `/experiments/${id}/deletions`, `Experiment ${id}`, { ...what, dry_run: true });
    requirePoints(preview, flags);
    return snapshotsOf(preview);
  } catch (error) {
    if (error instanceof ApiError) return '';
    throw error;
  }
}

/** Throws if there are no points of the tags or steps: the tag may be misspelled. */
function requirePoints(preview: Json, flags: Flags): void {
  const removed = asObject(preview['would_remove'], 'would_remove');
  const isNone = preview['exact'] === true && removed['points'] === 0 && removed['series'] === 0;
  if (isNone && (flags.tag || flags.steps))
    throw new CliError(exitCodes.notFound, `No points match ${describe(flags)}. Nothing was deleted.`, { code: 'not-found' });
}

/** The effect of a deletion, in a few sentences. */
function consequences(preview: Json): string {
  return `${removal(preview)}${snapshotsOf(preview)}`;
}

function snapshotsOf(preview: Json): string {
  const { snapshots = 0, citable = 0 } = asObject(preview['kept_in_snapshots'] ?? {}, 'kept_in_snapshots');
  const kept = Number(snapshots);
  const cited = Number(citable) > 0 ? `, ${Number(citable)} of them citable,` : '';
  return kept === 0 ? '' : ` ${plural(kept, 'snapshot')}${cited} ${kept === 1 ? 'keeps its copy' : 'keep their copies'}.`;
}

function removal(preview: Json): string {
  const removed = asObject(preview['would_remove'], 'would_remove');
  const rewritten = asObject(preview['would_rewrite'], 'would_rewrite');
  const upTo = preview['exact'] === false ? 'up to ' : '';
  const points = `${upTo}${plural(Number(removed['points']), 'point')}`;
  const removedFiles = Number(removed['files']);
  const withFiles = `${points}${removedFiles > 0 ? ` and ${plural(removedFiles, 'event file')} (${formatBytes(Number(removed['bytes']))})` : ''}`;
  if (Number(removed['runs']) > 0) return `This removes ${plural(Number(removed['runs']), 'run')} with ${withFiles}.`;
  if (removedFiles > 0) return `This removes ${withFiles}.`;
  const files = Number(rewritten['files']);
  const kept =
    files === 0
      ? ''
      : ` ${plural(files, 'event file')} (${formatBytes(Number(rewritten['bytes']))}) ${files === 1 ? 'is' : 'are'} rewritten without them.`;
  return `This removes ${points}; no event file is removed.${kept}`;
}

function countsOf(deletion: Json): string {
  const removed = asObject(deletion['removed'], 'removed');
  const { files: rewritten = 0 } = asObject(deletion['rewritten'] ?? {}, 'rewritten');
  const kept = Number(rewritten) > 0 ? `, ${plural(Number(rewritten), 'file')} rewritten without them` : '';
  const gone = counted([Number(removed['points']), 'point'], [Number(removed['files']), 'file']).join(', ');
  return `${gone} removed${kept}, ${formatBytes(Number(removed['bytes']))} reclaimed`;
}

function describe({ run: runs, tag: tags, steps }: Flags): string {
  const parts = [
    ...(steps ? [`steps ${steps.from ?? ''}..${steps.to ?? ''}`] : []),
    ...(tags ? [`${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`] : []),
    ...(runs ? [`${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`] : []),
  ];
  return parts.join(' of ');
}
