import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { Caller } from '#auth';
import { contextOf } from '#http';
import { callContextOf } from './call-context.ts';
import { type AnyCall, callOf } from './any-call.ts';

export const callPolicies = { visits: 'plotline:grpc-visits', patience: 'plotline:grpc-patience' } as const;

/**
 * The handler answers a method of libs/protocols, e.g. `@Rpc('tensorboard.service.TensorBoardWriterService', 'WriteScalar')`. With `@Does(action)` of #http beside it, or the
 * service does not start. It gives the answer, or where the answer is a stream an async iterable of its messages, which is read as fast as they go out.
 */
export const Rpc = (service: string, method: string) => applyDecorators(MessagePattern(`/${service}/${method}`));

/** The experiment that a message is about; null: it names none. */
export type VisitedBy = (message: never) => string | null;

/** Which experiment the handler shows to visitors, where no `experimentId` of its message says so. */
export const VisitsOf = (visited: VisitedBy) => SetMetadata(callPolicies.visits, visited);

/** Who asked too much waits so many seconds before they are refused: a client that drops what is refused must not be. */
export const Patient = (seconds: number) => SetMetadata(callPolicies.patience, seconds);

/** Parameter decorator: the message; of a method that takes a stream, an async iterable of its messages. */
export const Message = createParamDecorator((_: unknown, context: ExecutionContext): unknown => context.getArgByIndex(0));

/** Parameter decorator: who asks. */
export const GrpcCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(callContextOf(callOf(context)).carrier);
  if (!caller) throw new Error('a public handler has no caller');
  return caller;
});

/** Parameter decorator: aborted when nobody waits for the answer any more. */
export const Cancelled = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => callContextOf(callOf(context)).ended);

/** Parameter decorator: the call itself. */
export const GrpcCall = createParamDecorator((_: unknown, context: ExecutionContext): AnyCall => callOf(context));
