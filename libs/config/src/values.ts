import { z } from 'zod';

/** A decimal whole number from `least` to `most`, written without sign, spaces or exponent. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);
}

/** A URL of one of the protocols, e.g. `postgres:`. */
export function urlOf(...protocols: readonly string[]) {
  const wanted = protocols.map((protocol) => `${protocol}//…`).join(' or ');
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), `must be a URL of the form ${wanted}`);
}

/** An http or https URL, without the slash at its end. */
export const httpUrl = urlOf('http:', 'https:').transform((text) => text.replace(/\/+$/, ''));
