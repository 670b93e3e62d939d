import { execFile } from 'node:child_process';
import { chown, readFile, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * - `direct`: as the current user.
 * - `namespace`: in a user namespace, where root (or a user without an entry in the user database,
 *   which initdb rejects) has another uid, while it keeps its own uid outside. File ownership does
 *   not change, and folders that only root may enter are accessible.
 * - `user`: as an unprivileged user that owns the cluster's folder, with a single capability
 *   (CAP_DAC_OVERRIDE) to pass folders that exclude other users. The data folder itself is such a
 *   folder, and the checkout can be below another.
 */
export type RunAsMethod = 'direct' | 'namespace' | 'user';

/** How to start Postgres' programs, which refuse to run as root. */
export interface RunAs {
  readonly method: RunAsMethod;
  /** The owner of the cluster's folder, outside any namespace; null for the current user. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Converts a program and its arguments to the command to execute. */
  command(program: string, args: readonly string[]): { file: string; args: string[] };
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds a way to run `program` with read and write access to `folder` (which must exist). Existing
 * clusters keep their owner: root runs another user's cluster as that user. `only` restricts the
 * ways, for tests.
 */
export async function chooseRunAs(program: string, folder: string, cluster: string, only?: readonly RunAsMethod[]): Promise<RunAs> {
  const uid = process.getuid?.();
  const root = uid === 0;
  const direct: RunAs = { method: 'direct', owner: null, command: (file, args) => ({ file, args: [...args] }) };
  if (uid === undefined || (!root && hasUserEntry())) return direct;

  const owner = root ? await ownerOf(cluster) : null;
  const account = owner !== null && owner.uid !== 0 ? owner : await unprivilegedAccount();
  const ways: RunAs[] = [];
  if (owner === null || owner.uid === 0) ways.push(namespace(account));
  if (root) ways.push(user(account));
  const tried: string[] = [];
  for (const way of ways) {
    if (only && !only.includes(way.method)) continue;
    const failure = await probe(way, program, folder);
    if (failure === null) return way;
    tried.push(`${way.method}: ${failure}`);
  }
  if (!root) return direct; // initdb will report what is missing
  throw new Error(
    `Postgres does not run as root, and this machine offers no alternative (${tried.join('; ')}). ` +
      'Run Plotline as an ordinary user, or set PLOTLINE_DATABASE_URL to a Postgres 18.',
  );
}

/**
 * Changes the owner of a cluster from root to the account that it will run as. In other cases, the
 * owner is already correct.
 */
export async function giveTo(runAs: RunAs, path: string): Promise<void> {
  if (runAs.owner === null) return;
  const { uid, gid } = runAs.owner;
  if ((await stat(path)).uid === uid) return;
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    const inner = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chown(inner, uid, gid);
  }
}

function namespace({ uid, gid }: Account): RunAs {
  const prefix = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  return { method: 'namespace', owner: null, command: (program, args) => ({ file: 'unshare', args: [...prefix, program, ...args] }) };
}

function user(account: Account): RunAs {
  const ids = ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups'];
  const capability = ['--inh-caps', '--ambient-caps', '--bounding-set'].flatMap((set) => [set, '-all,+dac_override']);
  const prefix = [...ids, ...capability, '--'];
  return { method: 'user', owner: account, command: (program, args) => ({ file: 'setpriv', args: [...prefix, program, ...args] }) };
}

/**
 * Returns null if the way works here, otherwise why it does not: the program must start, and the
 * folder must be accessible (and writable, unless the cluster's owner changes).
 */
async function probe(way: RunAs, program: string, folder: string): Promise<string | null> {
  const run = promisify(execFile);
  const start = way.command(program, ['--version']);
  const enter = way.command('/bin/sh', ['-c', way.owner ? 'cd "$1"' : 'cd "$1" && test -w .', 'probe', folder]);
  try {
    await run(start.file, start.args);
    await run(enter.file, enter.args);
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split('\n')[0] ?? message;
  }
}

/**
 * initdb looks up the name of the current user, so the account must have an entry; uses `nobody` if
 * it exists.
 */
async function unprivilegedAccount(): Promise<Account> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid && uid !== '0' ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
  const chosen = accounts.find(({ name }) => name === 'nobody') ?? accounts[0];
  if (!chosen)
    throw new Error('Postgres does not run as root, and /etc/passwd names no other user. Add one, or set PLOTLINE_DATABASE_URL.');
  return { uid: chosen.uid, gid: chosen.gid };
}

function hasUserEntry(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false; // ENOENT: a uid without a name, as in containers
  }
}

async function ownerOf(cluster: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(cluster);
    return { uid, gid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
