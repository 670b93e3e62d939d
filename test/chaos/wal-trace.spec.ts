import { expect, it } from 'vitest';
import { readTrace } from './wal-trace.ts';

const request = '11 1.0 read(24<socket:[1]>, "PATCH /api/v1/files/7 HTTP/1.1\\r"..., 65536) = 300';
const response = '11 1.1 write(24<socket:[1]>, "HTTP/1.1 204 No Content\\r\\nX"..., 200) = 200';
const sync = '22 1.2 fdatasync(5</db/pg_wal/000000010000000000000001>) = 0';
const begin = '22 1.2 fdatasync(5</db/pg_wal/000000010000000000000001> <unfinished ...>';
const end = '22 1.3 <... fdatasync resumed>) = 0';
const other = '22 1.2 fdatasync(5</db/base/1/2>) = 0';

it.each([
  ['a sync between each request and its response', [request, sync, response, request, begin, end, response], 2],
  ['no sync', [request, response], 0],
  ['a sync of something else', [request, other, response], 0],
  ['a sync that failed', [request, sync.replace('= 0', '= -1 EIO (Input/output error)'), response], 0],
  ['a sync that had not returned', [request, begin, response, end], 0],
  ['a sync from between the previous response and the request', [request, sync, response, sync, request, response], 1],
  ['a sync that started before the previous response', [request, sync, begin, response, request, end, response], 1],
  ['a response to a request that was not seen', [sync, response], 0],
  [
    'a request that was read in two parts',
    [`11 1.0 <... read resumed>"PATCH /api/v1/files/7 HTTP/1.1\\r"..., 65536) = 300`, sync, response],
    1,
  ],
])('%s', (_what, lines, inOrder) => {
  expect(readTrace(lines.join('\n'))).toEqual({ responses: lines.filter((line) => line === response).length, inOrder });
});
