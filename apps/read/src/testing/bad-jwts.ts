import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** The parts of a valid JWT. */
export interface GoodJwt {
  readonly header: Readonly<Record<string, unknown>> & { readonly kid: string };
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key: KeyObject;
}

/** Targets of invalid ones. */
export interface Elsewhere {
  /** A request to this server means that a URL in a token was followed. */
  readonly baitUrl: string;
  /** Another trusted issuer, with a key `ci`. */
  readonly otherIssuer: string;
}

/** The valid one. */
export function signGood({ header, claims, key }: GoodJwt): string {
  return signed(header, claims, key);
}

/**
 * Reliability test 34, more than forty JWTs: each is the valid JWT, except for the fault in its
 * name.
 */
export function badJwts(good: GoodJwt, { baitUrl, otherIssuer }: Elsewhere): Record<string, string> {
  const { header, claims, key } = good;
  const { kid } = header;
  const now = Math.floor(Date.now() / 1_000);
  const right = signed(header, claims, key);
  const [head, body, signature] = right.split('.') as [string, string, string];
  const publicKey = createPublicKey(key);
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const withHeader = (more: object) => signed({ ...header, ...more }, claims, key);
  const withClaims = (more: object) => signed(header, { ...claims, ...more }, key);
  const without = (name: string) => signed(header, { ...claims, [name]: undefined }, key);
  const text = JSON.stringify(claims);
  return {
    'alg none': `${part({ ...header, alg: 'none' })}.${body}.`,
    'alg none, with a signature': `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
    'alg nOnE': `${part({ ...header, alg: 'nOnE' })}.${body}.${signature}`,
    'no alg': signed({ typ: 'at+jwt', kid }, claims, key),
    'HS256 with our public key as PEM': hmac({ ...header, alg: 'HS256' }, claims, pem),
    'HS256 with our public key as JWK': hmac({ ...header, alg: 'HS256' }, claims, JSON.stringify(publicKey.export({ format: 'jwk' }))),
    'HS256 with an empty secret': hmac({ ...header, alg: 'HS256' }, claims, ''),
    'RS256 under the id of our key': signed({ ...header, alg: 'RS256' }, claims, rsa),
    'ES384 in the header': withHeader({ alg: 'ES384' }),
    'EdDSA under the id of our key': signed({ ...header, alg: 'EdDSA' }, claims, generateKeyPairSync('ed25519').privateKey),
    'signed by a stranger': signed(header, claims, stranger.privateKey),
    'a signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'no signature': `${head}.${body}.`,
    'a signature that was cut': `${head}.${body}.${signature.slice(0, -4)}`,
    'a signature in DER': `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), key).toString('base64url')}`,
    'claims changed after signing': `${head}.${part({ ...claims, scope: 'admin' })}.${signature}`,
    'a header that says where keys are (jku)': withHeader({ jku: `${baitUrl}/keys` }),
    'a header that says where certificates are (x5u)': withHeader({ x5u: `${baitUrl}/cert` }),
    'a header that brings its key (jwk)': signed(
      { ...header, jwk: stranger.publicKey.export({ format: 'jwk' }) },
      claims,
      stranger.privateKey,
    ),
    'a header that brings its certificate (x5c)': withHeader({ x5c: ['MIIB'] }),
    'a critical extension': withHeader({ crit: ['exp'] }),
    'a kid that is a path': withHeader({ kid: '../../../../dev/null' }),
    'a kid that is SQL': withHeader({ kid: `${kid}' or '1'='1` }),
    'a kid that is not known': withHeader({ kid: 'AAAAAAAAAAAAAAAA' }),
    'a kid of an object': withHeader({ kid: '__proto__' }),
    'no kid': signed({ alg: 'ES256', typ: 'at+jwt' }, claims, key),
    'typ JWT': withHeader({ typ: 'JWT' }),
    'typ of a logout token': withHeader({ typ: 'logout+jwt' }),
    'no typ': signed({ alg: 'ES256', kid }, claims, key),
    'a foreign issuer': withClaims({ iss: baitUrl }),
    'an issuer with an extra slash': withClaims({ iss: `${String(claims['iss'])}/` }),
    'several issuers': withClaims({ iss: [claims['iss']] }),
    'no issuer': without('iss'),
    'a foreign audience': withClaims({ aud: 'http://others.example/api/v1' }),
    'no audience': without('aud'),
    'expired a second ago': withClaims({ iat: now - 300, exp: now - 1 }),
    'no expiry': without('exp'),
    'an expiry that is a string': withClaims({ exp: String(now + 600) }),
    'a lifetime of a day': withClaims({ exp: now + 86_400 }),
    'issued tomorrow': withClaims({ iat: now + 86_400, exp: now + 86_700 }),
    'not valid before tomorrow': withClaims({ nbf: now + 86_400 }),
    'a duplicate claim': signed(header, `${text.slice(0, -1)},"workspace":"${randomUUID()}"}`, key),
    'a duplicate claim in the other order': signed(header, `{"scope":"read",${text.slice(1)}`, key),
    'claims that are a list': signed(header, [claims], key),
    'an unknown workspace': withClaims({ workspace: randomUUID() }),
    'an unknown token': withClaims({ token: randomUUID() }),
    'another person': withClaims({ sub: randomUUID() }),
    'made from nothing': without('token'),
    'assembled from two tokens': withClaims({ workload: randomUUID() }),
    'of another issuer that we trust': signed({ alg: 'ES256', typ: 'at+jwt', kid: 'ci' }, { ...claims, iss: otherIssuer }, key),
    'a megabyte': signed(header, { ...claims, filler: 'x'.repeat(1_000_000) }, key),
    encrypted: `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.AAAA.AAAA.AAAA.AAAA`,
  };
}

const part = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs anything, valid or not. */
function signed(header: unknown, claims: unknown, key: KeyObject, hash = 'sha256'): string {
  const input = `${part(header)}.${part(claims)}`;
  const dsaEncoding = key.asymmetricKeyType === 'ec' ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
  return `${input}.${sign(key.asymmetricKeyType === 'ed25519' ? null : hash, Buffer.from(input), { key, ...dsaEncoding }).toString('base64url')}`;
}

function hmac(header: unknown, claims: unknown, secret: string | Buffer): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}
