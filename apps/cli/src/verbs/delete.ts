import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { agrees } from '../ask.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import { formatBytes, type Report } from '../report.ts';
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
 * `plotline delete`: an experiment, or runs, tags or steps of it. It asks first, unless told `--yes`; where nobody can be asked, `--yes` is needed.
 * With `--wait` it ends when nothing is left at the server.
 */
export async function remove(flags: Flags, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const { run: runs, tag: tags, steps } = flags;
  const whole = !runs && !tags && !steps;
  const session = openSession(host, report);
  try {
    if (!flags.yes) {
      if (!host.stdin.isTTY) throw usageError('Deleting asks first, and there is no terminal to ask on. Say --yes to delete.');
      const { name } = await session.api.get(`/experiments/${id}`, `Experiment ${id}`);
      const what = whole ? '' : `${describe(flags)} of `;
      const rest = whole ? ' with all its data' : '';
      if (!(await agrees(host, `Delete ${what}${id} (${shown(name) || 'without a name'})${rest}, for everybody? [y/N] `)))
        throw new CliError(exitCodes.failed, 'Nothing was deleted.', { code: 'not-confirmed' });
    }
    let deletion = whole
      ? await removeWhole(session.api, id, flags.wait === true)
      : await session.api.send('POST', `/experiments/${id}/deletions`, `Experiment ${id}`, { runs, tags, steps }, randomUUID());
    if (flags.wait && deletion) deletion = await untilDone(session.api, stringField(deletion, 'id'), report);
    report.document({ id, deleted: true, ...(deletion && { deletion }) });
    const removed = deletion && asObject(deletion['removed'], 'removed');
    const done = deletion?.['state'] === 'done';
    report.result(
      `${whole || done ? 'Deleted' : 'Deleting'} ${whole ? id : `${describe(flags)} of ${id}`}${done && removed ? `: ${countsOf(removed)}` : ''}.`,
    );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

async function removeWhole(api: Api, id: string, look: boolean): Promise<Json | null> {
  await api.send('DELETE', `/experiments/${id}`, `Experiment ${id}`);
  if (!look) return null;
  const { deletions } = await api.get(`/experiments/${id}/deletions`, 'Reading the deletion');
  return asObject(asArray(deletions, 'deletions')[0], 'deletions');
}

const pollMs = 500;

async function untilDone(api: Api, id: string, report: Report): Promise<Json> {
  for (;;) {
    const deletion = await api.get(`/deletions/${id}`, 'Reading the deletion');
    if (deletion['state'] === 'done') {
      report.clearStatus();
      return deletion;
    }
    report.status(`${shown(deletion['state'])}: ${countsOf(asObject(deletion['removed'], 'removed'))}`);
    await sleep(pollMs);
  }
}

function countsOf(removed: Json): string {
  return `${shown(removed['points'])} points, ${shown(removed['files'])} files, ${formatBytes(Number(removed['bytes']))} reclaimed`;
}

function describe({ run: runs, tag: tags, steps }: Flags): string {
  const parts = [
    ...(steps ? [`steps ${steps.from ?? ''}..${steps.to ?? ''}`] : []),
    ...(tags ? [`${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`] : []),
    ...(runs ? [`${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`] : []),
  ];
  return parts.join(' of ');
}
