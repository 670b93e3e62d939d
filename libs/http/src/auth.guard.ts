import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { type Action, isForVisitors } from '#experiments';
import { AddressGate } from './address-gate.ts';
import { ClientAddresses } from './client-addresses.ts';
import { metadata, type Visited } from './decorators.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { Permission } from './permission.ts';
import { contextOf, type Visit } from './request-context.ts';
import { RouteTable } from './route-table.ts';

/**
 * Denies by default: a handler runs only with valid credentials that permit its action, in an
 * active workspace within its rate limit. Handlers marked `@Public()` have only a rate limit per
 * address.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #addresses: ClientAddresses;
  readonly #permission: Permission;
  readonly #addressGate: AddressGate;
  readonly #routes: RouteTable;

  constructor(reflector: Reflector, permission: Permission, addresses: ClientAddresses, addressGate: AddressGate, routes: RouteTable) {
    this.#routes = routes;
    this.#reflector = reflector;
    this.#permission = permission;
    this.#addresses = addresses;
    this.#addressGate = addressGate;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<Request>();
    const context = contextOf(request);
    const marked = (key: string): boolean => this.#reflector.get<boolean | undefined>(key, execution.getHandler()) === true;
    context.page = marked(metadata.page);
    context.oauth = this.#reflector.get<readonly string[] | undefined>(metadata.oauth, execution.getHandler()) !== undefined;
    const response = execution.switchToHttp().getResponse<Response>();
    if (marked(metadata.public)) {
      context.admitted = true; // public addresses are no secret
      if (!marked(metadata.uncounted)) await this.#addressGate.admit(request, response);
    } else {
      const action = this.#reflector.get<Action | undefined>(metadata.action, execution.getHandler());
      context.action = action;
      const visited = action !== undefined && isForVisitors(action) ? this.#visited(execution, request) : null;
      await this.#permission.admit(request, { action, visited, address: this.#addresses.of(request), response });
    }
    context.admitted = true;
    // A fixed URL that the pattern of another route matches: `DELETE /invitations/accept`.
    const allow = this.#routes.methodsOf(request.path);
    if (allow.length > 0 && !allow.includes(request.method)) throw methodNotAllowed(allow);
    return true;
  }

  /** The experiment or the report in the URL. */
  #visited(execution: ExecutionContext, request: Request): Visit | null {
    const own = this.#reflector.get<Visited | undefined>(metadata.visits, execution.getHandler());
    const { experimentId, reportId } = request.params;
    const visited = own ? own(request) : experimentId;
    if (typeof visited === 'string') return { experimentId: visited };
    return typeof reportId === 'string' ? { reportId } : null;
  }
}
