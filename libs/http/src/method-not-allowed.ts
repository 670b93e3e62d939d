import { Problem } from '#model';

/** The problem for a URL that supports only other methods; the response lists them in `Allow`. */
export function methodNotAllowed(allow: readonly string[]): Problem {
  return new Problem('method-not-allowed', `This address supports ${allow.join(', ')}.`, { extra: { allow } });
}
