import { randomUUID } from 'node:crypto';
import { exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import { parseExperimentId } from '../local/experiment-id.ts';
import type { Report } from '../report.ts';
import { openSession } from '../session.ts';
import { isUuid } from '../uuid.ts';

interface ShareFlags {
  readonly argument: string;
  readonly name?: string;
  readonly run?: readonly string[];
  readonly tag?: readonly string[];
  readonly frozen?: boolean;
  readonly anonymous?: boolean;
  readonly logs?: boolean;
  readonly embed?: readonly string[];
  /** In days. */
  readonly expires?: number | 'never';
  readonly list?: boolean;
  readonly public?: boolean;
  readonly private?: boolean;
}

/**
 * `plotline share`: creates a link to an experiment and prints it, lists the links, or makes the
 * experiment public or private.
 */
export async function share(flags: ShareFlags, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const { list, public: open, private: closed, argument: _, ...link } = flags;
  const others = [list, open, closed].filter(Boolean).length;
  if (others > 1 || (others === 1 && Object.keys(link).some((name) => name !== 'json')))
    throw usageError('Use --list, --public or --private alone, or specify what the link shows.');
  const session = openSession(host, report);
  try {
    if (list) return showLinks(await session.api.get(`/experiments/${id}/share-links`, `Links to ${id}`), report);
    if (open || closed) {
      const visibility = open ? 'public' : 'private';
      const experiment = await session.api.send('PATCH', `/experiments/${id}`, `Experiment ${id}`, { visibility });
      report.document(experiment);
      report.result(
        open ? `Anyone can read ${stringField(experiment, 'url')}` : `Only the workspace and people with a link can read ${id}.`,
      );
      return exitCodes.done;
    }
    const made = await session.api.send('POST', `/experiments/${id}/share-links`, `Experiment ${id}`, {
      name: flags.name,
      runs: flags.run,
      tags: flags.tag,
      frozen: flags.frozen,
      anonymous: flags.anonymous,
      logs: flags.logs,
      embed_origins: flags.embed,
      expires_in_days: flags.expires === 'never' ? null : flags.expires,
    });
    report.document(made);
    report.result(stringField(made, 'url'));
    const end = made['expires_at'];
    report.say(
      `Anyone with this link can view the experiment${end === null ? '' : ` until ${shown(end)}`}. The link is not shown again. To revoke it: plotline unshare ${shown(made['id'])}`,
    );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

/** `plotline unshare`: revokes a link. */
export async function unshare(flags: { argument: string }, host: Host, report: Report): Promise<number> {
  const id = flags.argument.toLowerCase();
  if (!isUuid(id)) throw usageError('Use the id of the link. To list ids: plotline share EXPERIMENT --list');
  const session = openSession(host, report);
  try {
    await session.api.send('DELETE', `/share-links/${id}`, `Link ${id}`);
    report.document({ id, revoked: true });
    report.result(`Revoked ${id}: it stops working within five seconds.`);
    return exitCodes.done;
  } finally {
    session.close();
  }
}

interface SnapshotFlags {
  readonly argument: string;
  readonly name?: string;
  readonly run?: readonly string[];
  readonly tag?: readonly string[];
  /** Whether to make the copy citable. Implied by the following options. */
  readonly cite?: boolean;
  readonly title?: string;
  readonly author?: readonly string[];
  readonly license?: string;
  /** YYYY-MM-DD. */
  readonly date?: string;
}

/**
 * `plotline snapshot`: creates an immutable copy of an experiment, and makes it citable on request.
 */
export async function snapshot(flags: SnapshotFlags, host: Host, report: Report): Promise<number> {
  const id = parseExperimentId(flags.argument);
  const { title, author: authors, license, date: published } = flags;
  const isCited = flags.cite || [title, authors, license, published].some((flag) => flag !== undefined);
  const session = openSession(host, report);
  try {
    const citation = isCited ? { title, authors, license, published } : undefined;
    const body = { name: flags.name, runs: flags.run, tags: flags.tag, citation };
    const made = await session.api.send('POST', `/experiments/${id}/snapshots`, `Experiment ${id}`, body, randomUUID());
    report.document(made);
    report.result(stringField(made, 'url'));
    if (isCited) report.result(`${stringField(made, 'url')}/citation`);
    if (isCited)
      report.say(
        `The second page says how to cite the snapshot. Others can open both pages with a link, or if the snapshot is public: plotline share ${stringField(made, 'id')} --public`,
      );
    return exitCodes.done;
  } finally {
    session.close();
  }
}

function showLinks(response: Json, report: Report): number {
  const links = asArray(response['share_links'], 'share_links').map((link) => asObject(link, 'share_links'));
  report.document({ share_links: links });
  if (links.length === 0) report.result('No links.');
  else
    report.table(
      ['ID', 'NAME', 'SHOWS', 'CREATED', 'EXPIRES'],
      links.map((link) => [
        shown(link['id']),
        shown(link['name']),
        what(link),
        shown(link['created_at']),
        shown(link['expires_at'] ?? 'never'),
      ]),
    );
  return exitCodes.done;
}

/** A short summary of the data that a link shows. */
function what(link: Json): string {
  const some = (field: string): string[] => {
    const names = link[field];
    return Array.isArray(names) ? [`${names.length} ${names.length === 1 ? field.slice(0, -1) : field}`] : [];
  };
  const words = [...some('runs'), ...some('tags'), ...['frozen', 'anonymous', 'logs'].filter((flag) => link[flag] === true)];
  if (link['kind'] === 'embed') words.push('embed');
  return words.join(', ') || 'all';
}
