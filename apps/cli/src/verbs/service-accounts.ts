import { agree } from '../ask.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';
import type { Api } from '../http/api.ts';
import { asArray, asObject, type Json, shown, stringField } from '../http/json.ts';
import type { Report } from '../report.ts';
import { withApi } from '../with-api.ts';
import { showToken, tokenBody, type TokenFlags } from './tokens.ts';

/**
 * `plotline service-accounts list`: lists members that are programs, and the workloads that act as
 * them.
 */
export async function list(_flags: object, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { accounts, issuers } = await readAccounts(api);
    report.document({ service_accounts: accounts, issuers });
    report.table(
      ['ID', 'NAME', 'ROLE', 'CREATED', 'WORKLOADS'],
      accounts.map((account) => [
        shown(account['id']),
        shown(account['name']),
        shown(account['role']),
        shown(account['created_at']),
        workloadsOf(account)
          .map((workload) => `${shown(workload['subject'])} of ${shown(workload['issuer'])} (${shown(workload['id'])})`)
          .join(', '),
      ]),
    );
  });
}

/**
 * `plotline service-accounts create`: creates a member that is a program; its tokens are created
 * separately.
 */
export async function create({ argument: name, role }: { argument: string; role: string }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const made = await api.send('POST', '/service-accounts', 'Creating a service account', { name, role });
    report.document(made);
    report.result(`Created ${name} (${shown(made['id'])}), ${role}.`);
  });
}

/** `plotline service-accounts remove`: removes a service account and revokes all its tokens. */
export async function remove({ argument, yes }: { argument: string; yes?: boolean }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findAccount(api, argument);
    await agree(host, yes, `Remove ${name} and all its tokens and workloads?`);
    await api.send('DELETE', `/service-accounts/${id}`, name);
    report.document({ id, removed: true });
    report.result(`Removed ${name}. Its credentials stop working within five seconds.`);
  });
}

/** `plotline service-accounts token`: prints a token of the account, which is not shown again. */
export async function token(flags: TokenFlags & { argument: string }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findAccount(api, flags.argument);
    showToken(await api.send('POST', `/service-accounts/${id}/tokens`, name, tokenBody(flags)), report);
  });
}

interface WorkloadFlags {
  readonly argument: string;
  readonly issuer: string;
  readonly subject: string;
  readonly audience?: string;
  readonly scope?: readonly string[];
}

/**
 * `plotline service-accounts add-workload`: allows a workload to act as the account with its own
 * OIDC token, without a secret.
 */
export async function addWorkload(flags: WorkloadFlags, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { id, name } = await findAccount(api, flags.argument);
    const { issuer, subject, audience, scope: scopes } = flags;
    const made = await api.send('POST', `/service-accounts/${id}/workloads`, name, { issuer, subject, audience, scopes });
    report.document(made);
    report.result(`${subject} from ${issuer} can now act as ${name} (${shown(made['id'])}).`);
  });
}

/** `plotline service-accounts remove-workload`: removes a workload of any account, by its id. */
export async function removeWorkload({ argument: workload }: { argument: string }, host: Host, report: Report): Promise<number> {
  return withApi(host, report, async (api) => {
    const { accounts } = await readAccounts(api);
    const account = accounts.find((one) => workloadsOf(one).some((other) => other['id'] === workload));
    if (!account) throw new CliError(exitCodes.notFound, `There is no workload ${workload}.`, { code: 'workload-not-found' });
    await api.send('DELETE', `/service-accounts/${stringField(account, 'id')}/workloads/${workload}`, `Workload ${workload}`);
    report.document({ id: workload, removed: true });
    report.result(`${workload} can no longer act as ${shown(account['name'])}.`);
  });
}

async function readAccounts(api: Api): Promise<{ accounts: Json[]; issuers: unknown }> {
  const response = await api.get('/service-accounts', 'Listing service accounts');
  const accounts = asArray(response['service_accounts'], 'service_accounts').map((account) => asObject(account, 'service_accounts'));
  return { accounts, issuers: response['issuers'] };
}

function workloadsOf(account: Json): Json[] {
  return asArray(account['workloads'], 'workloads').map((workload) => asObject(workload, 'workloads'));
}

/** Finds a service account by id, or by a unique name. */
async function findAccount(api: Api, wanted: string): Promise<{ id: string; name: string }> {
  const found = (await readAccounts(api)).accounts.filter((account) => account['id'] === wanted || account['name'] === wanted);
  const [one] = found;
  if (!one) throw new CliError(exitCodes.notFound, `There is no service account ${wanted}.`, { code: 'service-account-not-found' });
  if (found.length > 1)
    throw usageError(`${found.length} service accounts are named ${wanted}. Use an id: see \`plotline service-accounts list\`.`);
  return { id: stringField(one, 'id'), name: stringField(one, 'name') };
}
