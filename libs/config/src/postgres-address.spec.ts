import { expect, it } from 'vitest';
import { parsePostgresAddress } from './postgres-address.ts';

it('has an address for each host, with all other parts of it', () => {
  expect(
    parsePostgresAddress('postgres://ada:p%40ss@db-1:5433,db-2,[::1]:5434/plotline?target_session_attrs=read-write&sslmode=verify-full'),
  ).toEqual({
    urls: [
      'postgres://ada:p%40ss@db-1:5433/plotline?sslmode=verify-full',
      'postgres://ada:p%40ss@db-2/plotline?sslmode=verify-full',
      'postgres://ada:p%40ss@[::1]:5434/plotline?sslmode=verify-full',
    ],
    mustWrite: true,
  });
});

it('leaves an address with one host as it is, also one without a host', () => {
  for (const url of ['postgres://ada@db/plotline?sslmode=disable&target=x', 'postgresql:///plotline?host=/run/postgresql', 'postgres://db'])
    expect(parsePostgresAddress(url)).toEqual({ urls: [url], mustWrite: false });
  expect(parsePostgresAddress('postgres://db/plotline?a=b&target_session_attrs=any')).toEqual({
    urls: ['postgres://db/plotline?a=b'],
    mustWrite: false,
  });
});

it('refuses what it does not understand', () => {
  for (const text of [
    '',
    'mysql://db',
    'postgres://db:port/x',
    'postgres://a,b:c/x',
    'postgres://db/x?target_session_attrs=standby',
    'postgres://db/x#y',
  ])
    expect([text, parsePostgresAddress(text)]).toEqual([text, null]);
});
