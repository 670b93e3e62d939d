import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** How people sign in. */
export const signInConcern = {
  oidcIssuer: key({
    name: 'PLOTLINE_OIDC_ISSUER',
    schema: z.string().refine(isIssuer, 'must be an https:// URL without a query (http:// only for a provider on this machine)').optional(),
    type: 'URL',
    about: 'The OpenID provider by which people sign in, as its discovery document calls itself; without it, by one-time links only.',
  }),
  oidcClientId: key({
    name: 'PLOTLINE_OIDC_CLIENT_ID',
    schema: z.string().optional(),
    type: 'text',
    about: 'How the provider knows this service.',
  }),
  oidcClientSecret: key({
    name: 'PLOTLINE_OIDC_CLIENT_SECRET',
    schema: z.string().optional(),
    type: 'text, secret',
    about: 'The secret that goes with the client id; without it, the service is a public client. PKCE is used either way.',
  }),
  oidcName: key({
    name: 'PLOTLINE_OIDC_NAME',
    schema: z.string().max(60).optional(),
    type: 'text',
    about: 'What people call the provider; without it, the host of its address.',
  }),
  oidcScopes: key({
    name: 'PLOTLINE_OIDC_SCOPES',
    schema: z
      .string()
      .refine((text) => text.split(' ').includes('openid'), 'must be names with a space between them, one of them openid')
      .default('openid profile email'),
    type: 'text',
    default: 'openid profile email',
    about: 'What the provider is asked to tell.',
  }),
  oidcNewPeople: key({
    name: 'PLOTLINE_OIDC_NEW_PEOPLE',
    schema: z.enum(['invited', 'workspace']).default('invited'),
    type: '`invited` or `workspace`',
    default: 'invited',
    about:
      'Who may come in by the provider: `invited`: members, and whoever has an invitation; `workspace`: everybody, and who is new gets a workspace of their own.',
  }),
  workspacesPerPerson: key({
    name: 'PLOTLINE_WORKSPACES_PER_PERSON',
    schema: wholeNumber(0, 1_000_000).default(10),
    type: 'whole number',
    default: '10',
    about: 'How many workspaces one person may make, each with quotas of its own; 0: nobody makes any.',
  }),
  sessionHours: key({
    name: 'PLOTLINE_SESSION_HOURS',
    schema: wholeNumber(1, 8_760).default(720),
    type: 'whole number',
    default: '720',
    unit: 'hours',
    about: 'A signed-in browser has to sign in again after this long.',
  }),
  sessionIdleHours: key({
    name: 'PLOTLINE_SESSION_IDLE_HOURS',
    schema: wholeNumber(1, 8_760).default(168),
    type: 'whole number',
    default: '168',
    unit: 'hours',
    about: 'A signed-in browser that was not used for this long has to sign in again.',
  }),
};

/** OpenID Connect Discovery 1.0, 3: https, no query, no fragment. A provider on the loopback address may do without TLS. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const here = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && here)) && search === '' && hash === '' && username === '';
}
