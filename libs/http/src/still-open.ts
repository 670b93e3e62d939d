import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { type Action, rules } from '#experiments';
import { metadata } from './decorators.ts';
import { contextOf } from './request-context.ts';
import { WorkspaceGate } from './workspace-gate.ts';

/** A response that took longer than this is checked again before it is sent. */
const longMs = 1_000;

/**
 * A request can wait for a long time. If its workspace is closed in the meantime, its result is not
 * sent. Completed changes remain and are reported.
 */
@Injectable()
export class StillOpenInterceptor implements NestInterceptor {
  readonly #reflector: Reflector;
  readonly #gate: WorkspaceGate;

  constructor(reflector: Reflector, gate: WorkspaceGate) {
    this.#reflector = reflector;
    this.#gate = gate;
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const action = this.#reflector.get<Action | undefined>(metadata.action, execution.getHandler());
    const { caller } = contextOf(execution.switchToHttp().getRequest<Request>());
    if (action === undefined || !caller || rules[action].scope !== 'read') return next.handle();
    const startedAt = performance.now();
    return next.handle().pipe(
      mergeMap(async (response: unknown) => {
        if (performance.now() - startedAt > longMs) await this.#gate.requireOpen(caller, action);
        return response;
      }),
    );
  }
}
