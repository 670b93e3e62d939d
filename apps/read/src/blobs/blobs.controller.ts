import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ByteRange } from '#blobs';
import { Caller, Does, requireStill, Visits, whileAllowed } from '#http';
import { Problem } from '#model';
import { readBlobKey } from '#series';
import { byteRange } from '../byte-range.ts';
import { isHangUp } from '../hang-up.ts';
import { matches } from '../scalars/send.ts';
import { BlobReader } from './blob-reader.ts';
import { BlobTypes, dispositionOf } from './blob-types.ts';

/**
 * Downloads a blob. Blobs can contain anything, so headers keep browsers from running them: no
 * sniffing, a sandbox, and only images, audio, video and plain text inline; everything else is a
 * download.
 */
@Controller()
export class BlobsController {
  readonly #blobs: BlobReader;
  readonly #types: BlobTypes;

  constructor(blobs: BlobReader, types: BlobTypes) {
    this.#blobs = blobs;
    this.#types = types;
  }

  /** TensorBoard's plugins use the second URL (seed 001). */
  @Does('experiment.view')
  @Visits(({ params }) => readBlobKey(String(params.key))?.experimentId ?? null)
  @Get(['api/v1/blobs/:key', 'data/blob/:key'])
  async read(@Caller() caller: Caller, @Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { sha256, bytes } = await this.#blobs.find(caller, key);
    const hex = sha256.toString('hex');
    const type = await this.#types.typeOf(caller.tenantId, hex, bytes);
    const tag = `"${hex}"`;
    response.setHeader('ETag', tag);
    // A visitor's link may be revoked at any moment.
    response.setHeader('Cache-Control', caller.view ? 'private, no-cache' : 'private, max-age=300');
    response.setHeader('Vary', 'Authorization, Cookie, Plotline-Share');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
    if (matches(request.headers['if-none-match'], tag)) {
      response.status(304).end();
      return;
    }
    response.setHeader('Accept-Ranges', 'bytes');
    response.setHeader('Content-Type', type.contentType);
    response.setHeader('Content-Disposition', dispositionOf(type, hex));
    const ifRange = request.headers['if-range'];
    const range = ifRange === undefined || ifRange === tag ? byteRange(request.headers.range, bytes) : null;
    if (range === 'unsatisfiable') {
      response.setHeader('Content-Range', `bytes */${bytes}`);
      throw new Problem('range-not-satisfiable', `The blob has ${bytes} bytes.`, { extra: { bytes } });
    }
    await this.#send(caller, sha256, bytes, range, request, response);
  }

  async #send(caller: Caller, sha256: Buffer, bytes: number, range: ByteRange | null, request: Request, response: Response): Promise<void> {
    const { start, end } = range ?? { start: 0, end: bytes };
    // The blob is read completely even for a range, because only the complete blob can be verified.
    const stream = request.method === 'HEAD' ? null : await this.#blobs.open(caller.tenantId, sha256);
    response.status(range ? 206 : 200).setHeader('Content-Length', end - start);
    if (range) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${bytes}`);
    if (!stream) {
      response.end();
      return;
    }
    const allowed = (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> => whileAllowed(pieces, () => requireStill(caller));
    await pipeline(stream, (pieces) => cut(allowed(pieces as AsyncIterable<Buffer>), { start, end }), response).catch((error: unknown) => {
      if (!isHangUp(error)) throw error;
    });
  }
}

/**
 * Bytes `[start, end)` of the pieces. Yields the last piece only after all pieces were read, so a
 * response is complete only if the blob is intact.
 */
async function* cut(pieces: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  let held: Buffer | null = null;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - position), Math.max(0, end - position));
    position += piece.length;
    if (part.length === 0) continue;
    if (held) yield held;
    held = part;
  }
  if (held) yield held;
}
