import { z } from 'zod';
import { integerJson } from '../../experiments/integer-json.ts';
import { lineJson, logJson } from '../../logs/log-json.ts';
import { linesQuery, logsQuery } from '../../logs/logs.controller.ts';
import { json, type RouteDoc } from './route-doc.ts';

const log = {
  file_id: '12',
  run: 'lr=0.01',
  name: 'output.1795261058.gpu-1.4711.0.plotline.log',
  version: 1,
  rank: null,
  bytes: 4096,
  lines: 2,
  complete: false,
  kept: true,
};

/** Logs of runs: standard output and error. */
export const logDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/logs',
    tag: 'files',
    summary: 'List the logs of runs',
    about:
      'Standard output and error of runs, one log per process. Visitors see the logs of the runs that their link shows, if the link was created with `logs`, and the logs of public experiments.',
    query: logsQuery,
    responses: [json(z.object({ logs: z.array(logJson), next_page_token: z.string().optional() }), 'Logs.', { logs: [log] })],
    problems: ['experiment-not-found', 'bad-request', 'invalid-page-token', 'not-visible-yet'],
  },
  {
    method: 'GET',
    path: '/api/v1/experiments/:experimentId/logs/:fileId',
    tag: 'files',
    summary: 'Read or search lines of a log',
    about:
      'Returns the last lines, lines from `from` on, or lines that contain the text in `search`. If `next` is not null, pass it as `from` to continue. Bytes that are not UTF-8 become U+FFFD; `GET /files/{file_id}/content` returns the bytes.',
    query: linesQuery,
    responses: [
      json(logJson.extend({ from: integerJson, content: z.array(lineJson), next: integerJson.nullable() }), 'Lines.', {
        ...log,
        from: 1,
        content: [
          { line: 1, text: 'epoch 1: loss 0.31' },
          { line: 2, text: 'epoch 2: loss 0.24' },
        ],
        next: null,
      }),
    ],
    problems: ['experiment-not-found', 'file-not-found', 'bad-request', 'original-gone', 'stored-bytes-lost', 'not-visible-yet'],
  },
];
