import { isIP } from 'node:net';
import { z } from 'zod';

/** A decimal whole number from `min` to `max`, written without sign, spaces or exponent. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
}

/** A URL with one of the protocols, e.g. `postgres:`. */
export function urlOf(...protocols: readonly string[]) {
  const wanted = protocols.map((protocol) => `${protocol}//…`).join(' or ');
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), `must be a URL of the form ${wanted}`);
}

/** An http or https URL, without a trailing slash. */
export const httpUrl = urlOf('http:', 'https:').transform((text) => text.replace(/\/+$/, ''));

/** Hosts with their ports, comma-separated. */
export const hostList = z.string().transform((text, context) =>
  text.split(',').map((part) => {
    const [, host, port] = /^\s*([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})\s*$/.exec(part) ?? [];
    if (host !== undefined && Number(port) > 0 && Number(port) <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
    context.addIssue({ code: 'custom', message: 'must be hosts with ports like s1:26379, separated by commas' });
    return z.NEVER;
  }),
);

/** Addresses and networks in CIDR form, comma-separated. */
export const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isNetwork), 'must be addresses or networks like 10.0.0.0/8, separated by commas');

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  return (
    version !== 0 && rest.length === 0 && (bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  );
}
