import { usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import type { Report } from '../report.ts';
import { isUuid } from '../uuid.ts';
import { withApi } from '../with-api.ts';

/** What a new token is for. */
export interface TokenFlags {
  readonly name: string;
  readonly scope?: readonly string[];
  readonly experiment?: readonly string[];
  /** In days. */
  readonly expires?: number | 'never';
}

/** What the service is asked for, in its words; what was not said is left to it. */
export function tokenBody({ name, scope, experiment, expires }: TokenFlags): object {
  return { name, scopes: scope, experiments: experiment, expires_in_days: expires === 'never' ? null : expires };
}

/** Prints a token that was just made: alone on stdout, so that it can be piped to where it is kept. */
export function showToken(made: Json, report: Report): void {
  report.document(made);
  report.result(stringField(made, 'token'));
  report.say(`Save it now: it is not shown again. To revoke it: plotline tokens revoke ${shown(made['id'])}`);
}

/** `plotline tokens create`: one of one's own, for no more than the token that asks. */
export async function create(flags: TokenFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => showToken(await api.send('POST', '/tokens', 'Creating a token', tokenBody(flags)), report));
}

/** `plotline tokens list`: those that work; with `--everybody`, also those of others and of service accounts. */
export async function list({ everybody }: { everybody?: boolean }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const tokens: Json[] = [];
    for await (const token of api.pages(`/tokens${everybody ? '?everybody=true' : ''}`, 'tokens', 'Listing tokens')) tokens.push(token);
    report.document({ tokens });
    report.table(
      ['ID', 'NAME', 'OF', 'ENDS IN', 'SCOPES', 'LAST USED', 'EXPIRES'],
      tokens.map((token) => {
        return [
          shown(token['id']),
          shown(token['name']),
          shown(asObject(token['person'], 'person')['name']),
          shown(token['hint']),
          asArray(token['scopes'], 'scopes').map(shown).join(' '),
          shown(token['last_used_at']) || 'never',
          shown(token['expires_at']) || 'never',
        ];
      }),
    );
  });
}

/** `plotline tokens revoke`: it works nowhere within five seconds. */
export async function revoke({ argument: id }: { argument: string }, host: Host, report: Report): Promise<number> {
  if (!isUuid(id)) throw usageError('Name a token by its id: see `plotline tokens list`.');
  return withApi(host, report, async (api) => {
    await api.send('DELETE', `/tokens/${id}`, `Token ${id}`);
    report.document({ id, revoked: true });
    report.result(`Revoked ${id}: it stops working within five seconds.`);
  });
}
