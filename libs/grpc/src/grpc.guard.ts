import { setTimeout as sleep } from 'node:timers/promises';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Action, isForVisitors } from '#experiments';
import { ClientAddresses, Permission, policies, type Visit } from '#http';
import { Problem } from '#model';
import { type AnyCall, callOf } from './any-call.ts';
import { beginCall, type CallContext } from './call-context.ts';
import { callPolicies, type VisitedBy } from './decorators.ts';
import { Peers } from './peers.ts';
import { RejectedMessage } from './rejected-message.ts';

/** HTTP clients get the remaining quota in headers; gRPC clients would not read it. */
const nowhere = { setHeader: () => nowhere, getHeader: () => undefined } as unknown as Parameters<Permission['admit']>[1]['response'];

/** Maximum delay between two attempts of a waiting call. */
const longestNapMs = 2_000;

/**
 * Denies by default, as for HTTP: a handler runs only with credentials that permit its action,
 * unless it is marked `@Public()`.
 */
@Injectable()
export class GrpcGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #permission: Permission;
  readonly #addresses: ClientAddresses;
  readonly #peers: Peers;

  constructor(reflector: Reflector, permission: Permission, addresses: ClientAddresses, peers: Peers) {
    this.#reflector = reflector;
    this.#permission = permission;
    this.#addresses = addresses;
    this.#peers = peers;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const call = callOf(execution);
    const context = beginCall(call, this.#peers.isProxied(call));
    const message: unknown = execution.getArgByIndex(0);
    const handler = execution.getHandler();
    this.#peers.check(call);
    if (this.#reflector.get<boolean | undefined>(policies.public, handler) === true) context.request.admitted = true;
    else await this.#admit(execution, context, message, call);
    if (message instanceof RejectedMessage) throw message.problem;
    return true;
  }

  async #admit(execution: ExecutionContext, context: CallContext, message: unknown, call: AnyCall): Promise<void> {
    const handler = execution.getHandler();
    const action = this.#reflector.get<Action | undefined>(policies.action, handler);
    const visited = action !== undefined && isForVisitors(action) ? this.#visited(execution, message) : null;
    const address = this.#addresses.of({ ip: this.#peers.addressOf(call) });
    const waitMs = (this.#reflector.get<number | undefined>(callPolicies.waitAtLimit, handler) ?? 0) * 1_000;
    const since = performance.now();
    for (;;) {
      try {
        await this.#permission.admit(context.carrier, { action, visited, address, response: nowhere });
        return;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'rate-limited') throw error;
        // The suggested delay can exceed the remaining wait and yet be too long, because calls
        // ahead of this one may not return.
        const leftMs = waitMs - (performance.now() - since);
        if (leftMs <= 0) throw error;
        await sleep(Math.min(Math.max(error.retryAfterSeconds ?? 1, 0.1) * 1_000, leftMs, longestNapMs), undefined, {
          signal: context.ended,
        });
        context.request.caller = undefined; // the caller is identified again: a token may have been revoked meanwhile
      }
    }
  }

  /** The experiment in the message. */
  #visited(execution: ExecutionContext, message: unknown): Visit | null {
    const experimentId = this.#visitedExperiment(execution, message);
    return experimentId === null ? null : { experimentId };
  }

  #visitedExperiment(execution: ExecutionContext, message: unknown): string | null {
    if (message === null || typeof message !== 'object' || message instanceof RejectedMessage) return null;
    const own = this.#reflector.get<VisitedBy | undefined>(callPolicies.visits, execution.getHandler());
    if (own) return own(message as never);
    return 'experimentId' in message && typeof message.experimentId === 'string' && message.experimentId !== ''
      ? message.experimentId
      : null;
  }
}
