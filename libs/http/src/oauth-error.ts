import type { Problem, ProblemCode } from '#model';

/** What clients of OAuth are told of problems that do not say it themselves; RFC 6749, 5.2 has a word for the rest of what can be wrong with a request. */
const errors: Readonly<Partial<Record<ProblemCode, string>>> = {
  'invalid-scope': 'invalid_scope',
  // RFC 8628, 3.5: the one refusal after which they go on asking, as `Retry-After` says.
  'rate-limited': 'slow_down',
};

/** The two fields by which clients of OAuth know what went wrong. */
export function oauthError({ code, message, extra }: Problem): { readonly error: string; readonly error_description: string } {
  const error = typeof extra['error'] === 'string' ? extra['error'] : (errors[code] ?? 'invalid_request');
  return { error, error_description: message.replace(/"/g, "'").replace(/[^ !#-[\]-~]/g, '?') };
}
