import { expect, it } from 'vitest';
import { attemptsIn, routeLooksIn } from './attempts.ts';

// Lines in the format of strace 6.1.
const dns =
  'connect(22<socket:[5]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.255.255.53")}, 16) = -1 ENETUNREACH (Network is unreachable)';
const v6 =
  'connect(23, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 EINPROGRESS';
const datagram = 'sendto(7, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("192.0.2.7")}, 16) = 1';
const inside = [
  'connect(22, {sa_family=AF_INET, sin_port=htons(6100), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
  'connect(22, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
  'connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file or directory)',
  'sendto(8, "x", 1, MSG_NOSIGNAL, NULL, 0) = 1',
  'sendto(9, [{nlmsg_len=20}], 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20',
].join('\n');

it('finds every attempt to reach another machine, even a failed one', () => {
  expect([...attemptsIn([inside, dns, inside, v6, datagram].join('\n'))]).toEqual(['10.255.255.53:53', '[2001:db8::1]:443', '192.0.2.7:9']);
});

it("ignores Chromium's route check, but no other traffic to its address", () => {
  const route =
    'connect(20<UDPv6:[1708964]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:4860:4860::8888", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH (Network is unreachable)';
  expect([...attemptsIn(route)]).toEqual([]);
  expect(routeLooksIn([inside, route, dns, route].join('\n'))).toBe(2);
  const others = [route.replace('UDPv6', 'TCPv6'), route.replace('(443)', '(53)'), route.replace('::8888', '::8844')];
  expect([...attemptsIn(others.join('\n'))]).toEqual([
    '[2001:4860:4860::8888]:443',
    '[2001:4860:4860::8888]:53',
    '[2001:4860:4860::8844]:443',
  ]);
  expect(routeLooksIn(others.join('\n'))).toBe(0);
});

it('ignores traffic to this machine', () => {
  expect([...attemptsIn(inside)]).toEqual([]);
});
