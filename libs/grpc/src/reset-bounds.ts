import type { EventEmitter } from 'node:events';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { placeOf } from '#http';
import { countShareRejection } from '#telemetry';

/**
 * How many calls of one address may be canceled at once, and per second, over all its connections;
 * a single connection has lower bounds. A guess: ten times what a laboratory behind one address
 * cancels.
 */
const usual = { burst: 1_000, perSecond: 200 };

interface Place {
  readonly sessions: Set<ServerHttp2Session>;
  /** Number of cancellations that are still allowed. */
  left: number;
  /** When `left` was computed. */
  at: number;
}

/** Above this number of addresses, addresses with a full allowance are dropped. */
const maxPlaces = 10_000;

/**
 * Closes all connections of an address (IPv6: of a /64) that cancels too many calls, and new ones
 * until the rate has fallen. `isShared`: addresses that many clients share, e.g. trusted proxies,
 * are not limited. `now`: milliseconds of a monotonic clock.
 */
export function boundResets(
  server: EventEmitter,
  isShared: (address: string) => boolean,
  { burst, perSecond } = usual,
  now: () => number = () => performance.now(),
): void {
  const places = new Map<string, Place>();
  const fill = (place: Place): void => {
    place.left = Math.min(burst, place.left + ((now() - place.at) / 1_000) * perSecond);
    place.at = now();
  };
  const forget = (): void => {
    for (const [name, place] of places) {
      fill(place);
      if (place.sessions.size === 0 && place.left >= burst) places.delete(name);
    }
  };
  const close = (place: Place): void => {
    countShareRejection('resets', 'connections');
    for (const session of place.sessions) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  server.on('session', (session: ServerHttp2Session) => {
    const address = (session.socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
    if (isShared(address)) return;
    const name = placeOf({ ip: address });
    if (places.size >= maxPlaces) forget();
    const place = places.get(name) ?? { sessions: new Set(), left: burst, at: now() };
    places.set(name, place);
    place.sessions.add(session);
    session.once('close', () => place.sessions.delete(session));
    fill(place);
    if (place.left < 1) return close(place);
    session.on('stream', (stream: ServerHttp2Stream) => {
      stream.once('close', () => {
        if (stream.rstCode !== constants.NGHTTP2_CANCEL) return;
        fill(place);
        if (--place.left < 0) close(place);
      });
    });
  });
}
