import { z } from 'zod';
import { key } from './key.ts';
import { httpUrl } from './values.ts';

const issuerEntry = z.tuple([httpUrl, httpUrl.optional()]).refine(([issuer, jwks]) => [issuer, jwks ?? issuer].every(isSafe));

/**
 * Whether issuer keys can be fetched from this URL. The keys of trusted issuers must not be fetched
 * over a connection that an attacker can change, except on this machine.
 */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/** Authentication settings. */
export const authConcern = {
  secretKey: key({
    name: 'PLOTLINE_SECRET_KEY',
    schema: z.string().min(32, 'must have 32 or more random characters, e.g. from "openssl rand -base64 32"').optional(),
    type: 'secret',
    about:
      'Encrypts secrets in the database, such as the keys that sign JWTs. Every read process needs the same value. The embedded service creates its own in `secrets` in the data folder.',
  }),
  workloadIssuers: key({
    name: 'PLOTLINE_WORKLOAD_ISSUERS',
    schema: z
      .string()
      .default('')
      .transform((text, context) => {
        const entries = text.split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim().split(/\s+/)]));
        return entries.map((entry) => {
          const parsed = issuerEntry.safeParse(entry);
          if (parsed.success) return { issuer: entry[0]!, jwksUrl: entry[1] ?? null };
          context.addIssue({
            code: 'custom',
            message: 'must be https URLs separated by commas, each optionally followed by a space and the https URL of its keys',
          });
          return z.NEVER;
        });
      }),
    type: 'list',
    about:
      'Issuers of OIDC tokens (Kubernetes, CI) that workspaces may accept for their service accounts, for example `https://token.actions.githubusercontent.com`. For an issuer without a discovery document, add a space and the URL of its key set.',
  }),
};
