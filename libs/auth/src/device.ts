import { Problem } from '#model';
import {
  countCodeAttempt,
  decideDeviceCode,
  type DeviceRequest,
  forgiveCodeAttempt,
  insertDeviceCode,
  lockMembers,
  pollDeviceCode,
  readDeviceCode,
  readMember,
  type Store,
} from '#store';
import { type Caller, endWithin, creatorOf, type Scope } from './caller.ts';
import { newUserCode, readUserCode, showUserCode } from './device-code.ts';
import { hashSecret, looksLikeSecret, newSecret } from './token.ts';
import { createToken, noteToken } from './tokens.ts';

/** Settings for signing programs in (RFC 8628). */
export interface DeviceLimits {
  readonly lifetimeSeconds: number;
  /** Interval between a program's polls. */
  readonly intervalSeconds: number;
}

export const usualDeviceLimits: DeviceLimits = { lifetimeSeconds: 900, intervalSeconds: 5 };

/** Maximum number of waiting programs; a guess with a large margin. */
const maxWaiting = 10_000;
/** RFC 8628, 5.1: the number of attempts is too small for guessing a code. */
const maxWrongCodes = 10;
const wrongCodeSeconds = 900;
/** The same as the default for tokens that are created manually. */
const tokenDays = 365;

/** The first response to a program; `deviceCode` is the program's secret. */
export interface StartedDevice {
  readonly deviceCode: string;
  /** With the hyphen. */
  readonly userCode: string;
}

/** Starts signing a program in. Throws `rate-limited` if far too many programs are waiting. */
export async function startDevice(store: Store, request: DeviceRequest, limits: DeviceLimits): Promise<StartedDevice> {
  const deviceCode = newSecret();
  const userCode = newUserCode();
  const code = { ...request, ...limits, deviceHash: hashSecret(deviceCode), userHash: hashSecret(userCode), atMost: maxWaiting };
  if (!(await insertDeviceCode(store.global, code)))
    throw new Problem('rate-limited', 'Too many programs are waiting for sign-in. Try again in a few minutes.', { retryAfterSeconds: 60 });
  return { deviceCode, userCode: showUserCode(userCode) };
}

/**
 * Returns the program's request for a typed code; null if there is none or it no longer exists.
 * After ten wrong codes in a quarter of an hour, the person gets `rate-limited`, without a lookup,
 * until that time has passed.
 */
export async function lookAtDevice(store: Store, personId: string, typed: string): Promise<(DeviceRequest & { userCode: string }) | null> {
  const userCode = readUserCode(typed);
  if (userCode === null) return null;
  if ((await countCodeAttempt(store.global, personId, wrongCodeSeconds)) > maxWrongCodes)
    throw new Problem('rate-limited', 'Too many wrong codes. Wait 15 minutes, then start again in the program.', {
      retryAfterSeconds: wrongCodeSeconds,
    });
  const request = await readDeviceCode(store.global, hashSecret(userCode));
  if (request) await forgiveCodeAttempt(store.global, personId);
  return request && { ...request, userCode: showUserCode(userCode) };
}

/**
 * Approves or denies the program behind a code, for the caller's workspace. Returns false if the
 * request no longer exists. The program gets at most the caller's permissions and expiry. Throws
 * `forbidden` for a JWT, which cannot approve.
 */
export async function decideDevice(store: Store, caller: Caller, typed: string, approved: boolean): Promise<boolean> {
  const { tenantId, personId } = caller;
  const request = await lookAtDevice(store, personId, typed);
  if (!request) return false;
  if (approved && caller.via === 'jwt')
    throw new Problem('forbidden', 'A JWT cannot approve a program that outlives it. Use the access token itself.');
  const beyond = request.scopes.filter((scope) => !caller.scopes.has(scope as Scope));
  if (approved && beyond.length > 0)
    throw new Problem('forbidden', `Your credential does not permit ${beyond.join(', ')}, so you cannot approve this for the program.`);
  const decision = { approved, tenantId, personId, creator: creatorOf(caller) };
  return decideDeviceCode(store.global, hashSecret(readUserCode(typed)!), decision);
}

/** An approved program. */
export interface DeviceToken {
  readonly token: string;
  readonly scopes: readonly string[];
  readonly expiresInSeconds: number;
}

/**
 * Returns the token of an approved program, once per device code. Throws `authorization-pending`,
 * `slow-down`, `access-denied`, `device-code-expired`, and `bad-request` for an unknown or used
 * code.
 */
export async function redeemDevice(store: Store, deviceCode: string): Promise<DeviceToken> {
  const poll = looksLikeSecret(deviceCode) ? await pollDeviceCode(store.global, hashSecret(deviceCode)) : ({ outcome: 'unknown' } as const);
  if (poll.outcome !== 'approved') throw rejections[poll.outcome]();
  const { tenantId, personId, clientName, scopes, creator } = poll;
  const now = await store.clock.now();
  const expiresAt = endWithin(creator.until, new Date(now + tokenDays * 86_400_000))!;
  const expiresInSeconds = Math.max(0, Math.floor((expiresAt.getTime() - now) / 1_000));
  const token = await createToken(store, {
    tenantId,
    personId,
    name: clientName,
    scopes,
    expiresAt,
    creatorTokenId: creator.tokenId,
    alongside: async (scope, tokenId) => {
      // If a person is removed after approving, the approval is void, even if they rejoin later.
      if (!(await lockMembers(scope)) || !(await readMember(scope, personId))) throw rejections.denied();
      await noteToken(scope, { tenantId, tokenId, actorId: personId, via: 'device', details: { scopes } }, 'token.issue');
    },
  });
  return { token, scopes, expiresInSeconds };
}

/** RFC 8628, 3.5: sent in addition to our own codes, for third-party clients. */
const rfc = (error: string) => ({ extra: { error } });
const rejections = {
  pending: () =>
    new Problem(
      'authorization-pending',
      'Nobody has approved the program yet. Poll again after the interval.',
      rfc('authorization_pending'),
    ),
  'too-early': () => new Problem('slow-down', 'You are polling too often. The interval is now 5 seconds longer.', rfc('slow_down')),
  denied: () => new Problem('access-denied', 'The program was declined.', rfc('access_denied')),
  expired: () =>
    new Problem('device-code-expired', 'The code expired before anyone approved the program. Start again.', rfc('expired_token')),
  unknown: () => new Problem('bad-request', 'There is no such device code: it was used or has expired. Start again.', rfc('invalid_grant')),
};
