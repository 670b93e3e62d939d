import * as grpc from '@grpc/grpc-js';
import { runForStranger } from '#admission';
import { type Action, isForVisitors } from '#experiments';
import { begin, type Credentials, notSignedIn, placeOf } from '#http';
import { Problem } from '#model';
import { mapStoreError } from '#store';
import { carrierFrom } from './call-context.ts';
import { keptBytesOf, maxMessageBytes } from './message-limits.ts';
import { MessageRoom, type Room } from './message-room.ts';
import { peerOf } from './peers.ts';

/** What is asked before a byte of a call's messages is read: why it is refused, or the room that its messages have. */
export type EarlyCheck = (path: string, metadata: grpc.Metadata, peer: string) => Promise<Problem | Room>;

const unused = { destroyed: false, setHeader: () => undefined, once: () => undefined };
/** Who finds no room waits for so long: a client that drops what is refused must not be. */
const patienceMs = 20_000;
/** The first message of a call has to be there in this time; the largest then takes 100 KB/s. */
const messageMs = 120_000;

/**
 * Asks for credentials before the messages of a call are read, so that nobody makes the service buffer anything without. What visitors may do depends on the experiment, which stands in the message:
 * there the guard alone asks, as it does for all calls, with everything else that there is to ask; until then, all who are not known and come from one address share the room of one.
 */
export function earlyCheck(credentials: Credentials, actions: ReadonlyMap<string, Action>, room = new MessageRoom()): EarlyCheck {
  return async (path, metadata, peer) => {
    try {
      const carrier = carrierFrom(metadata);
      begin(carrier, undefined, unused);
      const caller = await credentials.identify(carrier);
      const action = actions.get(path);
      if (caller === null && action !== undefined && !isForVisitors(action)) return notSignedIn();
      const own = await room.take(caller?.tenantId ?? `from ${peer}`, maxMessageBytes, patienceMs);
      return own ?? new Problem('rate-limited', 'Too much is being sent here at once; try again in a moment.');
    } catch (error) {
      const problem = mapStoreError(error);
      if (problem instanceof Problem) return problem;
      throw error;
    }
  };
}

/** Makes the check a part of the transport. What a call uploads keeps its room until it was answered; what others say is small, once it was read. */
export function checkingEarly(check: EarlyCheck, statusOf: (problem: Problem, path: string) => grpc.StatusObject): grpc.ServerInterceptor {
  return ({ path }, call) => {
    let room: Room | null = null;
    let late: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(late);
      room?.giveBack();
    };
    const refuse = (problem: Problem): void => {
      end();
      call.sendStatus(statusOf(problem, path));
    };
    return new grpc.ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, go) => {
            const place = placeOf({ ip: peerOf(call) });
            runForStranger(place, () => check(path, metadata, place)).then(
              (answer) => {
                if (answer instanceof Problem) return refuse(answer);
                room = answer;
                if (isOver) return end();
                late = setTimeout(() => refuse(new Problem('body-timeout', 'The message stopped arriving; send it again.')), messageMs);
                go(metadata);
              },
              (error: unknown) => refuse(new Problem('internal', 'Something went wrong on our side.', { cause: error })),
            );
          },
          onReceiveMessage: (message, go) => {
            clearTimeout(late);
            room?.shrinkTo(keptBytesOf(path));
            go(message);
          },
          onCancel: () => end(),
        });
      },
      sendStatus: (status, go) => {
        end();
        go(status);
      },
    });
  };
}
