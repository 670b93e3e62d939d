import { z } from 'zod';
import { deviceBody, linkBody, revokeBody } from '../../sign-in/device.controller.ts';
import { devicePageBody, devicePageQuery } from '../../sign-in/device-page.controller.ts';
import { oidcQuery } from '../../sign-in/oidc.controller.ts';
import { emptyForm, endBody } from '../../sign-in/sessions.controller.ts';
import { nextQuery } from '../../sign-in/sign-in-page.controller.ts';
import { json, type RouteDoc } from './route-doc.ts';

const page = { 'text/html': null } as const;
const form = 'application/x-www-form-urlencoded';
const csrf = 'Submitted by a form on a page, with its `csrf_token`.';

export const signInDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/device',
    oauth: true,
    tag: 'access',
    public: true,
    summary: 'Start the sign-in of a program (RFC 8628)',
    about:
      'A person opens the URL in any browser and types or compares the code. `POST /api/v1/token` then returns the token. The body can be a form; problems have the `error` field of OAuth.',
    body: { schema: deviceBody, example: { client_name: 'plotline on gpu-7', scope: 'read upload' } },
    responses: [
      json(
        z.object({
          device_code: z.string(),
          user_code: z.string(),
          verification_uri: z.string(),
          verification_uri_complete: z.string(),
          expires_in: z.int().meta({ description: 'Seconds.' }),
          interval: z.int().meta({ description: 'Minimum seconds between two polls.' }),
        }),
        'The codes.',
        {
          device_code: '4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE',
          user_code: 'WDJB-MJHT',
          verification_uri: 'https://plotline.example/device',
          verification_uri_complete: 'https://plotline.example/device?user_code=WDJB-MJHT',
          expires_in: 900,
          interval: 5,
        },
      ),
    ],
    problems: ['bad-request', 'unknown-field', 'rate-limited', 'store-unavailable'],
  },
  {
    method: 'POST',
    path: '/api/v1/revoke',
    oauth: true,
    tag: 'access',
    public: true,
    summary: 'Revoke a token by its value (RFC 7009)',
    about: 'The response is the same whether or not the token existed. The body can be a form.',
    body: { schema: revokeBody, example: { token: 'plt_…' } },
    responses: [json(z.object({}), 'The token stops working within five seconds.', {})],
    problems: ['bad-request', 'unknown-field', 'store-unavailable'],
  },
  {
    method: 'POST',
    path: '/api/v1/sign-in-links',
    tag: 'access',
    summary: 'Create a sign-in link for the caller',
    about: 'A signed-in browser can do everything its person can, so this requires a credential with all scopes.',
    body: { schema: linkBody, example: { next: '/' } },
    responses: [
      json(
        z.object({ url: z.string(), expires_in: z.int() }),
        'The link.',
        { url: 'https://plotline.example/sign-in/4fQx…', expires_in: 3600 },
        201,
      ),
    ],
    problems: ['bad-request', 'unknown-field', 'forbidden'],
  },
  {
    method: 'GET',
    path: '/sign-in',
    tag: 'pages',
    public: true,
    summary: 'The sign-in page',
    query: nextQuery,
    responses: [{ status: 200, about: 'A page.', content: page }],
    problems: ['bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/sign-in/oidc',
    tag: 'pages',
    public: true,
    summary: 'Redirect to the OpenID provider',
    query: oidcQuery,
    responses: [
      {
        status: 303,
        about: 'To the provider.',
        headers: { Location: 'Its authorization endpoint.', 'Set-Cookie': 'A cookie that binds the response to this browser.' },
      },
    ],
    problems: ['not-found', 'provider-unavailable', 'rate-limited'],
  },
  {
    method: 'GET',
    path: '/sign-in/oidc/callback',
    tag: 'pages',
    public: true,
    summary: 'Handle the callback of the OpenID provider',
    responses: [
      {
        status: 200,
        about: 'The browser is signed in. The page redirects automatically.',
        content: page,
        headers: { 'Set-Cookie': 'The session.' },
      },
    ],
    problems: ['sign-in-failed', 'not-invited', 'provider-unavailable'],
  },
  {
    method: 'GET',
    path: '/sessions',
    tag: 'pages',
    summary: 'List your sessions, and sign out',
    responses: [{ status: 200, about: 'A page.', content: page }],
    problems: [],
  },
  {
    method: 'POST',
    path: '/sessions/end',
    tag: 'pages',
    summary: 'End one session or all other sessions',
    about: csrf,
    body: { schema: endBody, mediaType: form, example: {} },
    responses: [{ status: 303, about: 'Redirects to the list.' }],
    problems: ['forbidden', 'bad-request'],
  },
  {
    method: 'POST',
    path: '/sessions/connect',
    tag: 'pages',
    summary: 'Connect the OpenID provider to this account',
    about: csrf,
    body: { schema: emptyForm, mediaType: form, example: {} },
    responses: [{ status: 200, about: 'A page that redirects to the provider.', content: page }],
    problems: ['forbidden', 'not-found', 'provider-unavailable'],
  },
  {
    method: 'POST',
    path: '/sign-out',
    tag: 'pages',
    summary: 'Sign this browser out',
    about: csrf,
    body: { schema: emptyForm, mediaType: form, example: {} },
    responses: [{ status: 303, about: 'Redirects to the sign-in page.' }],
    problems: ['forbidden'],
  },
  {
    method: 'GET',
    path: '/device',
    tag: 'pages',
    public: true,
    summary: 'Approve a program by its code',
    query: devicePageQuery,
    responses: [
      { status: 200, about: 'A page that asks for the code, or shows the requested permissions.', content: page },
      { status: 303, about: 'Not signed in yet.' },
    ],
    problems: ['bad-request', 'rate-limited'],
  },
  {
    method: 'POST',
    path: '/device',
    tag: 'pages',
    summary: 'Approve or decline a program',
    about: csrf,
    body: { schema: devicePageBody, mediaType: form, example: { user_code: 'WDJB-MJHT', decision: 'allow' } },
    responses: [{ status: 200, about: 'A page.', content: page }],
    problems: ['forbidden', 'bad-request', 'rate-limited'],
  },
];
