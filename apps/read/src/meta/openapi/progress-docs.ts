import { z } from 'zod';
import { integerJson } from '../../experiments/integer-json.ts';
import { frontierQuery } from '../../frontier/frontier.controller.ts';
import { fileJson, problemJson } from '../../receipt/file-json.ts';
import { pageQuery } from '../../receipt/files.controller.ts';
import { receiptJson, receiptQuery } from '../../receipt/receipt.controller.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const ofAll = integerJson.optional().meta({ description: 'Absent for visitors who see only a part of the experiment.' });

export const frontierJsonDoc = z.object({
  epoch: integerJson.meta({ description: 'Queries return everything acknowledged up to this epoch.' }),
  acknowledged_epoch: integerJson,
  acknowledged_bytes: ofAll,
  visible_bytes: ofAll,
  incomplete_tail_bytes: ofAll,
  rejected_bytes: ofAll,
  visible: z.boolean(),
});

const next = z.string().optional();

export const progressDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/frontier',
    tag: 'progress',
    summary: 'Read the frontier',
    about:
      'With `wait_for`, the response arrives once that epoch is visible, or with 408 after `timeout` seconds (10 by default, at most 60).',
    query: frontierQuery,
    responses: [json(frontierJsonDoc, 'The frontier.', examples.frontier)],
    problems: ['experiment-not-found', 'not-visible-yet', 'bad-request'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/events',
    tag: 'progress',
    summary: 'Server-sent events',
    about:
      'Sends `frontier` when the frontier moves, `run` when a run appears or changes its status, and `deleted` when the experiment is deleted. Events are hints: after each, request what you need. Each group of events ends with an `id`. Reopen the stream with this id as `Last-Event-ID`. If nothing has changed, the stream continues with the next change; otherwise, it starts with the current state.',
    responses: [
      {
        status: 200,
        about: 'The stream.',
        content: { 'text/event-stream': null },
        example: `event: frontier\nid: 41.3f0cda6b52e1\ndata: ${JSON.stringify(examples.frontier)}\n\n`,
      },
    ],
    problems: ['experiment-not-found', 'rate-limited'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/receipt',
    tag: 'progress',
    summary: 'Read the receipt: what was received and stored',
    about:
      'Everything in the receipt comes from one database snapshot. `digest` is the SHA-256 of the lines `run NUL name NUL version NUL bytes NUL crc32c LF`, sorted bytewise. The lines are UTF-8, with numbers in decimal and the CRC-32C as eight lowercase hexadecimal digits. Anyone with the files can compute it.',
    query: receiptQuery,
    responses: [
      json(receiptJson, 'The receipt.', {
        experiment_id: examples.id,
        digest: 'ae5cfabe68ff0a5162d6b8f3a4b11fd3ddf53d92b2e8ebd7bf1e4f1ab6be7ba5',
        frontier: examples.frontier,
        totals: { files: 1, bytes: 61440, records: 1001, points: 5000, tensors: 0, blob_sequences: 0, blobs: 0, invalid_points: 0 },
        files: [examples.uploadedFile],
        series: [examples.seriesCount],
        problems: [examples.problem],
      }),
    ],
    problems: ['experiment-not-found', 'not-visible-yet', 'answer-too-large', 'bad-request'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/files',
    tag: 'files',
    summary: 'List all versions of event files',
    query: pageQuery,
    responses: [json(z.object({ files: z.array(fileJson), next_page_token: next }), 'A page.', { files: [examples.uploadedFile] })],
    problems: ['experiment-not-found', 'not-visible-yet', 'invalid-page-token', 'bad-request'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/problems',
    tag: 'files',
    summary: 'List what was skipped in the files and why',
    query: pageQuery,
    responses: [json(z.object({ problems: z.array(problemJson), next_page_token: next }), 'A page.', { problems: [examples.problem] })],
    problems: ['experiment-not-found', 'not-visible-yet', 'invalid-page-token', 'bad-request'],
  },
];
