import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BlobStore } from '#blobs';
import { requireWithin } from '#experiments';
import { Caller, Does, parse, requireStill, Visits, whileAllowed } from '#http';
import { crc32cDigest, crc32cHex, isFileId, isLogName, Problem, seesLogs } from '#model';
import { bytesLost, type InTenant, keptCrc32c, originalGone, readFileRange, storedBytesLost } from '#originals';
import { findLostRange, type LedgerFile, readFile, Store } from '#store';
import { byteRange } from '../byte-range.ts';
import { contentQuery } from './content-query.ts';
import { isHangUp } from '../hang-up.ts';
import { matches } from '../scalars/send.ts';

/** Downloads the durable part of an event file, without deleted points, for raw exports. */
@Controller('/api/v1/files')
export class FileContentController {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  /**
   * Visitors add `?experiment=`: the id of a file alone does not identify its experiment. Sends the
   * whole file, or one range of it (RFC 9110, 14). When a file grows, its ETag changes, but its
   * first bytes do not.
   */
  @Does('experiment.files')
  @Visits(({ query }) => (typeof query.experiment === 'string' ? query.experiment : null))
  @Get(':fileId/content')
  async content(@Caller() caller: Caller, @Param('fileId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    parse(contentQuery, request.query, 'the query');
    const { tenantId } = caller;
    const inTenant: InTenant = (work) => this.#store.withTenant(tenantId, work, { readOnly: true });
    const file = isFileId(id) ? await inTenant((scope) => readFile(scope, id)) : null;
    if (!file || file.experimentDeleted || file.runDeleted) throw noSuchFile();
    requireWithin(caller, 'experiment.files', file.experimentId, noSuchFile);
    if (isLogName(file.name) && !seesLogs(caller.view)) throw noSuchFile();
    // Access is checked before a cached copy is confirmed as current.
    if (file.droppedBytes > 0) throw originalGone();

    const { fileId, durableOffset: size } = file;
    const etag = `"${fileId}-${size}-${crc32cHex(keptCrc32c(file))}"`;
    response.setHeader('ETag', etag).setHeader('Accept-Ranges', 'bytes');
    if (matches(request.headers['if-none-match'], etag)) {
      response.status(304).end();
      return;
    }
    const ifRange = request.headers['if-range'];
    const asked = ifRange === undefined || ifRange === etag ? byteRange(request.headers.range, size) : null;
    if (asked === 'unsatisfiable') {
      response.setHeader('Content-Range', `bytes */${size}`);
      throw new Problem('range-not-satisfiable', `The file has ${size} durable bytes.`, { extra: { bytes: size } });
    }
    const range = asked ?? { start: 0, end: size };
    const lost = await inTenant((scope) => findLostRange(scope, fileId, range));
    if (lost) throw storedBytesLost(`Bytes ${lost.offset} to ${lost.offset + lost.bytes} of this file`);
    const bytes = readFileRange({ inTenant, blobs: this.#blobs, tenantId, fileId }, range);
    // Opened before the first header is sent, so that an unreadable file is a problem, not a
    // truncated response.
    const first = request.method === 'HEAD' ? null : await bytes.next().catch(bytesLost('Bytes of this file'));
    describe(response, file, range);
    if (asked) response.status(206).setHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`);
    if (!first || first.done) {
      response.end();
      return;
    }
    try {
      const pieces = whileAllowed(after(first.value, bytes), () => requireStill(caller));
      await pipeline(Readable.from(pieces, { objectMode: false }), response);
    } catch (error) {
      if (!isHangUp(error)) throw error;
    }
  }
}

function noSuchFile(): Problem {
  return new Problem('file-not-found', 'There is no such file.');
}

function describe(response: Response, file: LedgerFile, range: { start: number; end: number }): void {
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Length', range.end - range.start);
  response.setHeader('Content-Disposition', attachment(file.name));
  // The digest of the whole file, even if a range is sent (RFC 9530, 3).
  response.setHeader('Repr-Digest', crc32cDigest(keptCrc32c(file)));
}

/** RFC 6266: an ASCII name for old clients, and the real name. */
function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

async function* after(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
