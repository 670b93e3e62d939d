/** Whether a server on this host is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host of `dns:///host:port`. */
export function hostOf(target: string): string {
  return target
    .replace(/^dns:\/\/\//, '')
    .replace(/:[0-9]+$/, '')
    .replace(/^\[|\]$/g, '');
}
