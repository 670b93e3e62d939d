import { z } from 'zod';
import { givenJson, grantBody } from '../../tokens/token.controller.ts';
import { issuedTokenJson, tokenJson } from '../../tokens/token-json.ts';
import { tokenBody, tokensQuery } from '../../tokens/tokens.controller.ts';
import { json, type RouteDoc } from './route-doc.ts';

const example = {
  id: '0b7e4e0a-2f0c-4d55-9a4f-7f1f0f3a2c11',
  name: 'laptop',
  scopes: ['read', 'upload'],
  experiments: null,
  expires_at: '2027-11-22T00:00:00.000Z',
};

export const tokenDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/tokens',
    tag: 'access',
    summary: 'Create an access token',
    about:
      'Only this response contains the token. It never grants more than the credential that creates it, or more than the role of its owner.',
    body: { schema: tokenBody, example: { name: 'laptop', scopes: ['read', 'upload'] } },
    responses: [json(issuedTokenJson, 'The token.', { ...example, token: 'plt_…' }, 201)],
    problems: ['bad-request', 'unknown-field', 'forbidden', 'experiment-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/tokens',
    tag: 'access',
    summary: "List active tokens: your own, or for admins everyone's",
    query: tokensQuery,
    responses: [
      json(z.object({ tokens: z.array(tokenJson), next_page_token: z.string().optional() }), 'A page, newest first.', {
        tokens: [
          { ...example, hint: 'x7Qa', person: { id: '1f…', name: 'Ada' }, created_at: '2026-11-22T00:00:00.000Z', last_used_at: null },
        ],
      }),
    ],
    problems: ['bad-request', 'unknown-field', 'forbidden'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/tokens/:tokenId',
    tag: 'access',
    summary: 'Revoke a token',
    about: 'The token stops working within five seconds; a running upload that uses it is rejected.',
    responses: [{ status: 204, about: 'The link is revoked.' }],
    problems: ['forbidden', 'token-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/token',
    oauth: true,
    tag: 'access',
    public: true,
    summary: 'Exchange a device code for a token, or a token for a ten-minute JWT',
    about:
      'The body is a form or JSON. Problems have the `error` field of OAuth (RFC 6749, 5.2 and RFC 8628, 3.5) and are `application/json`. After a person approves the program, a device code yields one token. Token exchange follows RFC 8693: the subject token is an access token (`…:access_token`), or the OIDC token of a workload (`…:jwt`) with the service account it acts as. A JWT stops working within five seconds after its subject token is revoked, and cannot be exchanged.',
    body: {
      schema: grantBody,
      example: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: 'plt_…',
        scope: 'read',
      },
    },
    responses: [
      json(givenJson, 'The token.', {
        access_token: 'eyJ…',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 600,
        scope: 'read',
      }),
    ],
    problems: [
      'bad-request',
      'unknown-field',
      'invalid-grant',
      'invalid-scope',
      'authorization-pending',
      'slow-down',
      'access-denied',
      'device-code-expired',
      'issuer-unavailable',
      'store-unavailable',
      'body-too-large',
    ],
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: 'access',
    public: true,
    uncounted: true,
    summary: "Get the public keys of this service's JWTs",
    responses: [
      {
        status: 200,
        about: 'A JWK set (RFC 7517). A new key is published five minutes before the service signs with it.',
        content: { 'application/jwk-set+json': z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) },
        example: { keys: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: 'Zk3vT9qLmX2bN8cR', alg: 'ES256', use: 'sig' }] },
      },
    ],
    problems: ['store-unavailable'],
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    tag: 'access',
    public: true,
    uncounted: true,
    summary: 'Get the OAuth metadata for third-party programs (RFC 8414)',
    responses: [
      json(z.record(z.string(), z.unknown()), 'The metadata.', {
        issuer: 'https://plotline.example',
        device_authorization_endpoint: 'https://plotline.example/api/v1/device',
        token_endpoint: 'https://plotline.example/api/v1/token',
        revocation_endpoint: 'https://plotline.example/api/v1/revoke',
        grant_types_supported: ['urn:ietf:params:oauth:grant-type:device_code'],
      }),
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/tokens',
    tag: 'pages',
    summary: 'Access tokens: create, list, revoke',
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['forbidden'],
  },
];
