const parts = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^/?#]*)([^#]*)$/;
const attributes = /([?&])target_session_attrs=([a-z-]+)(&|$)/;

/** A Postgres address with one or several hosts, as libpq supports it. */
export interface PostgresAddress {
  /** An address for each host, in order. */
  readonly urls: readonly string[];
  /** Whether only the primary is acceptable (`target_session_attrs=read-write`). */
  readonly mustWrite: boolean;
}

/**
 * Reads `postgres://user:password@host1:5432,host2/database?target_session_attrs=read-write`.
 * Returns null if the string is not such an address, or if `target_session_attrs` is neither
 * `read-write` nor `any`.
 */
export function parsePostgresAddress(text: string): PostgresAddress | null {
  const [, protocol, user = '', hosts, rest] = parts.exec(text) ?? [];
  if (protocol === undefined || hosts === undefined || rest === undefined) return null;
  const wanted = attributes.exec(rest)?.[2] ?? 'any';
  if (wanted !== 'any' && wanted !== 'read-write') return null;
  const others = rest.replace(attributes, (_, before: string, __, after: string) => (after === '&' ? before : ''));
  const urls = hosts.split(',').map((host) => `${protocol}${user}${host}${others}`);
  return urls.every((url) => URL.canParse(url)) ? { urls, mustWrite: wanted === 'read-write' } : null;
}
