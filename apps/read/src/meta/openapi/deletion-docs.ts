import { z } from 'zod';
import { deletionJson, deletionPreviewJson } from '../../deletions/deletion-json.ts';
import { deletionBody } from '../../deletions/deletions.controller.ts';
import { workspaceBody, workspaceJson, workspaceRemovalBody } from '../../deletions/workspace.controller.ts';
import { repairBody, repairJson } from '../../repair/repair.controller.ts';
import { examples } from './examples.ts';
import { onlyWaiting } from '../../query-schemas.ts';
import { json, type RouteDoc } from './route-doc.ts';

const deletion = {
  id: '3f0d0c9e-1c65-4c5b-9f6c-2f1f5b7f7a51',
  url: '/api/v1/deletions/3f0d0c9e-1c65-4c5b-9f6c-2f1f5b7f7a51',
  kind: 'points',
  experiment: examples.id,
  tags: 1,
  steps: { from: 0, to: 999 },
  state: 'running',
  requested: '2026-11-21T11:00:00.000Z',
  requested_by: '0b0c3a52-6a0e-4f6e-9f0f-2f8f7e1f2a77',
  finished: null,
  removed: { runs: 0, files: 0, series: 0, points: 3000, objects: 3, bytes: 61440 },
  rewritten: { files: 3, bytes: 65536 },
  objects_left: 0,
};

const preview = {
  dry_run: true,
  would_remove: { runs: 0, files: 0, series: 0, points: 3000, bytes: 0 },
  would_rewrite: { files: 3, bytes: 65536 },
  exact: true,
  kept_in_snapshots: { snapshots: 1, citable: 0 },
};

const workspace = { id: '5b7f6d4e-0f3f-4b63-8d4c-8e7d9b7c1a10', name: 'Lab', originals_days: 90, audit_days: 365 };

export const deletionDocs: readonly RouteDoc[] = [
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/deletions',
    tag: 'deletions',
    summary: 'Delete runs, tags or steps of an experiment',
    about:
      'With `runs` alone: deletes these runs completely; they disappear immediately. An upload that started earlier cannot restore their files (`run-deleted`); other files under the same name create a new run. With `tags` or `steps` (inclusive): deletes the points of these tags, at these steps, in `runs` or in all runs; the points disappear when the deletion is done. ' +
      'The deletion covers everything acknowledged before the request; data that arrives while it runs may be deleted too. The points are also removed from the stored event files: the files keep their length, their other records and their `crc32c`, and are marked `original_rewritten`. With `dry_run: true`, nothing is deleted: the response describes what would be deleted. Without other fields, that is the whole experiment.',
    idempotent: true,
    body: { schema: deletionBody, example: { runs: ['lr=0.01'], tags: ['val/acc'], steps: { from: 0, to: 999 } } },
    responses: [
      json(deletionPreviewJson, 'With `dry_run`: what would be deleted. Nothing was deleted.', preview),
      {
        ...json(deletionJson, 'The deletion is in progress.', { ...deletion, state: 'waiting' }, 202),
        headers: { Location: 'The progress.' },
      },
    ],
    problems: ['experiment-frozen', 'experiment-not-found', 'bad-request', 'unknown-field', 'forbidden', 'idempotency-key-reused'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/deletions',
    tag: 'deletions',
    summary: 'List the latest deletions of an experiment',
    about: 'Newest first, at most 100. Also works for a deleted experiment.',
    query: onlyWaiting,
    responses: [json(z.object({ deletions: z.array(deletionJson) }), 'The deletions.', { deletions: [deletion] })],
    problems: ['experiment-not-found', 'bad-request', 'unknown-field', 'not-visible-yet'],
  },
  {
    method: 'GET',
    path: '/api/v1/deletions/:deletionId',
    tag: 'deletions',
    summary: 'Get the progress of a deletion',
    responses: [json(deletionJson, 'The deletion.', deletion)],
    problems: ['deletion-not-found'],
  },
  {
    method: 'POST',
    path: '/api/v1/experiments/:experimentId/repair',
    tag: 'experiments',
    summary: 'Apply the data rules to stored points again',
    about:
      'Reapplies the data rules to these runs, or to all runs of the experiment. Withdraws copies of a log, and restores points that only older rules superseded. Nothing that was logged is lost. Repeating the request while runs are waiting has no effect.',
    body: { schema: repairBody, example: { runs: ['lr=0.01'] } },
    responses: [
      json(
        repairJson,
        'How many runs are still waiting. A GET request to the same address returns the progress.',
        { runs_waiting: 1 },
        202,
      ),
    ],
    problems: ['experiment-frozen', 'experiment-not-found', 'not-found', 'bad-request', 'unknown-field', 'forbidden'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/repair',
    tag: 'experiments',
    summary: 'Get the progress of a repair',
    responses: [json(repairJson, 'How many runs are still waiting.', { runs_waiting: 0 })],
    problems: ['experiment-not-found'],
  },
  {
    method: 'GET',
    path: '/api/v1/workspace',
    tag: 'service',
    summary: "Get the caller's workspace",
    responses: [json(workspaceJson, 'The workspace.', workspace)],
    problems: ['forbidden'],
  },
  {
    method: 'PATCH',
    path: '/api/v1/workspace',
    tag: 'service',
    summary: 'Change how long original bytes and the audit log are kept',
    about: 'Owners only.',
    body: { schema: workspaceBody, example: { originals_days: 90 } },
    responses: [json(workspaceJson, 'The updated workspace.', workspace)],
    problems: ['forbidden', 'bad-request', 'unknown-field'],
  },
  {
    method: 'DELETE',
    path: '/api/v1/workspace',
    tag: 'deletions',
    summary: 'Delete the workspace with everything in it',
    about:
      "Only for owners. The body must contain the name of the workspace. All credentials stop working immediately, except the caller's tokens, which can follow the progress. When the deletion is done, these tokens stop working too, and requests get a 401.",
    body: { schema: workspaceRemovalBody, example: { name: 'Lab' } },
    responses: [
      {
        ...json(
          deletionJson,
          'The deletion is in progress.',
          { ...deletion, kind: 'workspace', experiment: null, tags: null, steps: null },
          202,
        ),
        headers: { Location: 'The progress.' },
      },
    ],
    problems: ['forbidden', 'bad-request', 'unknown-field'],
  },
];
