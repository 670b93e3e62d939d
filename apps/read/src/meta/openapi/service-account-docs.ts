import { z } from 'zod';
import { serviceAccountBody, serviceAccountJson, workloadBody, workloadJson } from '../../service-accounts/service-account-json.ts';
import { issuedTokenJson } from '../../tokens/token-json.ts';
import { tokenBody } from '../../tokens/tokens.controller.ts';
import { json, type RouteDoc } from './route-doc.ts';

const workload = {
  issuer: 'https://token.actions.githubusercontent.com',
  audience: 'https://plotline.example',
  subject: 'repo:lab/models:ref:refs/heads/main',
  scopes: ['read', 'upload'],
};
const workloadId = '5f0c9a52-8a1e-4d5f-9a55-0d8f2f3a7b10';
const account = {
  id: '0b7e4e0a-2f0c-4d55-9a4f-7f1f0f3a2c11',
  name: 'nightly training',
  role: 'member',
  created_at: '2026-11-22T00:00:00.000Z',
};
const problems = ['bad-request', 'unknown-field', 'forbidden', 'service-account-not-found'] as const;

export const serviceAccountDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/service-accounts',
    tag: 'access',
    summary: 'Create a service account',
    about: 'A service account is a member for a program: it has a role and tokens, but no email address, and cannot sign in.',
    body: { schema: serviceAccountBody, example: { name: account.name, role: 'member' } },
    responses: [json(serviceAccountJson, 'The service account.', { ...account, workloads: [] }, 201)],
    problems: ['bad-request', 'unknown-field', 'forbidden'],
  },
  {
    method: 'GET',
    path: '/api/v1/service-accounts',
    tag: 'access',
    summary: 'List service accounts',
    responses: [
      json(
        z.object({
          service_accounts: z.array(serviceAccountJson),
          issuers: z.array(z.string()).meta({ description: 'Issuers that the operator permits for workloads.' }),
        }),
        'All service accounts, sorted by name.',
        {
          service_accounts: [
            { ...account, workloads: [{ id: workloadId, ...workload, created_at: account.created_at, last_used_at: null }] },
          ],
          issuers: [workload.issuer],
        },
      ),
    ],
    problems: ['forbidden'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/service-accounts/:accountId',
    tag: 'access',
    summary: 'Remove a service account, its tokens and its workloads',
    about: 'The tokens and workloads stop working within five seconds. The uploads of the account are kept.',
    responses: [{ status: 204, about: 'The service account was removed.' }],
    problems: ['forbidden', 'service-account-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/service-accounts/:accountId/tokens',
    tag: 'access',
    summary: 'Create an access token for a service account',
    about: 'Only this response contains the token. It is listed and revoked like any other token.',
    body: { schema: tokenBody, example: { name: 'cluster', scopes: ['upload'] } },
    responses: [
      json(
        issuedTokenJson,
        'The token.',
        { id: workloadId, token: 'plt_…', name: 'cluster', scopes: ['upload'], experiments: null, expires_at: '2027-11-22T00:00:00.000Z' },
        201,
      ),
    ],
    problems: [...problems, 'experiment-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/service-accounts/:accountId/workloads',
    tag: 'access',
    summary: 'Let a workload act as a service account with its own OIDC token',
    about: 'For Kubernetes and CI: the workload exchanges its token at POST /api/v1/token and stores no secret.',
    body: { schema: workloadBody, example: workload },
    responses: [json(workloadJson.omit({ created_at: true, last_used_at: true }), 'The workload.', { id: workloadId, ...workload }, 201)],
    problems,
  },
  {
    method: 'DELETE',
    path: '/api/v1/service-accounts/:accountId/workloads/:workloadId',
    tag: 'access',
    summary: 'Remove a workload',
    responses: [{ status: 204, about: 'Its JWTs stop working within five seconds.' }],
    problems: ['forbidden', 'service-account-not-found', 'workload-not-found'],
  },
];
