import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';
import type { Origin } from '#auth';
import type { Config } from '#config';
import { contextOf } from './request-context.ts';

/** How exactly addresses of clients are written down: whole, as the network that they are in, or not at all. */
type AddressForm = 'full' | 'network' | 'none';

/** What the operator wants; a global module of the process provides it. */
export class ClientAddressSettings {
  /** Addresses and networks of reverse proxies: only what comes from these is believed about where it came from (`X-Forwarded-For`). */
  readonly trustedProxies: readonly string[];
  readonly form: AddressForm;
  /** Of one address, without credentials. */
  readonly publicRequestsPerMinute: number;

  constructor({
    trustedProxies,
    auditAddresses,
    publicRequestsPerMinute,
  }: Pick<Config['server'], 'trustedProxies' | 'auditAddresses' | 'publicRequestsPerMinute'>) {
    this.trustedProxies = trustedProxies;
    this.form = auditAddresses;
    this.publicRequestsPerMinute = publicRequestsPerMinute;
  }
}

/** Where requests come from: for the audit log, as exactly as the operator wants to know, and to be counted. */
export class ClientAddresses {
  readonly trustedProxies: readonly string[];
  readonly publicRequestsPerMinute: number;
  readonly #form: AddressForm;

  constructor({ trustedProxies, form, publicRequestsPerMinute }: ClientAddressSettings) {
    this.trustedProxies = trustedProxies;
    this.publicRequestsPerMinute = publicRequestsPerMinute;
    this.#form = form;
  }

  /** Where a request comes from, for the audit log. */
  originOf(request: Request): Origin {
    return { requestId: contextOf(request).id, address: this.of(request) };
  }

  /** Null: not to be written down, or not known any more. */
  of(request: Pick<Request, 'ip'>): string | null {
    const address = addressOf(request);
    if (this.#form === 'none' || address === null) return null;
    return this.#form === 'full' ? address : networkOf(address);
  }

  /** For counting, and for nothing that is kept: an IPv4 address, the /64 of an IPv6 address, which is what one line has; what is no address is all one place. */
  placeOf(request: Pick<Request, 'ip'>): string {
    const address = addressOf(request);
    return address === null || isIPv4(address) ? (address ?? '') : prefixOf(address, 4);
  }
}

function addressOf({ ip = '' }: Pick<Request, 'ip'>): string | null {
  const address = ip.replace(/^::ffff:(?=[0-9.]+$)/i, '').replace(/%.*$/, '');
  return isIPv4(address) || isIPv6(address) ? address : null;
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: a site, not a person. */
function networkOf(address: string): string {
  return isIPv4(address) ? address.replace(/[0-9]+$/, '0/24') : prefixOf(address, 3);
}

/** The first `length` parts, of 16 bits each, of an IPv6 address. */
function prefixOf(address: string, length: 3 | 4): string {
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  // An address that ends in IPv4 has one part for two; the first four parts are never among those.
  const missing = Math.max(0, 8 - front.length - back.length - (address.includes('.') ? 1 : 0));
  const parts = [...front, ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...back];
  // The URL parser writes addresses in their one short form (RFC 5952).
  return `${new URL(`http://[${parts.slice(0, length).join(':')}::]`).hostname.slice(1, -1)}/${length * 16}`;
}
