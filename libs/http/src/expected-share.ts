import type { IncomingMessage } from 'node:http';
import { callerOf, currentShare, rememberCaller, type Share, strangerShare } from '#admission';

/** A request that may have credentials. */
type Carrying = Pick<IncomingMessage, 'headers'>;

/**
 * The share that a request starts with, before its credentials are checked: the share of the
 * members whom the credentials identified last time, otherwise the share of the client's address.
 * `place`: see `placeOf`.
 */
export function expectedShare(request: Carrying, place: string): Share {
  const credentials = credentialsOf(request);
  return (credentials === undefined ? undefined : callerOf(credentials)) ?? strangerShare(place);
}

/** Remembers the current share for the next request of the same member. */
export function expectMember(request: Carrying): void {
  const credentials = credentialsOf(request);
  if (credentials !== undefined) rememberCaller(credentials, currentShare());
}

function credentialsOf({ headers }: Carrying): string | undefined {
  return headers.authorization ?? headers.cookie;
}
