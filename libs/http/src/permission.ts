import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { becomeCaller } from '#admission';
import type { Caller } from '#auth';
import { type Action, decide, forbidden } from '#experiments';
import { Problem } from '#model';
import { Credentials } from './credentials.ts';
import { type Carrier, contextOf } from './request-context.ts';
import { WorkspaceGate } from './workspace-gate.ts';

/** What somebody asks for. */
export interface Wish {
  /** Undefined: the handler does not say, and nobody may. */
  readonly action: Action | undefined;
  /** The experiment that somebody who is no member may visit by it; null: none. */
  readonly visited: string | null;
  /** Where it comes from, as it may be written down; null: not at all. */
  readonly address: string | null;
  /** What is left of the workspace's requests is said there. */
  readonly response: Pick<ServerResponse, 'setHeader' | 'getHeader'>;
}

/** How to ask again about a caller: whoever was let in may have waited since. Callers of one request each. */
const askAgain = new WeakMap<Caller, () => Promise<void>>();

/**
 * For what waited, before it is told what it waited for: throws as the guard does unless the credentials still hold, as of at most five seconds ago, for the same view and the same experiments.
 * `caller`: the one that the guard let in, and no copy of it.
 */
export async function requireStill(caller: Caller): Promise<void> {
  const ask = askAgain.get(caller);
  if (!ask) throw new Error('nobody was let in as this caller');
  await ask();
}

/**
 * The one place where permission is asked, whatever protocol the request came by: credentials that hold and are good for what it does, in a workspace that
 * works and keeps its pace. Which things they are good for is asked again where the thing is known.
 */
@Injectable()
export class Permission {
  readonly #credentials: Credentials;
  readonly #gate: WorkspaceGate;

  constructor(credentials: Credentials, gate: WorkspaceGate) {
    this.#credentials = credentials;
    this.#gate = gate;
  }

  /** Notes the caller in the request's context, with the action. Throws `unauthenticated`, `forbidden`, `workspace-suspended`, `rate-limited`. */
  async admit(request: Carrier, { action, visited, address, response }: Wish): Promise<void> {
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
    context.admitted = true;
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

/** Whether two callers are shown the same. A person who is no member any more may still hold a link to a part, or read what is public. */
export function seesTheSame(one: Caller, other: Caller): boolean {
  const shown = ({ tenantId, personId, view, experiments }: Caller): string =>
    JSON.stringify([tenantId, personId, view, experiments && [...experiments].sort()]);
  return shown(one) === shown(other);
}

/** The same words whatever is wrong with the credentials, and whether or not the thing that was asked for exists. */
export function notSignedIn(): Problem {
  return new Problem(
    'unauthenticated',
    'The request has no valid access token: it is missing, malformed, revoked or expired. Send one ("Authorization: Bearer plt_…"; TensorBoard’s own clients read it from their credentials file). In a browser, open a sign-in link.',
  );
}
