import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { type Action, decide, forbidden, isForVisitors } from '#experiments';
import { Problem } from '#model';
import { AddressGate } from './address-gate.ts';
import { ClientAddresses } from './client-addresses.ts';
import { Credentials } from './credentials.ts';
import { metadata, type Visited } from './decorators.ts';
import { contextOf } from './request-context.ts';
import { WorkspaceGate } from './workspace-gate.ts';

/** Deny by default: a handler is reached with credentials that hold and are good for what it does, in a workspace that works and keeps its pace, or is marked `@Public()`; then its address keeps a pace. */
@Injectable()
export class AuthGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #credentials: Credentials;
  readonly #addresses: ClientAddresses;
  readonly #gate: WorkspaceGate;
  readonly #addressGate: AddressGate;

  constructor(reflector: Reflector, credentials: Credentials, addresses: ClientAddresses, gate: WorkspaceGate, addressGate: AddressGate) {
    this.#addressGate = addressGate;
    this.#addresses = addresses;
    this.#reflector = reflector;
    this.#credentials = credentials;
    this.#gate = gate;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<Request>();
    const context = contextOf(request);
    const marked = (key: string): boolean => this.#reflector.get<boolean | undefined>(key, execution.getHandler()) === true;
    context.page = marked(metadata.page);
    context.oauth = this.#reflector.get<readonly string[] | undefined>(metadata.oauth, execution.getHandler()) !== undefined;
    const response = execution.switchToHttp().getResponse<Response>();
    if (marked(metadata.public)) {
      context.admitted = true; // that there is such an address is no secret
      if (!marked(metadata.uncounted)) await this.#addressGate.admit(request, response);
    } else {
      const action = this.#reflector.get<Action | undefined>(metadata.action, execution.getHandler());
      context.action = action;
      const visited = action !== undefined && isForVisitors(action) ? this.#visited(execution, request) : null;
      const known = await (visited === null ? this.#credentials.identify(request) : this.#credentials.identifyVisitor(request, visited));
      if (!known) throw notSignedIn();
      const caller = { ...known, origin: this.#addresses.originOf(request) };
      context.caller = caller;
      if (action === undefined) throw forbidden(caller, 'hidden');
      const verdict = decide(caller, action);
      if (verdict !== 'allowed') throw forbidden(caller, verdict);
      context.requestsLeft = await this.#gate.admit(caller, action, response);
    }
    context.admitted = true;
    return true;
  }

  /** The experiment that the address names. */
  #visited(execution: ExecutionContext, request: Request): string | null {
    const own = this.#reflector.get<Visited | undefined>(metadata.visits, execution.getHandler());
    if (own) return own(request);
    const { experimentId } = request.params;
    return typeof experimentId === 'string' ? experimentId : null;
  }
}

/** The same words whatever is wrong with the credentials, and whether or not the thing that was asked for exists. */
export function notSignedIn(): Problem {
  return new Problem(
    'unauthenticated',
    'Send an access token that holds: "Authorization: Bearer plt_…". In a browser, open a sign-in link.',
  );
}
