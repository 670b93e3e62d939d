import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Caller } from '#auth';
import { contextOf } from '#http';
import { callContextOf } from './call-context.ts';
import { callOf } from './any-call.ts';

export const callPolicies = { visits: 'plotline:grpc-visits', waitAtLimit: 'plotline:grpc-wait-at-limit' } as const;

/**
 * The handler implements a method of libs/protocols, e.g.
 * `@Rpc('tensorboard.service.TensorBoardWriterService', 'WriteScalar')`. Requires `@Does(action)`
 * from #http beside it, or the service does not start. The handler returns the response or, for a
 * streaming response, an async iterable of its messages, which is read at the client's speed.
 */
export const Rpc = (service: string, method: string) => applyDecorators(MessagePattern(`/${service}/${method}`));

/** The experiment in a message; null if there is none. */
export type VisitedBy = (message: never) => string | null;

/** The experiment that the handler shows to visitors, for messages without `experimentId`. */
export const VisitsOf = (visited: VisitedBy) => SetMetadata(callPolicies.visits, visited);

/**
 * How many seconds a caller over a limit waits before it is rejected, because some clients drop the
 * data of rejected calls.
 */
export const WaitAtLimit = (seconds: number) => SetMetadata(callPolicies.waitAtLimit, seconds);

/** Parameter decorator: the message; for a client stream, an async iterable of its messages. */
export const Message = createParamDecorator((_: unknown, context: ExecutionContext): unknown => context.getArgByIndex(0));

/** Parameter decorator: the caller. */
export const GrpcCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(callContextOf(callOf(context)).carrier);
  if (!caller) throw new Error('a public handler has no caller');
  return caller;
});

/** Parameter decorator: a signal that is aborted when nobody waits for the response anymore. */
export const Cancelled = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => callContextOf(callOf(context)).ended);
