/**
 * The addresses outside of this machine that a trace of system calls (`strace`) shows: one for each `connect` or send to an address, whether it succeeded
 * or not, as `192.0.2.1:443`. Loopback, Unix and netlink sockets are not outside.
 */
export function* attemptsIn(trace: string): Generator<string> {
  for (const line of trace.split('\n')) {
    for (const [, port, , v4, v6] of line.matchAll(address)) {
      if (v4 !== undefined ? !v4.startsWith('127.') && v4 !== '0.0.0.0' : !isLoopback6(v6!)) yield `${v4 ?? `[${v6}]`}:${port}`;
    }
  }
}

/** `sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")`, and what IPv6 has instead; it stands in the arguments of connect and of sends alike. */
const address =
  /sin6?_port=htons\((\d+)\), (?:sin6_flowinfo=htonl\(\w+\), )?(sin_addr=inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)", &sin6_addr\))/g;

/** `::` as a target is this machine. */
function isLoopback6(text: string): boolean {
  return text === '::1' || text === '::' || text.startsWith('::ffff:127.');
}
