import { z } from 'zod';
import { serverQuery } from '../server-query.ts';
import { json, type RouteDoc } from './route-doc.ts';

const status = z.object({ status: z.literal('ok') });

export const serviceDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    public: true,
    summary: 'The process runs, and a new one would do no better',
    answers: [json(status, 'It does.', { status: 'ok' })],
    problems: ['not-ready'],
  },
  {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    public: true,
    summary: 'The process can do its work: what it needs answers, and what is pending moves',
    answers: [json(status, 'It can.', { status: 'ok' })],
    problems: ['store-unavailable', 'not-ready'],
  },
  {
    method: 'GET',
    path: '/api/v1/server',
    tag: 'service',
    public: true,
    summary: 'Version, and whether a client fits',
    query: serverQuery,
    answers: [
      json(
        z.object({
          name: z.literal('plotline'),
          version: z.string(),
          url: z.string(),
          verdict: z.enum(['OK', 'WARN', 'ERROR']),
          message: z.string().meta({ description: 'For the person; empty when there is nothing to say.' }),
        }),
        'The service.',
        { name: 'plotline', version: '0.1.0', url: 'https://plotline.example', verdict: 'OK', message: '' },
      ),
    ],
    problems: ['bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/api/v1/limits',
    tag: 'service',
    public: true,
    summary: 'Every bound that a client can run into',
    answers: [json(z.record(z.string(), z.number()), 'Units are in the names.', { maxRecordBytes: 67108864, maxPageSize: 1000 })],
    problems: [],
  },
  {
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'service',
    public: true,
    summary: 'This document',
    answers: [json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.')],
    problems: [],
  },
  {
    method: 'GET',
    path: '/api/v1/whoami',
    tag: 'service',
    summary: 'Whose credentials these are',
    answers: [
      json(
        z.object({
          person: z.object({ id: z.string(), name: z.string() }),
          workspace: z.object({ id: z.string(), name: z.string() }),
          role: z.string(),
          via: z.enum(['token', 'session']),
          may_write: z.boolean(),
        }),
        'The caller.',
        {
          person: { id: '0b0c3a52-6a0e-4f6e-9f0f-2f8f7e1f2a77', name: 'Ada' },
          workspace: { id: '5b7f6d4e-0f3f-4b63-8d4c-8e7d9b7c1a10', name: 'Lab' },
          role: 'owner',
          via: 'token',
          may_write: true,
        },
      ),
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/sign-in/:secret',
    tag: 'pages',
    public: true,
    summary: 'Sign a browser in, once',
    about: 'Sets a cookie that may read (HttpOnly, SameSite=Strict) and leads to `next`, a path of this service, by default `/`.',
    query: z.strictObject({ next: z.string().optional() }),
    answers: [
      { status: 303, about: 'Signed in.', headers: { 'Set-Cookie': 'The session.', Location: 'Where to go on.' } },
      { status: 404, about: 'The link was used, or is too old: a page that says so.', content: { 'text/html': null } },
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/',
    tag: 'pages',
    summary: 'The experiments, for people',
    answers: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: [],
  },
  {
    method: 'GET',
    path: '/e/:experimentId',
    tag: 'pages',
    summary: 'An experiment, for people: the address that is shared',
    about: 'Without credentials, with those of another workspace, and for what does not exist: the same 404 page.',
    answers: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['experiment-not-found'],
  },
];
