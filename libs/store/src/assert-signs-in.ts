import { Problem } from '#model';
import { readSignedInRole, type SignedInRole } from './queries/maintenance/read-signed-in-role.ts';
import type { ServiceRole } from './service-roles.ts';
import { shutOut } from './shut-out.ts';
import { mapStoreError } from './store-error.ts';
import type { SignIn, Store } from './store.ts';

/**
 * An address does not sign in as its intended role. The message describes what happens instead. It
 * is a sentence without its subject, the address, which the caller adds.
 */
export class SignInFault extends Error {
  override readonly name = 'SignInFault';
  /** The role that the address is for. */
  readonly role: ServiceRole;

  constructor(role: ServiceRole, message: string, options?: ErrorOptions) {
    super(message, options);
    this.role = role;
  }
}

/**
 * Throws {@link SignInFault} unless each address of the store signs in as its intended role, and
 * that role has the expected properties: a superuser's address would bypass row level security. If
 * Postgres is down, throws the Postgres error. `assertIsolated` checks whether ingest and the
 * sweeper reach all tenants, through BYPASSRLS or policies.
 */
export async function assertSignsIn(store: Store): Promise<void> {
  for (const signIn of store.signIns) {
    const { role } = signIn;
    const found = await readSignedInRole(signIn.database).catch((error: unknown) => {
      throw mapStoreError(error) instanceof Problem ? error : new SignInFault(role, rejectionOf(signIn, error), { cause: error });
    });
    const fault = signInFaultOf(role, found);
    if (fault !== null) throw new SignInFault(role, fault);
  }
}

/**
 * Returns the fault of the role that an address signs in as, as a {@link SignInFault}, or null if
 * there is none.
 */
export function signInFaultOf(role: ServiceRole, { name, worksAs, superuser, bypassesRls: bypasses }: SignedInRole): string | null {
  if (name !== role || worksAs !== role) {
    const rights = superuser ? ', a superuser' : bypasses ? ', which bypasses row-level security' : '';
    return `signs in as ${name}${rights}${worksAs === name ? '' : ` (and works as ${worksAs})`}, but must sign in as ${role}.`;
  }
  if (superuser) return `signs in as ${role}, which must not be a superuser: ${remedy}.`;
  return role === 'plotline_app' && bypasses ? `signs in as ${role}, which must not have BYPASSRLS: ${remedy}.` : null;
}

const remedy = '"npm run migrate" with PLOTLINE_DATABASE_URL of an administrator fixes it';

/** Describes the Postgres or connection error, without the password. */
function rejectionOf({ url, role }: SignIn, error: unknown): string {
  const { message, code } = error as Error & { readonly code?: unknown };
  const hint = shutOut.has(String(code)) ? ` Check the password, and that "npm run migrate" created ${role} and the database.` : '';
  return `cannot sign in at ${hostOf(url)}: ${message.replace(/\.$/, '')}.${hint}`;
}

/** An address's host and port, or the folder of its socket. */
function hostOf(address: string): string {
  const { hostname, port, searchParams } = new URL(address);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return `${host || 'localhost'}${port === '' ? '' : `:${port}`}`;
}
