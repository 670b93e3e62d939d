import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import type { KeySet, VerificationKey } from './key-cache.ts';

/** The members of a JSON Web Key (RFC 7517) that we use; others are ignored. */
const jwkSchema = z.object({
  kty: z.string(),
  kid: z.string().min(1).max(200),
  use: z.string().optional(),
  alg: z.string().optional(),
});
const minRsaBits = 2_048;
const maxKeys = 100;

/**
 * The keys in a key set that can verify signatures: RSA for RS256, P-256 for ES256. Others are
 * skipped: no token is accepted with them.
 */
export function readKeySet(document: unknown): KeySet {
  const { keys } = z.object({ keys: z.array(z.unknown()).max(maxKeys) }).parse(document);
  const known = new Map<string, VerificationKey>();
  for (const candidate of keys) {
    const jwk = jwkSchema.safeParse(candidate);
    if (!jwk.success || (jwk.data.use !== undefined && jwk.data.use !== 'sig')) continue;
    const key = verificationKey(candidate as JsonWebKey);
    if (key && (jwk.data.alg === undefined || jwk.data.alg === key.algorithm)) known.set(jwk.data.kid, key);
  }
  return known;
}

function verificationKey(jwk: JsonWebKey): VerificationKey | null {
  try {
    // Keeps only public members: a private part that was published by mistake is dropped.
    const { kty, n, e, crv, x, y } = jwk;
    if (kty === 'RSA') {
      const key = createPublicKey({ format: 'jwk', key: { kty, n, e } });
      return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= minRsaBits ? { algorithm: 'RS256', key } : null;
    }
    if (kty === 'EC' && crv === 'P-256') return { algorithm: 'ES256', key: createPublicKey({ format: 'jwk', key: { kty, crv, x, y } }) };
    return null;
  } catch {
    return null; // not a key
  }
}
