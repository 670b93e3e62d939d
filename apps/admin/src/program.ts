import { userInfo } from 'node:os';
import type { BlobStore } from '#blobs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { isExperimentId, isTenantId, parseTenantId, quotaNames } from '#model';
import {
  type LimitsChange,
  listLimitsChanges,
  listWorkspaces,
  type Operator,
  readUsage,
  readWorkspace,
  readExperimentRoute,
  readWorkspaceLimits,
  reopenFiles,
  requestRemark,
  type SuspensionMode,
  writeWorkspaceLimits,
} from '#store';
import { checkObjects, type CheckReport } from './check-objects.ts';
import { createOwnerLink, createWorkspace, type OwnerLink } from './owners.ts';
import { optionOf, quotaParser, type QuotaOptions, quotasOf } from './quota-options.ts';

/** Where a command writes its output, and the data on which it works. */
export interface AdminHost {
  readonly open: () => Promise<Operator>;
  readonly openBlobs: () => Promise<BlobStore>;
  /** The URL for a path of the service. */
  readonly urlOf: (path: string) => string;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

const maxWorkspaces = 10_000;
const maxChanges = 100;
/** How long a sign-in link is valid. */
const linkSeconds = 3_600;

/**
 * Runs one operator command and returns its exit code: 0 done, 1 failed, 2 wrong usage, 3 the check
 * found faults, 4 no such workspace or experiment. Results are JSON on stdout.
 */
export async function runAdmin(argv: readonly string[], host: AdminHost): Promise<number> {
  let exitCode = 0;
  const program = new Command('admin')
    .description('Manage the workspaces of a service. Each change is recorded with its operator and takes effect everywhere within 5 s.')
    .exitOverride()
    .configureOutput({ writeOut: host.write, writeErr: host.writeError });

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- each command says what its own options are
  const command = <O>(usage: string, about: string, work: (operator: Operator, id: string, options: O) => Promise<unknown>): Command => {
    const made = program.command(usage).description(about);
    return made.action(async (...args: unknown[]) => {
      const [argument] = made.registeredArguments;
      const id = argument && typeof args[0] === 'string' ? args[0] : '';
      const operator = await host.open();
      try {
        const response = await work(operator, id, made.opts() as O);
        if (response === null) {
          host.writeError(`There is no ${argument?.name() ?? 'workspace'} ${id}.\n`);
          exitCode = 4;
        } else {
          host.write(`${JSON.stringify(response, null, 2)}\n`);
        }
      } finally {
        await operator.close();
      }
    });
  };
  const recorded = (made: Command): Command =>
    made.option('--by <name>', 'operator name, for the record', systemUser()).option('--note <text>', 'reason, for the record');

  command('workspaces', 'list all workspaces', (operator) => operator.run((trx) => listWorkspaces(trx, maxWorkspaces)));
  const shown = (link: OwnerLink | null): object | null =>
    link && { workspace: link.workspace, owner: link.owner, sign_in_link: host.urlOf(link.path), expires_in: linkSeconds };
  command<{ owner: string }>(
    'create',
    'create a workspace with a new owner, and print a one-time sign-in link that expires after an hour',
    async (operator, name, { owner }) => shown(await createWorkspace(operator, name, owner)),
  )
    .argument('<name>', 'workspace name', parseName)
    .requiredOption('--owner <name>', 'name of the owner', parseName);
  command(
    'sign-in-link',
    'print a one-time sign-in link for the owner of a workspace; the link expires after an hour',
    async (operator, workspace) => shown(await createOwnerLink(operator, workspace)),
  ).argument('<workspace>', 'workspace id', parseWorkspace);
  const quota = command<QuotaOptions & Recorded>(
    'quota',
    "show a workspace's usage and quotas; options change its quotas",
    (operator, workspace, options) => changeOrShow(operator, workspace, { ...recordOf(options), quotas: quotasOf(options) }),
  ).argument('<workspace>', 'workspace id', parseWorkspace);
  for (const name of quotaNames)
    quota.addOption(new Option(`${optionOf(name)} <n>`, `${name.replaceAll('_', ' ')}, or "default"`).argParser(quotaParser(name)));
  recorded(quota);
  recorded(
    command<{ mode: SuspensionMode; reason: string } & Recorded>('suspend', 'suspend a workspace', (operator, workspace, options) =>
      changeOrShow(operator, workspace, { ...recordOf(options), suspension: { mode: options.mode, reason: options.reason } }),
    )
      .argument('<workspace>', 'workspace id', parseWorkspace)
      .addOption(
        new Option('--mode <mode>', 'read-only allows only reads; closed allows nothing')
          .choices(['read-only', 'closed'])
          .default('closed'),
      )
      .requiredOption('--reason <text>', 'shown to the members of the workspace', parseReason),
  );
  recorded(
    command<Recorded>('resume', 'resume a suspended workspace', (operator, workspace, options) =>
      changeOrShow(operator, workspace, { ...recordOf(options), suspension: null }),
    ).argument('<workspace>', 'workspace id', parseWorkspace),
  );
  command(
    'reopen',
    'resume reading the files of an experiment after their lost bytes were repaired (stored-bytes-lost, reading-fails)',
    reopen,
  ).argument('<experiment>', 'experiment id');
  command(
    'remark',
    'apply the data rules again to all stored points of an experiment: remove points of copies, and count concurrent writers',
    remark,
  ).argument('<experiment>', 'experiment id');

  command<CheckOption>(
    'check',
    'check that every object to which the database refers exists and has the recorded size',
    async (operator, workspace, options) => {
      const report = await check(operator, await host.openBlobs(), workspace, options);
      if (report && report.faults.length > 0) exitCode = exitWithFaults;
      return report;
    },
  )
    .argument('[workspace]', 'workspace id; if omitted, all workspaces are checked', parseWorkspace)
    .option('--checksums', 'read every object and verify its bytes too', false)
    .option(
      '--quarantine',
      'make reads of lost event file ranges fail with stored-bytes-lost, and release ranges that are intact again',
      false,
    );

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    exitCode = error.exitCode === 0 ? 0 : 2; // help is not an error; commander has already printed its message
  }
  return exitCode;
}

/** The check itself succeeded, but found faults. */
const exitWithFaults = 3;

interface CheckOption {
  readonly checksums: boolean;
  readonly quarantine: boolean;
}

interface Recorded {
  readonly by: string;
  readonly note?: string;
}

function recordOf({ by, note }: Recorded): Pick<LimitsChange, 'by' | 'note'> {
  return note === undefined ? { by } : { by, note };
}

/**
 * Makes a change if there is one, and returns the resulting state. Null if there is no such
 * workspace.
 */
async function changeOrShow(operator: Operator, workspace: string, change: LimitsChange): Promise<unknown> {
  const tenantId = parseTenantId(workspace);
  return operator.run(async (_, inTenant) => {
    const scope = inTenant(tenantId);
    const changes = change.suspension !== undefined || Object.keys(change.quotas ?? {}).length > 0;
    if (changes && !(await writeWorkspaceLimits(scope, change))) return null;
    const found = await readWorkspace(scope);
    if (!found) return null;
    const set = await readWorkspaceLimits(scope);
    return {
      workspace: { id: tenantId, name: found.name },
      quotas: set?.quotas ?? Object.fromEntries(quotaNames.map((name) => [name, null])),
      suspension: set?.suspension ?? null,
      usage: await readUsage(scope),
      changes: await listLimitsChanges(scope, maxChanges),
    };
  });
}

/**
 * Makes ingest resume files that ended because stored bytes could not be read. If the bytes are
 * still unreadable, ingest ends the files again. Null if there is no such experiment.
 */
async function reopen(operator: Operator, experimentId: string): Promise<unknown> {
  if (!isExperimentId(experimentId)) return null;
  return operator.run(async (trx, inTenant) => {
    const tenantId = await readExperimentRoute(trx, experimentId);
    const reopened = tenantId === null ? null : await reopenFiles(inTenant(tenantId), experimentId);
    return (
      reopened && {
        experiment: experimentId,
        workspace: tenantId,
        reopened_files: reopened.files,
        pending_bytes: reopened.bytes,
        not_kept_files: reopened.notKept,
        held_runs: reopened.heldRuns,
      }
    );
  });
}

/**
 * Requests that ingest apply the data rules to all runs of the experiment. Ingest starts within a
 * few seconds. Null if there is no such experiment.
 */
async function remark(operator: Operator, experimentId: string): Promise<unknown> {
  if (!isExperimentId(experimentId)) return null;
  return operator.run(async (trx, inTenant) => {
    const tenantId = await readExperimentRoute(trx, experimentId);
    return (
      tenantId && { experiment: experimentId, workspace: tenantId, runs: (await requestRemark(inTenant(tenantId), experimentId)).length }
    );
  });
}

/**
 * Checks the objects of one workspace, or of all workspaces. Null if there is no such workspace.
 */
async function check(operator: Operator, blobs: BlobStore, workspace: string, options: CheckOption): Promise<CheckReport | null> {
  if (workspace === '') {
    const all = await operator.run((trx) => listWorkspaces(trx, maxWorkspaces));
    return checkObjects(
      operator,
      blobs,
      all.map(({ tenantId }) => tenantId),
      options,
    );
  }
  const tenantId = parseTenantId(workspace);
  if (!(await operator.run((_, inTenant) => readWorkspace(inTenant(tenantId))))) return null;
  return checkObjects(operator, blobs, [tenantId], options);
}

function parseWorkspace(text: string): string {
  if (!isTenantId(text)) throw new InvalidArgumentError('Use the id of a workspace; `plotline whoami` and `admin workspaces` show it.');
  return text;
}

const maxNameCharacters = 100;

function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > maxNameCharacters)
    throw new InvalidArgumentError(`Use a name of at most ${maxNameCharacters} characters.`);
  return name;
}

const maxReasonCharacters = 500;

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > maxReasonCharacters)
    throw new InvalidArgumentError(`Use a sentence of at most ${maxReasonCharacters} characters.`);
  return reason;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a uid without a name, as in some containers
  }
}
