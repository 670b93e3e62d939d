import { z } from 'zod';
import { key } from './key.ts';
import { wholeNumber } from './values.ts';

/** How people sign in. */
export const signInConcern = {
  printLink: key({
    name: 'PLOTLINE_PRINT_SIGN_IN_LINK',
    schema: z.enum(['terminal', 'always', 'never']).default('terminal'),
    type: '`terminal`, `always` or `never`',
    default: 'terminal',
    about:
      'When `npm start`, `npm run demo` and `npm run migrate` print a sign-in link for the owner. The link is a credential: by default they print it only if stdout is a terminal, because other output ends up in logs.',
  }),
  ownerToken: key({
    name: 'PLOTLINE_OWNER_TOKEN',
    schema: z
      .string()
      .regex(/^plt_[0-9A-Za-z]{36}$/, 'must be a token that "npm run migrate -- --generate-token" printed')
      .optional(),
    type: 'text, secret',
    about:
      'An access token for the first owner. `npm run migrate` creates this token and revokes the token that the setting contained before. Default: `migrate` creates a token and writes it to `credentials.json` in the data folder.',
  }),
  oidcOwner: key({
    name: 'PLOTLINE_OIDC_OWNER',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_:./-]{1,100}=.{1,320}$/, 'must be a claim and its value, for example email=ada@example.org')
      .transform((text) => ({ claim: text.slice(0, text.indexOf('=')), value: text.slice(text.indexOf('=') + 1) }))
      .optional(),
    type: 'claim=value',
    about:
      'The first person whose ID token has this claim, for example `email=ada@example.org` (verified) or `groups=plotline-admins`, becomes the first owner, unless that owner has signed in through a provider before.',
  }),
  oidcIssuer: key({
    name: 'PLOTLINE_OIDC_ISSUER',
    schema: z.string().refine(isIssuer, 'must be an https:// URL without a query (http:// only for a provider on this machine)').optional(),
    type: 'URL',
    about:
      'The issuer of the OpenID provider for sign-in, exactly as in its discovery document. Default: sign-in with one-time links only.',
  }),
  oidcClientId: key({
    name: 'PLOTLINE_OIDC_CLIENT_ID',
    schema: z.string().optional(),
    type: 'text',
    about: 'This service’s client id at the provider.',
  }),
  oidcClientSecret: key({
    name: 'PLOTLINE_OIDC_CLIENT_SECRET',
    schema: z.string().optional(),
    type: 'text, secret',
    about: 'The secret for the client id. Without it, the service is a public client. PKCE is always used.',
  }),
  oidcName: key({
    name: 'PLOTLINE_OIDC_NAME',
    schema: z.string().max(60).optional(),
    type: 'text',
    about: 'The provider’s name on the button. Default: its host.',
  }),
  oidcScopes: key({
    name: 'PLOTLINE_OIDC_SCOPES',
    schema: z
      .string()
      .refine((text) => text.split(' ').includes('openid'), 'must be names separated by spaces, including openid')
      .default('openid profile email'),
    type: 'text',
    default: 'openid profile email',
    about: 'The scopes to request from the provider.',
  }),
  oidcNewPeople: key({
    name: 'PLOTLINE_OIDC_NEW_PEOPLE',
    schema: z.enum(['invited', 'workspace']).default('invited'),
    type: '`invited` or `workspace`',
    default: 'invited',
    about:
      'Who may sign in through the provider. `invited`: members and people with an invitation. `workspace`: everyone; new people get their own workspace.',
  }),
  workspacesPerPerson: key({
    name: 'PLOTLINE_WORKSPACES_PER_PERSON',
    schema: wholeNumber(0, 1_000_000).default(10),
    type: 'whole number',
    default: '10',
    about: 'How many workspaces a person may create, each with separate quotas. 0: none.',
  }),
  sessionHours: key({
    name: 'PLOTLINE_SESSION_HOURS',
    schema: wholeNumber(1, 8_760).default(720),
    type: 'whole number',
    default: '720',
    unit: 'hours',
    about: 'A browser must sign in again after this time.',
  }),
  sessionIdleHours: key({
    name: 'PLOTLINE_SESSION_IDLE_HOURS',
    schema: wholeNumber(1, 8_760).default(168),
    type: 'whole number',
    default: '168',
    unit: 'hours',
    about: 'A browser must sign in again after this time without use.',
  }),
};

/**
 * OpenID Connect Discovery 1.0, 3: https, no query, no fragment. A provider on a loopback address
 * may use plain http.
 */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const here = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && here)) && search === '' && hash === '' && username === '';
}
