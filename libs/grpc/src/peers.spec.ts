import { Metadata } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import type { AnyCall } from './any-call.ts';
import { Peers } from './peers.ts';

/** A call with only its origin. */
function callFrom(peer: string, forwardedFor?: string): AnyCall {
  const metadata = new Metadata();
  if (forwardedFor !== undefined) metadata.set('x-forwarded-for', forwardedFor);
  return { getPeer: () => peer, metadata } as unknown as AnyCall;
}

const peers = new Peers(['10.0.0.0/8', '2001:db8::/32'], true);

it.each(['10.1.2.3:4711', '[2001:db8::1]:4711', '::ffff:10.1.2.3:4711'])('accepts calls from a declared proxy: %s', (peer) => {
  expect(() => peers.check(callFrom(peer))).not.toThrow();
});

it.each(['192.0.2.1:4711', '127.0.0.1:4711', '[2001:db9::1]:4711', 'unix:/tmp/x', ''])(
  'rejects calls from others where only proxies may call: %s',
  (peer) => {
    expect(() => peers.check(callFrom(peer))).toThrow(/reverse proxy/);
    expect(() => new Peers([], false).check(callFrom(peer))).not.toThrow();
  },
);

it('trusts only proxies about the origin of a call', () => {
  expect(peers.addressOf(callFrom('10.1.2.3:4711', '203.0.113.9, 198.51.100.7'))).toBe('198.51.100.7');
  expect(peers.addressOf(callFrom('10.1.2.3:4711', '203.0.113.9, 10.9.9.9'))).toBe('203.0.113.9');
  expect(peers.addressOf(callFrom('192.0.2.1:4711', '203.0.113.9'))).toBe('192.0.2.1');
  expect(peers.addressOf(callFrom('10.1.2.3:4711', 'nonsense'))).toBe('10.1.2.3');
  expect(peers.addressOf(callFrom('[2001:db8::1]:4711'))).toBe('2001:db8::1');
});

it('detects whether a proxy forwards a call', () => {
  expect(['10.1.2.3:4711', '192.0.2.1:4711'].map((peer) => peers.isProxied(callFrom(peer)))).toEqual([true, false]);
});
