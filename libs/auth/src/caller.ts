/** Who sends a request, in which workspace. Every use of tenant data starts from one. */
export interface Caller {
  readonly tenantId: string;
  readonly personId: string;
  /** A browser session (cookie) may only read, whatever the person's role. */
  readonly via: 'token' | 'session';
  readonly mayWrite: boolean;
}
