import { hasDuplicateMembers } from './duplicate-members.ts';

/** The two readable parts of a JWT. Do not trust them before the signature is verified. */
export interface UncheckedJwt {
  readonly header: { readonly alg: string; readonly kid: string; readonly typ: string | null };
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Longer JWTs do not fit in the HTTP headers that we accept. */
const maxJwtCharacters = 4_096;
const form = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;
/**
 * Allowed header members (RFC 7515, 4.1). The key id is allowed, but never the key's location (jku,
 * x5u) or the key itself (jwk, x5c). x5t is a checksum that some issuers include.
 */
const headerNames = new Set(['alg', 'kid', 'typ', 'x5t', 'x5t#S256']);
/** A plain name without a path or query, because it is only looked up in a table. */
const kidForm = /^[A-Za-z0-9._~+=:-]{1,200}$/;

/** Whether a string can be a JWT. Does not verify it. */
export function looksLikeJwt(text: string): boolean {
  return text.length <= maxJwtCharacters && form.test(text);
}

/**
 * Parses a signed JWT in compact form. Returns null for any other string, or if the JWT has header
 * members that are not allowed.
 */
export function readJwt(token: string): UncheckedJwt | null {
  const parts = token.length <= maxJwtCharacters ? form.exec(token) : null;
  if (!parts || !parts.slice(1).every(isCanonical)) return null;
  const [header, claims] = [objectIn(parts[1]!), objectIn(parts[2]!)];
  if (!header || !claims || Object.keys(header).some((name) => !headerNames.has(name))) return null;
  const { alg, kid, typ = null } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string' || !kidForm.test(kid) || (typ !== null && typeof typ !== 'string')) return null;
  return { header: { alg, kid, typ }, claims };
}

/** Only one encoding per value: unused bits are zero (RFC 4648, 3.5). */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function objectIn(part: string): Record<string, unknown> | null {
  try {
    const text = utf8.decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || hasDuplicateMembers(text)) return null;
    return value as Record<string, unknown>;
  } catch {
    return null; // not UTF-8, or not JSON
  }
}
