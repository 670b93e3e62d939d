import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasDuplicateMembers } from './duplicate-members.ts';
import { looksLikeJwt, readJwt } from './strict-jwt.ts';

const part = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const header = { alg: 'ES256', kid: 'a', typ: 'JWT' };
const jwt = (head: unknown = header, claims: unknown = { iss: 'x' }, signature = 'AAAA') => `${part(head)}.${part(claims)}.${signature}`;

it('reads an exact signed JWT', () => {
  expect(readJwt(jwt())).toEqual({ header, claims: { iss: 'x' } });
  expect(readJwt(jwt({ alg: 'RS256', kid: 'a', x5t: 'abc' }))?.header).toEqual({ alg: 'RS256', kid: 'a', typ: null });
});

it('rejects every other form', () => {
  for (const text of [
    '',
    'a.b',
    'a.b.c.d',
    '..',
    jwt().replace('.', '..'),
    `${jwt()}=`,
    ` ${jwt()}`,
    jwt(undefined, undefined, 'AAAB='),
    jwt(undefined, undefined, 'AB'), // unused bits
    jwt([header]),
    jwt('null'),
    jwt(header, '[]'),
    jwt(header, '"text"'),
    jwt(header, '{"iss":'),
    jwt(header, { filler: 'x'.repeat(5_000) }),
    `${part(header)}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AAAA`,
  ])
    expect([text.slice(0, 60), readJwt(text)]).toEqual([text.slice(0, 60), null]);
});

it('rejects a header with more than the key id', () => {
  for (const more of [
    { jku: 'https://evil.example/keys' },
    { x5u: 'https://evil.example/cert' },
    { jwk: { kty: 'oct', k: 'AAAA' } },
    { x5c: ['AAAA'] },
    { crit: ['exp'] },
    { b64: false },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { __proto__x: 1 },
    { kid: '../../etc/passwd' },
    { kid: "' or 1=1 --" },
    { kid: 7 },
    { kid: '' },
    { typ: ['at+jwt'] },
    { alg: null },
  ])
    expect([more, readJwt(jwt({ ...header, ...more }))]).toEqual([more, null]);
});

it('finds a member that occurs twice, in any spelling, and no other', () => {
  for (const json of ['{"a":1,"a":2}', String.raw`{"a":1,"\u0061":2}`, '{"b":{"a":[{"x":1, "x" :1}]}}', '{"a":"}","b":{"c":1},"a":2}'])
    expect([json, hasDuplicateMembers(json)]).toEqual([json, true]);
  for (const json of ['{}', '[]', '{"a":{"a":1},"b":["a","a:",{"a":":"}]}', String.raw`{"a":"\"a\":","b":"{\"a\":"}`, '[{"a":1},{"a":2}]'])
    expect([json, hasDuplicateMembers(json)]).toEqual([json, false]);
  fc.assert(fc.property(fc.json(), (json) => !hasDuplicateMembers(JSON.stringify(JSON.parse(json)))));
});

it('rejects a long text, whatever its form', () => {
  expect(looksLikeJwt(jwt())).toBe(true);
  expect(looksLikeJwt(`${'a'.repeat(1_000_000)}.b.c`)).toBe(false);
});
