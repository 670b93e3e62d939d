import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BlobStore } from '#blobs';
import { ManifestCache, openExport, type StoredExport } from '#exports';
import { Caller, Does, ParseExperimentId, requireStill, whileAllowed } from '#http';
import { type ExperimentId, Problem } from '#model';
import { Store } from '#store';
import { byteRange } from '../byte-range.ts';
import { isHangUp } from '../hang-up.ts';
import { matches } from '../scalars/send.ts';
import { noSuchExport, requireExport } from './exports.controller.ts';

/** Downloads of finished exports. An interrupted download continues with `Range` and `If-Range`. */
@Controller('api/v1/experiments/:experimentId/exports/:exportId')
export class ExportFilesController {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #manifests = new ManifestCache();

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  /** The body has exactly the bytes of `manifest.json`, so clients can compute the digest. */
  @Does('experiment.read')
  @Get('manifest')
  async manifest(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('exportId') exportId: string,
    @Res() response: Response,
  ): Promise<void> {
    const { manifestBytes } = await this.#open(caller, experimentId, exportId);
    response
      .setHeader('Content-Type', 'application/json; charset=utf-8')
      .setHeader('Cache-Control', 'private, no-cache')
      .end(manifestBytes);
  }

  @Does('experiment.read')
  @Get('files/:number')
  async file(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('exportId') exportId: string,
    @Param('number') number: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const stored = await this.#open(caller, experimentId, exportId);
    const index = /^(0|[1-9][0-9]{0,8})$/.test(number) ? Number(number) : -1;
    const file = stored.manifest.files[index];
    if (!file) throw new Problem('file-not-found', `The export has no file with this number. Files are numbered from 0.`);
    const tag = `"${file.sha256}"`;
    response.setHeader('ETag', tag).setHeader('Accept-Ranges', 'bytes').setHeader('Cache-Control', 'private, no-cache');
    if (matches(request.headers['if-none-match'], tag)) {
      response.status(304).end();
      return;
    }
    const ifRange = request.headers['if-range'];
    const asked = ifRange === undefined || ifRange === tag ? byteRange(request.headers.range, file.bytes) : null;
    if (asked === 'unsatisfiable') {
      response.setHeader('Content-Range', `bytes */${file.bytes}`);
      throw new Problem('range-not-satisfiable', `The file has ${file.bytes} bytes.`, { extra: { bytes: file.bytes } });
    }
    const { start, end } = asked ?? { start: 0, end: file.bytes };
    response.status(asked ? 206 : 200).setHeader('Content-Length', end - start);
    if (asked) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${file.bytes}`);
    response.setHeader('Content-Type', 'application/octet-stream').setHeader('X-Content-Type-Options', 'nosniff');
    const name = file.path.split('/').at(-1)!;
    const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
    response.setHeader('Content-Disposition', `attachment; filename="${safe}"; filename*=UTF-8''${encodeURIComponent(name)}`);
    if (request.method === 'HEAD' || start === end) {
      response.end();
      return;
    }
    const pieces = whileAllowed(stored.read(index, start, end), () => requireStill(caller));
    await pipeline(pieces, response).catch((error: unknown) => {
      if (!isHangUp(error)) throw error;
    });
  }

  async #open(caller: Caller, experimentId: ExperimentId, exportId: string): Promise<StoredExport> {
    const { tenantId } = caller;
    const job = await this.#store.withTenant(tenantId, (scope) => requireExport(scope, caller, experimentId, exportId), { readOnly: true });
    if (job.state !== 'finished' || job.snapshot === null)
      throw new Problem('export-not-finished', `The export is ${job.state}. Its files can be downloaded once it has finished.`);
    const now = async (): Promise<number> => (await this.#blobs.now()).getTime();
    const stored = await openExport({ blobs: this.#blobs, tenantId, now, fingerprint: job.snapshot }, this.#manifests);
    if (!stored) throw noSuchExport();
    return stored;
  }
}
