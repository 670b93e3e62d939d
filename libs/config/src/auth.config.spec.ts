import { expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

const issuersOf = (text: string) => loadConfig({ PLOTLINE_WORKLOAD_ISSUERS: text }).auth.workloadIssuers;

it('parses issuers, with and without the address of their keys', () => {
  expect(issuersOf('')).toEqual([]);
  expect(issuersOf('https://ci.example, https://k8s.example/  https://keys.example/jwks ,http://127.0.0.1:8080')).toEqual([
    { issuer: 'https://ci.example', jwksUrl: null },
    { issuer: 'https://k8s.example/', jwksUrl: 'https://keys.example/jwks' }, // issuers are compared literally
    { issuer: 'http://127.0.0.1:8080', jwksUrl: null },
  ]);
});

it('rejects issuers that someone in the network could impersonate', () => {
  for (const text of [
    'http://ci.example',
    'https://ci.example http://ci.example/keys',
    'ci.example',
    'https://a https://b https://c',
    'file:///keys',
  ])
    expect(() => issuersOf(text), text).toThrow('PLOTLINE_WORKLOAD_ISSUERS');
});

it('rejects a secret key that is too short, without repeating it', () => {
  const secret = 'only-a-few-letters';
  expect(() => loadConfig({ PLOTLINE_SECRET_KEY: secret })).toThrow(/^PLOTLINE_SECRET_KEY: must have 32 or more/);
  expect(() => loadConfig({ PLOTLINE_SECRET_KEY: secret })).not.toThrow(secret);
});
