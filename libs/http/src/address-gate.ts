import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Problem } from '#model';
import { RequestRates } from '#workspaces';
import { ClientAddresses } from './client-addresses.ts';
import { setRateLimit } from './rate-limit.ts';

/**
 * The fraction of an address's requests per minute that may start an action that waits for a
 * person, but at least ten requests. A person approves each program, and a whole lab may sign in
 * from one address.
 */
const waitingParts = { programs: 1 / 60, people: 1 / 10 } as const;
const minWaiting = 10;

const limited = {
  address: 'without credentials',
  programs: 'that start the sign-in of a program',
  people: 'that start the sign-in of a person',
} as const;

type HeaderTarget = Pick<ServerResponse, 'setHeader' | 'getHeader'>;

/**
 * Limits requests without sign-in by client address: a single address cannot fill the tables of
 * codes and attempts, or keep the database busy. Each process counts separately and only in memory,
 * so addresses are not stored. Signed-in callers count against their workspace instead.
 */
@Injectable()
export class AddressGate {
  readonly #addresses: ClientAddresses;
  readonly #rates = new RequestRates();

  constructor(addresses: ClientAddresses) {
    this.#addresses = addresses;
  }

  /** Counts one request against the address's limit per minute. Throws `rate-limited`. */
  async admit(request: Request, response: HeaderTarget): Promise<void> {
    await this.#take('address', this.#addresses.placeOf(request), this.#addresses.publicRequestsPerMinute, response);
  }

  /**
   * Like {@link admit}, for requests that keep a row until a person acts. The number of rows is
   * limited, so no address may use all of them.
   */
  async admitWaiting(who: keyof typeof waitingParts, request: Request, response: HeaderTarget): Promise<void> {
    const perMinute = Math.max(minWaiting, Math.floor(this.#addresses.publicRequestsPerMinute * waitingParts[who]));
    await this.#take(who, this.#addresses.placeOf(request), perMinute, response);
  }

  async #take(policy: 'address' | keyof typeof waitingParts, place: string, perMinute: number, response: HeaderTarget): Promise<void> {
    const { granted, left, waitMs } = await this.#rates.take(`${policy} ${place}`, perMinute);
    const seconds = granted > 0 ? null : Math.ceil(waitMs / 1_000);
    const quota = { policy, quota: perMinute, unit: 'requests', left, seconds, windowSeconds: 60 } as const;
    setRateLimit(response, [quota]);
    if (seconds === null) return;
    throw new Problem(
      'rate-limited',
      `One address can send ${perMinute} requests a minute ${limited[policy]}. Try again in ${seconds} s.`,
      {
        retryAfterSeconds: seconds,
        quotas: [quota],
      },
    );
  }
}
