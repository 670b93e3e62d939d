import type { ExecutionContext } from '@nestjs/common';
import type { ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';

/** A call of any kind of method. */
export type AnyCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;

/** A handler's call: our server passes it as the third argument. */
export function callOf(context: ExecutionContext): AnyCall {
  return context.getArgByIndex<AnyCall>(2);
}
