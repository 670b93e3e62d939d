import * as grpc from '@grpc/grpc-js';
import { becomeCaller, currentShare, FairQueue, type Permit, runForStranger } from '#admission';
import { type Action, isForVisitors } from '#experiments';
import { begin, type Credentials, notSignedIn, placeOf, type WorkspaceGate } from '#http';
import { Problem } from '#model';
import { mapStoreError, refusalOfText } from '#store';
import { carrierFrom } from './call-context.ts';
import { keptBytesOf, maxMessageBytes } from './message-limits.ts';
import type { Peers } from './peers.ts';

/** What is asked before a byte of a call's messages is read: why it is refused, or the permit for the memory of its messages. */
export type EarlyCheck = (path: string, metadata: grpc.Metadata, peer: string, ended: AbortSignal) => Promise<Problem | EarlyPermit>;

/** What a call may keep in memory, and how long its first message may take. */
export interface EarlyPermit {
  readonly permit: Permit;
  readonly messageMs: number;
}

/** What the check asks. */
export interface EarlyCheckParts {
  readonly credentials: Credentials;
  readonly gate: Pick<WorkspaceGate, 'terms'>;
  readonly peers: Pick<Peers, 'addressFrom'>;
  readonly actions: ReadonlyMap<string, Action>;
  /** Bytes of messages that are read, or answered, at the same moment. */
  readonly messages?: FairQueue;
}

const unused = { destroyed: false, setHeader: () => undefined, once: () => undefined };
const MiB = 1024 * 1024;
/** A guess: a fraction of what a process has, and dozens of the largest messages at once. */
const usualMostBytes = 512 * MiB;
/** How long a call waits for its permit: a client that drops what is refused must not be. */
const patienceMs = 20_000;
/** The first message of a call has to be there in this time; the largest then takes 100 KB/s. */
const messageMs = 120_000;
/** The same without credentials: such messages name runs and tags. */
const strangersMessageMs = 20_000;

/**
 * Asks for credentials before the messages of a call are read, so that nobody makes the service buffer anything without. What visitors may do depends on the experiment, which stands in the message:
 * there the guard alone asks, as it does for all calls, with everything else that there is to ask; until then, callers who are not known have the share of strangers.
 */
export function earlyCheck({
  credentials,
  gate,
  peers,
  actions,
  messages = new FairQueue('messages', usualMostBytes),
}: EarlyCheckParts): EarlyCheck {
  return (path, metadata, peer, ended) =>
    runForStranger(placeOf({ ip: peers.addressFrom(peer, metadata) }), async () => {
      try {
        const carrier = carrierFrom(metadata);
        begin(carrier, undefined, unused);
        const caller = await credentials.identify(carrier);
        const action = actions.get(path);
        if (caller === null && action !== undefined && !isForVisitors(action)) return notSignedIn();
        if (caller) becomeCaller((await gate.terms(caller.tenantId)).account, caller.view ? 'visitor' : 'member');
        const soon = AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]);
        const permit = await messages.take(currentShare(), maxMessageBytes, soon).catch(() => null);
        if (permit === null) return new Problem('rate-limited', 'The server is receiving too much at once. Try again in a moment.');
        return { permit, messageMs: caller ? messageMs : strangersMessageMs };
      } catch (error) {
        const problem = refusalOfText(error) ?? mapStoreError(error);
        if (problem instanceof Problem) return problem;
        throw error;
      }
    });
}

/** Makes the check a part of the transport. What a call uploads keeps its permit until it was answered; what others say is small, once it was read. */
export function checkingEarly(check: EarlyCheck, statusOf: (problem: Problem, path: string) => grpc.StatusObject): grpc.ServerInterceptor {
  return ({ path }, call) => {
    let permit: Permit | null = null;
    const ending = new AbortController();
    let late: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(late);
      ending.abort();
      permit?.release();
    };
    const refuse = (problem: Problem): void => {
      end();
      call.sendStatus(statusOf(problem, path));
    };
    return new grpc.ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, go) => {
            check(path, metadata, call.getPeer(), ending.signal).then(
              (answer) => {
                if (answer instanceof Problem) return refuse(answer);
                permit = answer.permit;
                if (isOver) return end();
                late = setTimeout(
                  () => refuse(new Problem('body-timeout', 'The message stopped arriving; send it again.')),
                  answer.messageMs,
                );
                go(metadata);
              },
              (error: unknown) => refuse(new Problem('internal', 'Something went wrong on our side.', { cause: error })),
            );
          },
          onReceiveMessage: (message, go) => {
            clearTimeout(late);
            permit?.shrinkTo(keptBytesOf(path));
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
