import { Problem } from '#model';
import { readSignedInRole, type SignedInRole } from './queries/maintenance/read-signed-in-role.ts';
import type { ServiceRole } from './service-roles.ts';
import { shutOut } from './shut-out.ts';
import { mapStoreError } from './store-error.ts';
import type { SignIn, Store } from './store.ts';

/** An address does not sign in as the role that it is for. The message is what it does instead: a sentence whose subject, the address, is for the caller to name. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault';
  /** What the address is for. */
  readonly role: ServiceRole;

  constructor(role: ServiceRole, message: string, options?: ErrorOptions) {
    super(message, options);
    this.role = role;
  }
}

/** Row level security is for requests; COPY cannot run under it, and who looks for pending work looks over all tenants (`migrations/roles.sql`). */
const bypassesRls: Readonly<Record<ServiceRole, boolean>> = { plotline_app: false, plotline_ingest: true, plotline_sweeper: true };

/**
 * Throws {@link SignInFault} unless each address of the store signs in as the role that it is for, and that role is as it should be: a superuser's address
 * would go past row level security, and one under it in the place of ingest would find nothing to do. A Postgres that is away comes as Postgres says it.
 */
export async function assertSignsIn(store: Store): Promise<void> {
  for (const signIn of store.signIns) {
    const { role } = signIn;
    const found = await readSignedInRole(signIn.database).catch((error: unknown) => {
      throw mapStoreError(error) instanceof Problem ? error : new SignInFault(role, refusalOf(signIn, error), { cause: error });
    });
    const fault = signInFaultOf(role, found);
    if (fault !== null) throw new SignInFault(role, fault);
  }
}

/** What is wrong with whom an address of a role signs in as, as {@link SignInFault} says it; null: nothing. */
export function signInFaultOf(role: ServiceRole, { name, worksAs, superuser, bypassesRls: bypasses }: SignedInRole): string | null {
  if (name !== role || worksAs !== role) {
    const rights = superuser ? ', a superuser' : bypasses ? ', which bypasses row-level security' : '';
    return `signs in as ${name}${rights}${worksAs === name ? '' : ` (and works as ${worksAs})`}, but must sign in as ${role}.`;
  }
  if (superuser) return `signs in as ${role}, which must not be a superuser: ${remedy}.`;
  if (bypasses === bypassesRls[role]) return null;
  return bypasses
    ? `signs in as ${role}, which must not have BYPASSRLS: ${remedy}.`
    : `signs in as ${role}, which needs BYPASSRLS: ${remedy}.`;
}

const remedy = '"npm run migrate" with PLOTLINE_DATABASE_URL of an administrator fixes it';

/** What Postgres, or the way there, says, without the password. */
function refusalOf({ url, role }: SignIn, error: unknown): string {
  const { message, code } = error as Error & { readonly code?: unknown };
  const hint = shutOut.has(String(code)) ? ` Check the password, and that "npm run migrate" created ${role} and the database.` : '';
  return `cannot sign in at ${hostOf(url)}: ${message.replace(/\.$/, '')}.${hint}`;
}

/** Host and port of an address, or the folder of a socket. */
function hostOf(address: string): string {
  const { hostname, port, searchParams } = new URL(address);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return `${host || 'localhost'}${port === '' ? '' : `:${port}`}`;
}
