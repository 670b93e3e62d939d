import * as grpc from '@grpc/grpc-js';
import { becomeCaller, currentShare, FairQueue, type Permit, runForStranger } from '#admission';
import { type Action, isForVisitors } from '#experiments';
import { begin, type Credentials, notSignedIn, placeOf, type WorkspaceGate } from '#http';
import { Problem } from '#model';
import { mapStoreError, refusalOfText } from '#store';
import { carrierFrom } from './call-context.ts';
import { keptBytesOf, maxMessageBytes } from './message-limits.ts';
import type { Peers } from './peers.ts';

/**
 * Runs before any byte of a call's messages is read: returns why the call is rejected, or the
 * permit for the memory of its messages.
 */
export type EarlyCheck = (path: string, metadata: grpc.Metadata, peer: string, ended: AbortSignal) => Promise<Problem | EarlyPermit>;

/** The memory that a call may keep, and the timeout of its first message. */
export interface EarlyPermit {
  readonly permit: Permit;
  readonly messageMs: number;
}

/** The dependencies of the check. */
export interface EarlyCheckParts {
  readonly credentials: Credentials;
  readonly gate: Pick<WorkspaceGate, 'terms'>;
  readonly peers: Pick<Peers, 'addressFrom'>;
  readonly actions: ReadonlyMap<string, Action>;
  /** Bytes of messages that are being read or processed concurrently. */
  readonly messages?: FairQueue;
}

const unused = { destroyed: false, setHeader: () => undefined, once: () => undefined };
const MiB = 1024 * 1024;
/** A guess: a fraction of a process's memory, and dozens of the largest messages at once. */
const usualMostBytes = 512 * MiB;
/** How long a call waits for its permit: some clients drop the data of rejected calls. */
const patienceMs = 20_000;
/** Timeout of the first message of a call; the largest then needs 100 KB/s. */
const messageMs = 120_000;
/** The same without credentials: such messages name runs and tags. */
const strangersMessageMs = 20_000;

/**
 * Checks credentials before the messages of a call are read, so that nothing is buffered without
 * them. Permissions of visitors depend on the experiment in the message: those are checked only by
 * the guard, which checks all calls completely; until then, unknown callers use the share of
 * strangers.
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

/**
 * Makes the check a part of the transport. An uploading call keeps its permit until its response;
 * other messages are small, and release it once read.
 */
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
