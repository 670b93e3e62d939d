import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { becomeCaller, endWithClient } from '#admission';
import type { Caller } from '#auth';
import { type Action, decide, forbidden, rules } from '#experiments';
import { Problem } from '#model';
import { Credentials } from './credentials.ts';
import { expectMember } from './expected-share.ts';
import { type Carrier, contextOf, type Visit } from './request-context.ts';
import { WorkspaceGate } from './workspace-gate.ts';

/** A request for permission. */
export interface AdmissionRequest {
  /** Undefined if the handler declares no action, so that it is forbidden for everyone. */
  readonly action: Action | undefined;
  /** What a non-member may visit with this request; null if there is nothing. */
  readonly visited: Visit | null;
  /** The origin of the request, with the configured precision; null if not recorded. */
  readonly address: string | null;
  /** Receives the rate limit headers. */
  readonly response: Pick<ServerResponse, 'setHeader' | 'getHeader'>;
}

/**
 * How to check a caller again after it was admitted and has waited. One caller object per request.
 */
const askAgain = new WeakMap<Caller, () => Promise<void>>();

/**
 * Checks, after a wait and before the result is sent, that the credentials are still valid (at most
 * five seconds old) for the same view and experiments. Throws like the guard. `caller`: the object
 * that the guard admitted, not a copy.
 */
export async function requireStill(caller: Caller): Promise<void> {
  const ask = askAgain.get(caller);
  if (!ask) throw new Error('no request was admitted with this caller');
  await ask();
}

/**
 * The only place that checks permissions, for all protocols: valid credentials that permit the
 * action, in an active workspace within its rate limit. Permissions on individual objects are
 * checked once the object is known.
 */
@Injectable()
export class Permission {
  readonly #credentials: Credentials;
  readonly #gate: WorkspaceGate;

  constructor(credentials: Credentials, gate: WorkspaceGate) {
    this.#credentials = credentials;
    this.#gate = gate;
  }

  /**
   * Records the caller in the request's context, with the action. Throws `unauthenticated`,
   * `forbidden`, `workspace-suspended`, `rate-limited`.
   */
  async admit(request: Carrier, { action, visited, address, response }: AdmissionRequest): Promise<void> {
    const context = contextOf(request);
    context.action = action;
    const known = await (visited === null ? this.#credentials.identify(request) : this.#credentials.identifyVisitor(request, visited));
    if (!known) throw notSignedIn();
    const caller = { ...known, origin: { requestId: context.id, address } };
    context.caller = caller;
    if (action === undefined) throw forbidden(caller, 'hidden');
    const verdict = decide(caller, action);
    if (verdict !== 'allowed') throw forbidden(caller, verdict);
    context.requestsLeft = await this.#gate.admit(caller, action, response);
    const { account } = await this.#gate.terms(caller.tenantId);
    becomeCaller(account, caller.view ? 'visitor' : 'member');
    if (!caller.view) expectMember(request);
    context.admitted = true;
    if (rules[action].scope === 'read') endWithClient();
    askAgain.set(caller, () => this.#requireSame(request, caller, action));
  }

  async #requireSame(request: Carrier, before: Caller, action: Action): Promise<void> {
    const now = await this.#credentials.identifyAgain(request);
    if (!now || !seesTheSame(now, before)) throw notSignedIn();
    const verdict = decide(now, action);
    if (verdict !== 'allowed') throw forbidden(now, verdict);
    await this.#gate.requireOpen(now, action);
  }
}

/**
 * Whether two callers see the same data. A former member may still have a link to a part of the
 * data, or read public experiments.
 */
export function seesTheSame(one: Caller, other: Caller): boolean {
  const shown = ({ tenantId, personId, view, experiments, reportId }: Caller): string =>
    JSON.stringify([tenantId, personId, view, experiments && [...experiments].sort(), reportId]);
  return shown(one) === shown(other);
}

/**
 * The message is the same for every problem with credentials, and whether or not the requested
 * object exists.
 */
export function notSignedIn(): Problem {
  return new Problem(
    'unauthenticated',
    'The request has no valid access token: it is missing, malformed, revoked or expired. Send one ("Authorization: Bearer plt_…"; TensorBoard’s own clients read it from their credentials file). In a browser, open a sign-in link.',
  );
}
