import { expect, it } from 'vitest';
import { ClientAddresses, ClientAddressSettings } from './client-addresses.ts';

const kept = (auditAddresses: 'full' | 'network' | 'none') =>
  new ClientAddresses(new ClientAddressSettings({ trustedProxies: [], auditAddresses, publicRequestsPerMinute: 1 }));

it.each([
  ['203.0.113.77', '203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:a:b::1', '2001:db8:a:b::1', '2001:db8:a::/48'],
  ['2001:db8::1', '2001:db8::1', '2001:db8::/48'],
  ['2001:0db8:000a:1:2:3:4:5', '2001:0db8:000a:1:2:3:4:5', '2001:db8:a::/48'],
  ['::1', '::1', '::/48'],
  ['fe80::1%eth0', 'fe80::1', 'fe80::/48'],
])('shortens %s as configured', (ip, full, network) => {
  expect(kept('full').of({ ip })).toBe(full);
  expect(kept('network').of({ ip })).toBe(network);
  expect(kept('none').of({ ip })).toBeNull();
});

it.each([
  ['203.0.113.77', '203.0.113.77'],
  ['::ffff:203.0.113.77', '203.0.113.77'],
  ['2001:db8:a:b::1', '2001:db8:a:b::/64'],
  ['2001:db8:a:b:ffff::2', '2001:db8:a:b::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['unknown', ''],
])('counts requests from %s as %s, in every spelling of the address', (ip, place) => {
  for (const form of ['full', 'network', 'none'] as const) expect(kept(form).placeOf({ ip })).toBe(place);
});

it.each([undefined, '', 'unknown', '203.0.113.77, 1.2.3.4', '<script>', '_hidden'])('does not log what is not an address: %s', (ip) => {
  expect(kept('full').of({ ip })).toBeNull();
});
