export type Verdict = 'OK' | 'WARN' | 'ERROR';

/**
 * Whether a client of this version and this service are compatible (semver): ERROR if their major
 * versions differ (before 1.0: their minor versions), WARN if the client is older in the next
 * component, and may lack features. `client` is null if it is unknown.
 */
export function judgeClient(client: string | null, service: string): { verdict: Verdict; message: string } {
  if (client === null) return { verdict: 'OK', message: '' };
  const theirs = parseVersion(client);
  const ours = parseVersion(service);
  if (!ours) throw new Error(`the service has no version: ${service}`);
  if (!theirs) return { verdict: 'ERROR', message: `"${client.slice(0, 40)}" is not a version; this service is ${service}.` };
  const significant = ours[0] === 0 && theirs[0] === 0 ? 1 : 0;
  for (let place = 0; place <= significant; place++) {
    if (theirs[place] === ours[place]) continue;
    const older = theirs[place]! < ours[place]!;
    return {
      verdict: 'ERROR',
      message: `Plotline ${client} does not work with this service (${service}). Update the ${older ? 'CLI' : 'service'}.`,
    };
  }
  if (theirs[significant + 1]! < ours[significant + 1]!)
    return { verdict: 'WARN', message: `Plotline ${client} works, but this service is newer (${service}). Update when you can.` };
  return { verdict: 'OK', message: '' };
}

function parseVersion(text: string): [number, number, number] | null {
  const parts = /^v?([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})(?:[-+][0-9A-Za-z.+-]{1,64})?$/.exec(text);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : null;
}
