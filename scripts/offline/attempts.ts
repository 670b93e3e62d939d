/**
 * The addresses outside of this machine that a trace of system calls (`strace`) shows: one for each `connect` or send to an address, whether it succeeded
 * or not, as `192.0.2.1:443`. Loopback, Unix and netlink sockets are not outside; Chromium's look for a route is no attempt.
 */
export function* attemptsIn(trace: string): Generator<string> {
  for (const line of trace.split('\n')) {
    if (looksForRoute.test(line)) continue;
    for (const [, port, , v4, v6] of line.matchAll(address)) {
      if (v4 !== undefined ? !v4.startsWith('127.') && v4 !== '0.0.0.0' : !isLoopback6(v6!)) yield `${v4 ?? `[${v6}]`}:${port}`;
    }
  }
}

/** `sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")`, and what IPv6 has instead; it stands in the arguments of connect and of sends alike. */
const address =
  /sin6?_port=htons\((\d+)\), (?:sin6_flowinfo=htonl\(\w+\), )?(sin_addr=inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)", &sin6_addr\))/g;

/**
 * Chromium asks the kernel whether there is a route for IPv6: it connects a datagram socket to this address, which sends nothing, and closes it
 * (`HostResolverManager`, net/dns/host_resolver_manager.cc), whatever it is to show. A stream to this address is an attempt.
 */
const looksForRoute = /connect\(\d+<UDPv6:\S*, \{[^}]*sin6_port=htons\(443\)[^}]*"2001:4860:4860::8888"/;

/** How often the trace shows Chromium looking for a route: what `attemptsIn` leaves out. */
export function routeLooksIn(trace: string): number {
  return trace.split('\n').filter((line) => looksForRoute.test(line)).length;
}

/** `::` as a target is this machine. */
function isLoopback6(text: string): boolean {
  return text === '::1' || text === '::' || text.startsWith('::ffff:127.');
}
