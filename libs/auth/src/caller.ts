import type { View } from '#model';
import type { Maker } from '#store';

/** What a person is in a workspace, from the one who may do most. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** What a credential is for; it never lets anybody do more than the role of its person. */
export const scopes = ['read', 'upload', 'manage', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who sends a request, in which workspace, and within which bounds. Every use of tenant data starts from one; `decide` (#experiments) says what it may. */
export interface Caller {
  readonly tenantId: string;
  /** {@link nobody} of visitors. */
  readonly personId: string;
  /** `jwt`: a short one, made from a token or for a workload; `share`, `public`: a visitor, who holds a link or reads what is public. */
  readonly via: 'token' | 'jwt' | 'session' | 'share' | 'public';
  /** A service account: a member that is no person. */
  readonly program: boolean;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /** The credential is good for these experiments only; null: for the whole workspace. */
  readonly experiments: ReadonlySet<string> | null;
  /** What a visitor may see of the experiment; null: no visitor. */
  readonly view: View | null;
  /** When the credential ends; absent: it has no end of its own. What it makes for the same person, or a program, lasts no longer. */
  readonly until?: Date;
  /** The access token that they came by, also where a JWT or a session was made from it; absent: none. */
  readonly tokenId?: string;
  /** For the audit log. Absent: no request asked for it. */
  readonly origin?: Origin;
}

/** The credential of the caller, for what they make by it. */
export function makerOf(caller: Pick<Caller, 'tokenId' | 'until'>): Maker {
  return { tokenId: caller.tokenId ?? null, until: caller.until ?? null };
}

/** The earlier one of the end that somebody wants for a credential and that of the credential that makes it (`until`); null: none. */
export function endWithin(until: Date | null | undefined, wanted: Date | null): Date | null {
  return until && (wanted === null || until < wanted) ? until : wanted;
}

/** Where a request came from. */
export interface Origin {
  readonly requestId: string;
  /** As exactly as the operator wants to know; null: not at all. */
  readonly address: string | null;
}

/** The person id of who is no person here. */
export const nobody = '00000000-0000-0000-0000-000000000000';

/** Whether a text names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
