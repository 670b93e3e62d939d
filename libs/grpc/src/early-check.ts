import * as grpc from '@grpc/grpc-js';
import {
  becomeCaller,
  currentShare,
  FairQueue,
  pauseIfBusy,
  type Permit,
  runForShare,
  runForStranger,
  serviceShare,
  type Share,
  startInTurn,
} from '#admission';
import { type Action, isForVisitors } from '#experiments';
import { begin, type Credentials, expectedShare, expectMember, notSignedIn, placeOf, type WorkspaceGate } from '#http';
import { Problem } from '#model';
import { mapStoreError, rejectionOfText } from '#store';
import { carrierFrom } from './call-context.ts';
import { methods } from './codec.ts';
import { keptBytesOf, maxMessageBytes, messageBytesOf } from './message-limits.ts';
import type { Peers } from './peers.ts';
import { readMessage } from './rejected-message.ts';

/**
 * Runs before any byte of a call's messages is read: returns why the call is rejected, or the
 * permit for the memory of its messages.
 */
export type EarlyCheck = (path: string, metadata: grpc.Metadata, peer: string, ended: AbortSignal) => Promise<Problem | EarlyPermit>;

/** The memory that a call may keep, and the timeout of its first message. */
export interface EarlyPermit {
  readonly permit: Permit;
  readonly messageMs: number;
  /** The sender's share. */
  readonly share: Share;
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
/** Maximum message size: decoding more would delay other calls for too long. */
const largeBytes = 16 * 1024;
const MiB = 1024 * 1024;
/** A guess: a fraction of a process's memory, and dozens of the largest messages at once. */
const usualMostBytes = 512 * MiB;
/** How long a call waits for its permit, because some clients drop the data of rejected calls. */
const maxWaitMs = 20_000;
/** Timeout for a call's first message; the largest message then needs 100 KB/s. */
const messageMs = 120_000;
/** The timeout for callers without credentials, whose messages name runs and tags. */
const strangersMessageMs = 20_000;

/**
 * Checks credentials before the messages of a call are read, so that nothing is buffered without
 * them. Visitors' permissions depend on the experiment in the message, so only the guard checks
 * them; it checks all calls completely. Until then, unknown callers use the strangers' share.
 */
export function earlyCheck({
  credentials,
  gate,
  peers,
  actions,
  messages = new FairQueue('messages', usualMostBytes),
}: EarlyCheckParts): EarlyCheck {
  return async (path, metadata, peer, ended) => {
    const place = placeOf({ ip: peers.addressFrom(peer, metadata) });
    const carrier = carrierFrom(metadata);
    await inTurn(expectedShare(carrier, place), ended);
    return runForStranger(place, async () => {
      try {
        begin(carrier, undefined, unused);
        const caller = await credentials.identify(carrier);
        const action = actions.get(path);
        if (caller === null && action !== undefined && !isForVisitors(action)) return notSignedIn();
        if (caller) becomeCaller((await gate.terms(caller.tenantId)).account, caller.view ? 'visitor' : 'member');
        if (caller?.view === null) expectMember(carrier);
        const soon = (): AbortSignal => AbortSignal.any([ended, AbortSignal.timeout(maxWaitMs)]);
        const permit = await messages.take(currentShare(), maxMessageBytes, soon).catch(() => null);
        if (permit === null) return new Problem('rate-limited', 'The server is receiving too much data at once. Try again in a moment.');
        return { permit, messageMs: caller ? messageMs : strangersMessageMs, share: currentShare() };
      } catch (error) {
        const problem = rejectionOfText(error) ?? mapStoreError(error);
        if (problem instanceof Problem) return problem;
        throw error;
      }
    });
  };
}

/**
 * The reason that all signals share, because a new one for each call would cost more than the call
 * itself.
 */
const over = new Error('the call is over');

const requests = new Map(methods.map(({ path, request }) => [path, request]));

/** Decodes a message, or returns the reason for its rejection. */
function decodeMessage(path: string, bytes: Buffer): unknown {
  return readMessage(bytes, messageBytesOf(path), (whole) => requests.get(path)!.decode(whole));
}

/**
 * Resolves in a turn of the event loop that the share may use; never resolves if the call ends
 * earlier.
 */
function inTurn(share: Share, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const { cancel } = startInTurn(share, resolve);
    ended.addEventListener('abort', cancel, { once: true });
  });
}

/** Logs a call that ends before its handler, and returns its status. */
export type RejectCall = (problem: Problem, call: RejectedCall) => grpc.StatusObject;

/** A call that ends before its handler. */
export interface RejectedCall {
  readonly path: string;
  readonly metadata: grpc.Metadata;
  /** As in `AnyCall.getPeer`. */
  getPeer(): string;
  /** When the call started, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/**
 * Makes the check part of the transport. An uploading call keeps its permit until its response.
 * Other calls have small messages and release the permit once these are read.
 */
export function checkingEarly(check: EarlyCheck, reject: RejectCall): grpc.ServerInterceptor {
  return ({ path }, call) => {
    let permit: Permit | null = null;
    let share: Share = serviceShare;
    const ending = new AbortController();
    let late: NodeJS.Timeout | undefined;
    let isOver = false;
    const since = performance.now();
    let metadata = new grpc.Metadata();
    const end = (): void => {
      isOver = true;
      clearTimeout(late);
      ending.abort(over);
      permit?.release();
    };
    const fail = (problem: Problem): void => {
      end();
      call.sendStatus(reject(problem, { path, metadata, since, getPeer: () => call.getPeer() }));
    };
    return new grpc.ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (received, go) => {
            metadata = received;
            check(path, received, call.getPeer(), ending.signal).then(
              (response) => {
                if (response instanceof Problem) return fail(response);
                ({ permit, share } = response);
                if (isOver) return end();
                late = setTimeout(
                  () => fail(new Problem('body-timeout', 'The message stopped arriving; send it again.')),
                  response.messageMs,
                );
                go(received);
              },
              (error: unknown) => fail(new Problem('internal', 'Something went wrong on our side.', { cause: error })),
            );
          },
          onReceiveMessage: (message: Buffer, go) => {
            clearTimeout(late);
            permit?.shrinkTo(keptBytesOf(path));
            const decode = (): void => (isOver ? undefined : go(decodeMessage(path, message)));
            const pause = message.length > largeBytes ? runForShare(share, pauseIfBusy) : undefined;
            if (pause) void pause.then(decode);
            else decode();
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
