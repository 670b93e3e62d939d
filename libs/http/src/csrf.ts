import type { Request } from 'express';
import { isCsrfToken } from '#auth';
import { Problem } from '#model';
import { sessionSecretOf } from './credentials.ts';
import { contextOf } from './request-context.ts';

/**
 * The fields of a form without its `csrf_token`. Of a signed-in browser only what carries the token that stands in the forms of its session: the guard has
 * seen that the browser names a page of ours as the sender, and this is the second lock. Throws `forbidden`.
 */
export function checkCsrfToken(request: Request): unknown {
  const body: unknown = request.body;
  if (contextOf(request).caller?.via !== 'session') return body;
  const { csrf_token: token, ...fields } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  if (!isCsrfToken(token, sessionSecretOf(request)))
    throw new Problem('forbidden', 'This form does not belong to your session. Open its page again and submit it from there.');
  return fields;
}
