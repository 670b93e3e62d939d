import { usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import type { Report } from '../report.ts';
import { isUuid } from '../uuid.ts';
import { withApi } from '../with-api.ts';

/** Options of a new token. */
export interface TokenFlags {
  readonly name: string;
  readonly scope?: readonly string[];
  readonly experiment?: readonly string[];
  /** In days. */
  readonly expires?: number | 'never';
}

/** The request body; omitted options are left to the service. */
export function tokenBody({ name, scope, experiment, expires }: TokenFlags): object {
  return { name, scopes: scope, experiments: experiment, expires_in_days: expires === 'never' ? null : expires };
}

/** Prints only the new token to stdout, so that it can be piped to a secret store. */
export function showToken(made: Json, report: Report): void {
  report.document(made);
  report.result(stringField(made, 'token'));
  report.say(`Save it now: it is not shown again. To revoke it: plotline tokens revoke ${shown(made['id'])}`);
}

/**
 * `plotline tokens create`: creates a token for the caller, with at most the permissions of the
 * current token.
 */
export async function create(flags: TokenFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => showToken(await api.send('POST', '/tokens', 'Creating a token', tokenBody(flags)), report));
}

/**
 * `plotline tokens list`: lists your valid tokens; with `--everybody`, also lists the tokens of
 * other members and service accounts.
 */
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

/** `plotline tokens revoke`: revokes a token, which stops working within five seconds. */
export async function revoke({ argument: id }: { argument: string }, host: Host, report: Report): Promise<number> {
  if (!isUuid(id)) throw usageError('Use the id of the token: see `plotline tokens list`.');
  return withApi(host, report, async (api) => {
    await api.send('DELETE', `/tokens/${id}`, `Token ${id}`);
    report.document({ id, revoked: true });
    report.result(`Revoked ${id}: it stops working within five seconds.`);
  });
}
