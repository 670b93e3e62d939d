import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Problem } from '#model';
import { Credentials } from './credentials.ts';
import { metadata } from './decorators.ts';
import { contextOf } from './request-context.ts';

/** Deny by default: a handler is reached with credentials that hold, or is marked `@Public()`. */
@Injectable()
export class AuthGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #credentials: Credentials;

  constructor(reflector: Reflector, credentials: Credentials) {
    this.#reflector = reflector;
    this.#credentials = credentials;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<Request>();
    const context = contextOf(request);
    const marked = (key: string): boolean => this.#reflector.get<boolean | undefined>(key, execution.getHandler()) === true;
    context.page = marked(metadata.page);
    if (!marked(metadata.public)) {
      const caller = await this.#credentials.identify(request);
      if (!caller) throw notSignedIn();
      const reads = request.method === 'GET' || request.method === 'HEAD' || marked(metadata.reads);
      if (!reads && !caller.mayWrite) {
        throw new Problem(
          'forbidden',
          caller.via === 'session'
            ? 'A signed-in browser may only read. Use an access token to change things.'
            : 'This token may only read.',
        );
      }
    }
    context.admitted = true;
    return true;
  }
}

/** The same words whatever is wrong with the credentials, and whether or not the thing that was asked for exists. */
export function notSignedIn(): Problem {
  return new Problem(
    'unauthenticated',
    'Send an access token that holds: "Authorization: Bearer plt_…". In a browser, open a sign-in link.',
  );
}
