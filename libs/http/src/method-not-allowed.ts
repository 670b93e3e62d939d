import { Problem } from '#model';

/** The problem of a URL that supports other methods; the response has them as `Allow`. */
export function methodNotAllowed(allow: readonly string[]): Problem {
  return new Problem('method-not-allowed', `This address supports ${allow.join(', ')}.`, { extra: { allow } });
}
