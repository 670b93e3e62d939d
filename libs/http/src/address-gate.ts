import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Problem } from '#model';
import { RequestRates } from '#workspaces';
import { ClientAddresses } from './client-addresses.ts';
import { setRateLimit } from './rate-limit.ts';

/**
 * What nobody has to sign in for is counted by where it comes from: one place cannot fill the tables of codes and attempts, or keep the database busy, for all. Each process counts for
 * itself and in memory only, so that addresses are kept nowhere. Who is signed in is counted with their workspace instead.
 */
@Injectable()
export class AddressGate {
  readonly #addresses: ClientAddresses;
  readonly #rates = new RequestRates();

  constructor(addresses: ClientAddresses) {
    this.#addresses = addresses;
  }

  /** Takes one request of those that its address may send in a minute. Throws `rate-limited`. */
  async admit(request: Request, response: Pick<ServerResponse, 'setHeader' | 'getHeader'>): Promise<void> {
    const perMinute = this.#addresses.publicRequestsPerMinute;
    const { granted, left, waitMs } = await this.#rates.take(this.#addresses.placeOf(request), perMinute);
    const seconds = granted > 0 ? null : Math.ceil(waitMs / 1_000);
    const quota = { policy: 'address', quota: perMinute, unit: 'requests', left, seconds, windowSeconds: 60 } as const;
    setRateLimit(response, [quota]);
    if (seconds === null) return;
    throw new Problem(
      'rate-limited',
      `From one address, ${perMinute} requests a minute may come without credentials. Try again in ${seconds} s.`,
      {
        retryAfterSeconds: seconds,
        quotas: [quota],
      },
    );
  }
}
