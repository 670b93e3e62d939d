import { EventEmitter } from 'node:events';
import { constants } from 'node:http2';
import { expect, it } from 'vitest';
import { boundResets } from './reset-bounds.ts';

/** The part of an HTTP/2 server's connection that the bounds use. */
class Session extends EventEmitter {
  isClosed = false;
  readonly socket: { readonly remoteAddress: string };

  constructor(remoteAddress: string) {
    super();
    this.socket = { remoteAddress };
  }

  destroy(): void {
    this.isClosed = true;
    this.emit('close');
  }

  /** Starts a call, which ends with this code before its response. */
  abort(rstCode: number = constants.NGHTTP2_CANCEL): void {
    const stream = Object.assign(new EventEmitter(), { rstCode });
    this.emit('stream', stream);
    stream.emit('close');
  }
}

function bounded() {
  const server = new EventEmitter();
  let now = 0;
  boundResets(server, (address) => address === '192.0.2.9', { burst: 10, perSecond: 2 }, () => now); // prettier-ignore
  const open = (address: string): Session => {
    const session = new Session(address);
    server.emit('session', session);
    return session;
  };
  return { open, wait: (ms: number) => void (now += ms) };
}

it('counts cancellations of all connections of an address together', () => {
  const { open } = bounded();
  const [first, second, other] = [open('192.0.2.1'), open('::ffff:192.0.2.1'), open('192.0.2.2')];
  for (let i = 0; i < 5; i++) first.abort();
  for (let i = 0; i < 5; i++) second.abort();
  expect([first.isClosed, second.isClosed]).toEqual([false, false]);
  second.abort();
  expect([first.isClosed, second.isClosed, other.isClosed]).toEqual([true, true, false]);
});

it('counts an IPv6 /64 as one address', () => {
  const { open } = bounded();
  const sessions = Array.from({ length: 11 }, (_, i) => open(`2001:db8:0:1::${i + 1}`));
  const other = open('2001:db8:0:2::1');
  for (const session of sessions) session.abort();
  expect(sessions.every(({ isClosed }) => isClosed)).toBe(true);
  expect(other.isClosed).toBe(false);
});

it('closes new connections of the address until its rate has fallen', () => {
  const { open, wait } = bounded();
  const flood = open('192.0.2.1');
  for (let i = 0; i < 11; i++) flood.abort();
  expect(open('192.0.2.1').isClosed).toBe(true);
  wait(2_000);
  const later = open('192.0.2.1');
  expect(later.isClosed).toBe(false);
  for (let i = 0; i < 4; i++) later.abort();
  expect(later.isClosed).toBe(true);
});

it('counts only cancellations, and none from a proxy for many clients', () => {
  const { open } = bounded();
  const [ended, proxy] = [open('192.0.2.1'), open('192.0.2.9')];
  for (let i = 0; i < 50; i++) {
    ended.abort(constants.NGHTTP2_NO_ERROR);
    proxy.abort();
  }
  expect([ended.isClosed, proxy.isClosed]).toEqual([false, false]);
});
