import { z } from 'zod';
import { experimentJson } from '../../experiments/experiment-json.ts';
import { linkFields, linkJson } from '../../sharing/link-json.ts';
import { linkBody } from '../../sharing/share-links.controller.ts';
import { snapshotBody } from '../../sharing/snapshots.controller.ts';
import { embedQuery } from '../../sharing/visit.controller.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const example = {
  id: '7d1f0c52-9c1a-4b0e-8f57-2f1f0e6f3b90',
  kind: 'page' as const,
  name: 'for the reviewers',
  experiment: examples.id,
  frozen: false,
  runs: null,
  tags: ['val/acc'],
  anonymous: true,
  logs: false,
  origins: null,
  view: 'smoothing=0.9',
  expires_at: '2027-02-20T00:00:00.000Z',
};

export const shareDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/share-links',
    tag: 'access',
    summary: 'Create a share link',
    about:
      'Only this response contains the address. Open it in a browser, or send its last part in the header `Plotline-Share` from a program. A link limited to runs or tags shows visitors only these runs or tags: totals of the whole experiment (bytes, points), files, problems and the receipt are hidden. Anonymous links hide them too.',
    body: { schema: linkBody, example: { name: 'for the reviewers', tags: ['val/acc'], anonymous: true, view: 'smoothing=0.9' } },
    responses: [
      json(
        z.object({ ...linkFields, url: z.url() }),
        'The link.',
        { ...example, url: 'https://plotline.example/s/4fQxJ0pXyTn9sV2bKc7mRw1hZ8uLdE' },
        201,
      ),
    ],
    problems: ['bad-request', 'unknown-field', 'invalid-name', 'name-too-long', 'forbidden', 'experiment-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/share-links',
    tag: 'access',
    summary: 'List active links to an experiment',
    responses: [
      json(z.object({ share_links: z.array(linkJson) }), 'At most 1,000, newest first.', {
        share_links: [{ ...example, made_by: examples.experiment.owner, created_at: '2026-11-22T00:00:00.000Z' }],
      }),
    ],
    problems: ['forbidden', 'experiment-not-found'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/share-links/:linkId',
    tag: 'access',
    summary: 'Revoke a link',
    about: 'The link stops working within five seconds. The snapshot of a frozen link remains as a separate experiment.',
    responses: [{ status: 204, about: 'The link is revoked.' }],
    problems: ['forbidden', 'share-link-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/snapshots',
    tag: 'experiments',
    summary: 'Create a snapshot',
    about:
      'Copies the currently readable data of all or some runs and tags. The copy never changes, even if data is later deleted from the experiment. Event files are not copied.',
    idempotent: true,
    body: { schema: snapshotBody, example: { name: 'as published', citation: { authors: ['Doe, Jane'], license: 'CC-BY-4.0' } } },
    responses: [json(experimentJson, 'The copy.', { ...examples.experiment, snapshot: { of: 'aR7vT9qLmX2bN8cRz5WfYh', epoch: 12 } }, 201)],
    problems: [
      'experiment-frozen',
      'bad-request',
      'unknown-field',
      'name-too-long',
      'invalid-name',
      'forbidden',
      'experiment-not-found',
      'idempotency-key-reused',
    ],
  },
  {
    method: 'GET',
    path: '/s/:secret',
    tag: 'pages',
    public: true,
    summary: 'Open a link to an experiment or a report',
    about:
      'Exchanges the secret for a cookie that can read this experiment, or this report and its experiments (HttpOnly, SameSite=Lax), and redirects to the page.',
    responses: [
      {
        status: 303,
        about: 'Redirects to the page.',
        headers: { 'Set-Cookie': 'The link.', Location: 'The page of the experiment or report.' },
      },
      { status: 404, about: 'An HTML page: the link was revoked, has expired, or never existed.', content: { 'text/html': null } },
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/embed/:secret',
    tag: 'pages',
    public: true,
    summary: 'Show an embed: an experiment in a frame on another site',
    about:
      "Shows scalar charts, or tables if there are no scalars. A single `tag` fills the frame. Only pages of the link's origins may frame it (`Content-Security-Policy: frame-ancestors`).",
    query: embedQuery,
    responses: [
      { status: 200, about: 'A page without scripts and without links.', content: { 'text/html': null } },
      { status: 404, about: 'An HTML page: the link was revoked, has expired, or never existed.', content: { 'text/html': null } },
    ],
    problems: ['bad-request', 'unknown-field'],
  },
];
