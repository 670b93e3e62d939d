import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { limits, Problem, type TenantId } from '#model';
import { claimIdempotencyKey, saveIdempotentResponse, Store, type TenantScope } from '#store';
import { contextOf } from './request-context.ts';

/** A POST that is safe to repeat. */
export interface IdempotentRequest {
  /**
   * SHA-256 of the person, their credential's limits, and the key; null if the request has no key.
   */
  readonly keyHash: Buffer | null;
  /** SHA-256 of method, URL and body: identifies "the same parameters". */
  readonly requestHash: Buffer;
}

/** The result of a handler: its response's status and JSON. */
export interface Made<T> {
  readonly status: number;
  readonly body: T;
}

/**
 * Parameter decorator for POST handlers that create something: the request's `Idempotency-Key`, for
 * {@link Idempotency.run}.
 */
export const Idempotent = createParamDecorator((_: unknown, execution: ExecutionContext): IdempotentRequest => {
  const request = execution.switchToHttp().getRequest<Request>();
  const key = request.headers['idempotency-key'];
  const { caller } = contextOf(request);
  if (!caller) throw new Error('a public handler has no idempotency keys');
  if (key !== undefined && (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))) {
    throw new Problem('bad-request', 'An Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.');
  }
  const requestHash = createHash('sha256')
    .update(`${request.method}\0${request.originalUrl}\0${JSON.stringify(request.body ?? null)}`)
    .digest();
  // A response is replayed only to a credential with at least the same permissions.
  const bounds = caller.experiments ? `of ${[...caller.experiments].sort().join(' ')}` : '';
  return { keyHash: key === undefined ? null : createHash('sha256').update(`${caller.personId}\0${bounds}\0${key}`).digest(), requestHash };
});

/**
 * Makes repeated POSTs idempotent. The key is stored in the transaction that creates the object, so
 * neither exists without the other. A second request with the key waits for the first and then gets
 * its response. After a crash, neither exists.
 */
@Injectable()
export class Idempotency {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Runs `make` in one tenant transaction, or replays its earlier response (`Idempotency-Replayed:
   * true`). Sets the status of `response`.
   */
  async run<T>(
    tenantId: TenantId,
    { keyHash, requestHash }: IdempotentRequest,
    response: Response,
    make: (scope: TenantScope) => Promise<Made<T>>,
  ): Promise<T> {
    const made = await this.#store.withTenant(tenantId, async (scope): Promise<Made<T>> => {
      if (keyHash === null) return make(scope);
      const earlier = await claimIdempotencyKey(scope, keyHash, requestHash, limits.idempotencyKeyHours);
      if (earlier) {
        if (!earlier.requestHash.equals(requestHash)) {
          throw new Problem(
            'idempotency-key-reused',
            'This Idempotency-Key was used with another request. Choose a new key for a new request.',
          );
        }
        response.setHeader('Idempotency-Replayed', 'true');
        return { status: earlier.status, body: earlier.response as T };
      }
      const fresh = await make(scope);
      await saveIdempotentResponse(scope, keyHash, fresh.status, fresh.body, limits.idempotencyKeyHours);
      return fresh;
    });
    response.status(made.status);
    return made.body;
  }
}
