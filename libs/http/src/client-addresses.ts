import { isIPv4 } from 'node:net';
import type { Request } from 'express';
import type { Origin } from '#auth';
import type { Config } from '#config';
import { addressOf, placeOf, prefixOf } from './place.ts';
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

  /** For counting, and for nothing that is kept ({@link placeOf}). */
  placeOf(request: Pick<Request, 'ip'>): string {
    return placeOf(request);
  }
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: a site, not a person. */
function networkOf(address: string): string {
  return isIPv4(address) ? address.replace(/[0-9]+$/, '0/24') : prefixOf(address, 3);
}
