import type { Request } from 'express';
import { isCsrfToken } from '#auth';
import { Problem } from '#model';
import { sessionSecretOf } from './credentials.ts';
import { contextOf } from './request-context.ts';

/**
 * Returns the fields of a form without its `csrf_token`. For a signed-in browser, the form must
 * contain its session's token. This is a second check: the guard has already checked that one of
 * our pages sent the request. Throws `forbidden`.
 */
export function checkCsrfToken(request: Request): unknown {
  const body: unknown = request.body;
  if (contextOf(request).caller?.via !== 'session') return body;
  const { csrf_token: token, ...fields } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  if (!isCsrfToken(token, sessionSecretOf(request)))
    throw new Problem('forbidden', 'This form does not belong to your session. Open its page again and submit it from there.');
  return fields;
}
