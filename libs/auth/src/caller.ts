import { parseTenantId, type TenantId, type View } from '#model';
import type { Creator } from '#store';

/** The roles of a person in a workspace, most powerful first. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** The scopes of a credential; they never exceed its person's role. */
export const scopes = ['read', 'upload', 'manage', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/**
 * The sender of a request, with their workspace and their credential's limits. Every access to
 * tenant data starts from a caller; `decide` (#experiments) determines what the caller may do.
 */
export interface Caller {
  readonly tenantId: TenantId;
  /** {@link nobody} for visitors. */
  readonly personId: string;
  /**
   * `jwt`: a short-lived JWT, created from a token or for a workload. `share`: a visitor with a
   * link. `public`: a visitor who reads a public experiment.
   */
  readonly via: 'token' | 'jwt' | 'session' | 'share' | 'public';
  /** Whether this is a service account: a member that is not a person. */
  readonly program: boolean;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /** The experiments for which the credential is valid; null for the whole workspace. */
  readonly experiments: ReadonlySet<string> | null;
  /** The report that a visitor's link shows; absent for other callers. */
  readonly reportId?: string;
  /** A visitor's view of the experiment; null for other callers. */
  readonly view: View | null;
  /**
   * When the credential expires; absent if it never does. Credentials that it creates for the same
   * person or for a program expire no later.
   */
  readonly until?: Date;
  /** The access token in use, directly or through a JWT or a session; absent if there is none. */
  readonly tokenId?: string;
  /** For the audit log. Absent if there is no request. */
  readonly origin?: Origin;
}

/** The caller's credential, as the creator of other credentials. */
export function creatorOf(caller: Pick<Caller, 'tokenId' | 'until'>): Creator {
  return { tokenId: caller.tokenId ?? null, until: caller.until ?? null };
}

/**
 * The requested expiry or the creating credential's (`until`), whichever is earlier; null for
 * never.
 */
export function endWithin(until: Date | null | undefined, wanted: Date | null): Date | null {
  return until && (wanted === null || until < wanted) ? until : wanted;
}

/** Where a request came from. */
export interface Origin {
  readonly requestId: string;
  /** With the precision that the operator configured; null if not recorded. */
  readonly address: string | null;
}

/** The person id of callers that are not people. */
export const nobody = parseTenantId('00000000-0000-0000-0000-000000000000');

/** Whether a string is the name of a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Whether a string is the name of a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
