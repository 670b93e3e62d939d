/**
 * Returns the addresses of other machines in a trace of system calls (`strace`): one for each
 * `connect` or send to an address, successful or not, as `192.0.2.1:443`. Loopback, Unix and
 * netlink sockets do not count; neither does Chromium's route check.
 */
export function* attemptsIn(trace: string): Generator<string> {
  for (const line of trace.split('\n')) {
    if (looksForRoute.test(line)) continue;
    for (const [, port, , v4, v6] of line.matchAll(address)) {
      if (v4 !== undefined ? !v4.startsWith('127.') && v4 !== '0.0.0.0' : !isLoopback6(v6!)) yield `${v4 ?? `[${v6}]`}:${port}`;
    }
  }
}

/**
 * `sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")`, or the IPv6 form, in the arguments of
 * connect and of sends.
 */
const address =
  /sin6?_port=htons\((\d+)\), (?:sin6_flowinfo=htonl\(\w+\), )?(sin_addr=inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)", &sin6_addr\))/g;

/**
 * On every start, Chromium checks whether the kernel has a route for IPv6: it connects a datagram
 * socket to this address without sending anything, and closes it (`HostResolverManager`,
 * net/dns/host_resolver_manager.cc). A stream to this address counts as an attempt.
 */
const looksForRoute = /connect\(\d+<UDPv6:\S*, \{[^}]*sin6_port=htons\(443\)[^}]*"2001:4860:4860::8888"/;

/** Returns the number of Chromium's route checks in the trace, which `attemptsIn` omits. */
export function routeLooksIn(trace: string): number {
  return trace.split('\n').filter((line) => looksForRoute.test(line)).length;
}

/** `::` as a destination is this machine. */
function isLoopback6(text: string): boolean {
  return text === '::1' || text === '::' || text.startsWith('::ffff:127.');
}
