import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The unit of rate limits: an IPv4 address, or the /64 of an IPv6 address, which typically belongs
 * to one customer. Anything else counts as one place.
 */
export function placeOf(request: Pick<Request, 'ip'>): string {
  const address = addressOf(request);
  return address === null || isIPv4(address) ? (address ?? '') : prefixOf(address, 4);
}

/**
 * The address without its zone, and IPv4-mapped addresses as IPv4; null if the string is not an
 * address.
 */
export function addressOf({ ip = '' }: Pick<Request, 'ip'>): string | null {
  const address = ip.replace(/^::ffff:(?=[0-9.]+$)/i, '').replace(/%.*$/, '');
  return isIPv4(address) || isIPv6(address) ? address : null;
}

/** The first `length` groups, of 16 bits each, of an IPv6 address. */
export function prefixOf(address: string, length: 3 | 4): string {
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  // In an address that ends in IPv4, one part stands for two groups, which are never among the
  // first four.
  const missing = Math.max(0, 8 - front.length - back.length - (address.includes('.') ? 1 : 0));
  const parts = [...front, ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...back];
  // The URL parser writes addresses in their canonical short form (RFC 5952).
  return `${new URL(`http://[${parts.slice(0, length).join(':')}::]`).hostname.slice(1, -1)}/${length * 16}`;
}
