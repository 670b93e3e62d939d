import * as grpc from '@grpc/grpc-js';
import { type Action, isForVisitors } from '#experiments';
import { begin, type Credentials, notSignedIn } from '#http';
import { Problem } from '#model';
import { mapStoreError } from '#store';
import { carrierFrom, single } from './call-context.ts';

/** Why a call is refused before a byte of its messages is read; null: it is not. */
export type EarlyCheck = (path: string, metadata: grpc.Metadata) => Promise<Problem | null>;

const unused = { destroyed: false, setHeader: () => undefined, once: () => undefined };

/**
 * Asks for credentials before the messages of a call are read, so that nobody makes the service buffer anything without. What visitors may do depends on the experiment, which stands in the message:
 * there the guard alone asks, as it does for all calls, with everything else that there is to ask.
 */
export function earlyCheck(credentials: Credentials, actions: ReadonlyMap<string, Action>): EarlyCheck {
  return async (path, metadata) => {
    const action = actions.get(path);
    if (action === undefined || isForVisitors(action)) return null;
    try {
      const carrier = carrierFrom(metadata);
      begin(carrier, single(metadata, 'x-request-id'), unused);
      return (await credentials.identify(carrier)) ? null : notSignedIn();
    } catch (error) {
      const problem = mapStoreError(error);
      if (problem instanceof Problem) return problem;
      throw error;
    }
  };
}

/** Makes the check a part of the transport. */
export function checkingEarly(check: EarlyCheck, statusOf: (problem: Problem, path: string) => grpc.StatusObject): grpc.ServerInterceptor {
  return ({ path }, call) =>
    new grpc.ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, go) => {
            check(path, metadata).then(
              (problem) => (problem === null ? go(metadata) : call.sendStatus(statusOf(problem, path))),
              (error: unknown) =>
                call.sendStatus(statusOf(new Problem('internal', 'Something went wrong on our side.', { cause: error }), path)),
            );
          },
        });
      },
    });
}
