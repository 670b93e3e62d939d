import { isIPv4 } from 'node:net';
import type { Request } from 'express';
import type { Origin } from '#auth';
import type { Config } from '#config';
import { addressOf, placeOf, prefixOf } from './place.ts';
import { contextOf } from './request-context.ts';

/** The precision with which client addresses are recorded: full, their network, or not at all. */
type AddressForm = 'full' | 'network' | 'none';

/** The operator's settings; a global module of the process provides them. */
export class ClientAddressSettings {
  /** Addresses and networks of reverse proxies: only their `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly form: AddressForm;
  /** Per address, without credentials. */
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

/** Client addresses: for the audit log, with the configured precision, and for rate limits. */
export class ClientAddresses {
  readonly trustedProxies: readonly string[];
  readonly publicRequestsPerMinute: number;
  readonly #form: AddressForm;

  constructor({ trustedProxies, form, publicRequestsPerMinute }: ClientAddressSettings) {
    this.trustedProxies = trustedProxies;
    this.publicRequestsPerMinute = publicRequestsPerMinute;
    this.#form = form;
  }

  /** The origin of a request, for the audit log. */
  originOf(request: Request): Origin {
    return { requestId: contextOf(request).id, address: this.of(request) };
  }

  /**
   * The client's address in the configured form; null if it must not be recorded or is no longer
   * known.
   */
  of(request: Pick<Request, 'ip'>): string | null {
    const address = addressOf(request);
    if (this.#form === 'none' || address === null) return null;
    return this.#form === 'full' ? address : networkOf(address);
  }

  /** For rate limits only; never stored ({@link placeOf}). */
  placeOf(request: Pick<Request, 'ip'>): string {
    return placeOf(request);
  }
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: a site, not a person. */
function networkOf(address: string): string {
  return isIPv4(address) ? address.replace(/[0-9]+$/, '0/24') : prefixOf(address, 3);
}
