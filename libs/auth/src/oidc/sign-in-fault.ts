import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { Problem } from '#model';

/**
 * The problem for an unusable response: an error from the provider, or a forged response. `name`:
 * the provider's name.
 */
export function signInFault(error: unknown, name: string): Problem {
  if (error instanceof ResponseBodyError && ownFaults.has(error.error))
    return new Problem('provider-unavailable', `${name} does not know this service. Its operator must check the settings.`, {
      cause: new Error(`the provider returned ${error.error}: is PLOTLINE_OIDC_CLIENT_ID, or PLOTLINE_OIDC_CLIENT_SECRET, wrong?`, {
        cause: error,
      }),
    });
  if (isDown(error))
    return new Problem('provider-unavailable', `${name} is not available for sign-in. Try again in a moment.`, { cause: error });
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied')
    return new Problem('sign-in-failed', `You were not signed in: you or ${name} declined.`, { cause: error });
  return new Problem('sign-in-failed', `The response from ${name} does not match the request. Start again from the sign-in page.`, {
    cause: error,
  });
}

/** RFC 6749, 5.2: the provider has a different configuration for the client. */
const ownFaults = new Set(['invalid_client', 'unauthorized_client']);

/** Whether the provider does not respond in time, or responds with a server error. */
function isDown(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.status >= 500;
  if (error instanceof ClientError)
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT' || (error.cause instanceof Response && error.cause.status >= 500);
  return error instanceof TypeError && error.cause !== undefined; // fetch failed, and its cause says why
}
