import { nextQuery } from '../../sign-in/sign-in-page.controller.ts';
import { z } from 'zod';
import { serverQuery } from '../server-query.ts';
import { pictureQuery } from '../../pictures/picture-query.ts';
import { homeQuery, plainQuery } from '../../page/page-query.ts';
import { json, type RouteDoc } from './route-doc.ts';

const status = z.object({ status: z.literal('ok') });

export const serviceDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    public: true,
    uncounted: true,
    summary: 'Liveness: fails only when a restart would help',
    responses: [json(status, 'It does.', { status: 'ok' })],
    problems: ['not-ready'],
  },
  {
    method: 'GET',
    path: '/readyz',
    tag: 'service',
    public: true,
    uncounted: true,
    summary: 'Readiness: dependencies respond and pending data is ingested',
    responses: [json(status, 'It can.', { status: 'ok' })],
    problems: ['store-unavailable', 'not-ready'],
  },
  {
    method: 'GET',
    path: '/api/v1/server',
    tag: 'service',
    public: true,
    uncounted: true,
    summary: "Get the version, and check the client's compatibility",
    query: serverQuery,
    responses: [
      json(
        z.object({
          name: z.literal('plotline'),
          version: z.string(),
          url: z.string(),
          grpc: z
            .object({ target: z.string(), tls: z.boolean() })
            .nullable()
            .meta({ description: 'The gRPC target for TensorBoard’s own clients. Null if they are not served.' }),
          verdict: z.enum(['OK', 'WARN', 'ERROR']),
          message: z.string().meta({ description: 'A message for the user, or an empty string.' }),
        }),
        'The service.',
        {
          name: 'plotline',
          version: '0.1.0',
          url: 'https://plotline.example',
          grpc: { target: 'dns:///plotline.example:8443', tls: true },
          verdict: 'OK',
          message: '',
        },
      ),
    ],
    problems: ['bad-request', 'unknown-field'],
  },
  {
    method: 'GET',
    path: '/api/v1/limits',
    tag: 'service',
    public: true,
    uncounted: true,
    summary: 'Limits for clients',
    responses: [json(z.record(z.string(), z.number()), 'Names contain the units.', { maxRecordBytes: 67108864, maxPageSize: 1000 })],
    problems: [],
  },
  {
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'service',
    public: true,
    uncounted: true,
    summary: 'This document',
    responses: [json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.')],
    problems: [],
  },
  {
    method: 'GET',
    path: '/api/v1/whoami',
    tag: 'service',
    summary: 'Show the caller and the credential',
    responses: [
      json(
        z.object({
          person: z.object({ id: z.string(), name: z.string() }),
          workspace: z.object({ id: z.string(), name: z.string() }),
          role: z.string(),
          via: z.enum(['token', 'jwt', 'session']),
          scopes: z.array(z.string()).meta({ description: 'Scopes of the credential; the role can restrict them further.' }),
          may_write: z.boolean(),
        }),
        'The caller.',
        {
          person: { id: '0b0c3a52-6a0e-4f6e-9f0f-2f8f7e1f2a77', name: 'Ada' },
          workspace: { id: '5b7f6d4e-0f3f-4b63-8d4c-8e7d9b7c1a10', name: 'Lab' },
          role: 'owner',
          via: 'token',
          scopes: ['read', 'upload', 'manage', 'admin'],
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
    summary: 'Open a sign-in link',
    about: 'Sets a session cookie (HttpOnly, SameSite=Strict) and redirects to `next`, a path of this service, by default `/`.',
    query: nextQuery,
    responses: [
      { status: 200, about: 'A page that asks for confirmation, if another site opened the link.', content: { 'text/html': null } },
      { status: 303, about: 'Signed in.', headers: { 'Set-Cookie': 'The session.', Location: 'The address to continue at.' } },
      { status: 404, about: 'An HTML page: the link was used or has expired.', content: { 'text/html': null } },
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/assets/:file',
    tag: 'pages',
    public: true,
    uncounted: true,
    summary: 'Get a script, style sheet or font of the pages',
    about: 'The name changes with the content, so clients can cache it permanently. Sent compressed if the client accepts it.',
    responses: [{ status: 200, about: 'The file.', content: { 'text/javascript': null, 'text/css': null, 'font/woff2': null } }],
    problems: ['not-found'],
  },
  {
    method: 'GET',
    path: '/',
    tag: 'pages',
    summary: 'Show the page with the list of experiments',
    query: homeQuery,
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: [],
  },
  {
    method: 'GET',
    path: '/e/:experimentId',
    tag: 'pages',
    summary: 'Show an experiment page',
    about:
      'Without credentials, with those of another workspace, and for a missing experiment, the response is the same 404 page. Other parameters select and configure the charts (docs/page.md).',
    query: plainQuery,
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['experiment-not-found'],
  },
  {
    method: 'GET',
    path: '/e/:experimentId/r/*run',
    tag: 'pages',
    summary: 'Show a run page',
    about:
      'The path is the name of the run, including its slashes. The page is the same as the experiment page with `about`. For an unknown run, it shows an error.',
    query: plainQuery,
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems: ['experiment-not-found', 'not-found'],
  },
  {
    method: 'GET',
    path: '/e/:experimentId/*picture',
    tag: 'pages',
    summary: 'Draw a chart as an image or CSV',
    about:
      'The path is the tag, including its slashes, plus `.svg` or `.png`, or `.csv` for the buckets of the image. Without `run`, the chart shows all runs.',
    query: pictureQuery,
    responses: [{ status: 200, about: 'The picture.', content: { 'image/svg+xml': null, 'image/png': null, 'text/csv': null } }],
    problems: ['experiment-not-found', 'not-found', 'bad-request', 'unknown-field', 'answer-too-large', 'rate-limited'],
  },
];
