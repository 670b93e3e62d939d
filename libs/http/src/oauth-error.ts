import type { Problem, ProblemCode } from '#model';

/**
 * OAuth error codes for problems that do not set one; the generic code of RFC 6749, 5.2 covers the
 * other invalid requests.
 */
const errors: Readonly<Partial<Record<ProblemCode, string>>> = {
  'invalid-scope': 'invalid_scope',
  // RFC 8628, 3.5: the only error after which clients continue to poll, according to `Retry-After`.
  'rate-limited': 'slow_down',
};

/** The two error fields of OAuth. */
export function oauthError({ code, message, extra }: Problem): { readonly error: string; readonly error_description: string } {
  const error = typeof extra['error'] === 'string' ? extra['error'] : (errors[code] ?? 'invalid_request');
  return { error, error_description: message.replace(/"/g, "'").replace(/[^ !#-[\]-~]/g, '?') };
}
