import { Body, Controller, Head, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { BlobStore } from '#blobs';
import { requireExperiment, requireWithin } from '#experiments';
import {
  Caller,
  Credentials,
  Does,
  Idempotency,
  Idempotent,
  type IdempotentRequest,
  notSignedIn,
  parse,
  setRateLimit,
  StreamsBody,
  WorkspaceGate,
  ParseExperimentId,
} from '#http';
import { crc32cHex, type ExperimentId, type FileId, limits } from '#model';
import { readRangesFrom, Store } from '#store';
import { completeUpload } from './complete-upload.ts';
import { crcSchema } from './crc-schema.ts';
import { fileNotFound, findFile, ParseFileId } from './file-directory.ts';
import { checkFileName, checkRunName } from './file-names.ts';
import { openFile, type OpenedFile } from './open-file.ts';
import { joinTouching } from './plan-appends.ts';
import { RangeUpload } from './range-upload.ts';

const bytesSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const announcementSchema = z.strictObject({
  run: z.string().meta({ minLength: 1, maxLength: limits.maxRunNameBytes }),
  name: z.string().meta({ minLength: 1, maxLength: limits.maxFileNameBytes }),
  /** Current length of the client's file. Used only in logs. */
  length: bytesSchema.optional(),
  prefix: z.strictObject({ bytes: bytesSchema, crc32c: crcSchema }).optional(),
  new_version: z.boolean().default(false),
  /**
   * Whether the upload started after a run with this name was deleted; the `run-deleted` problem
   * contains the time since then.
   */
  after_deletion: z.boolean().default(false),
});

const completionSchema = z.strictObject({ bytes: bytesSchema, crc32c: crcSchema });

/**
 * Resumable upload of event files (api.md, "Upload"). Offsets and lengths count decoded bytes. A
 * path prefix allows any proxy to route uploads. Clients that do not know the prefix send the same
 * requests without it.
 */
@Controller(['/api/v1/uploads', '/api/v1'])
export class FilesController {
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #idempotency: Idempotency;
  readonly #ranges: RangeUpload;
  readonly #credentials: Credentials;
  readonly #gate: WorkspaceGate;

  constructor(
    store: Store,
    blobs: BlobStore,
    idempotency: Idempotency,
    ranges: RangeUpload,
    credentials: Credentials,
    gate: WorkspaceGate,
  ) {
    this.#credentials = credentials;
    this.#gate = gate;
    this.#store = store;
    this.#blobs = blobs;
    this.#idempotency = idempotency;
    this.#ranges = ranges;
  }

  /** Announces a file. Responds with 201 for a new version, and with 200 for a known one. */
  @Does('experiment.upload')
  @Post('experiments/:experimentId/files')
  async open(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Body() body: unknown,
    @Idempotent() idempotent: IdempotentRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { run, name, prefix, new_version: newVersion, after_deletion: afterDeletion } = parse(announcementSchema, body);
    const announced = {
      experimentId,
      run: checkRunName(run),
      name: checkFileName(name),
      prefix: prefix ?? null,
      newVersion,
      afterDeletion,
    };
    const reservation = await this.#ranges.reserveFiles(caller.tenantId);
    const opened: OpenedFile[] = [];
    const responded = await this.#idempotency.run(caller.tenantId, idempotent, response, async (scope) => {
      await requireExperiment(scope, caller, experimentId, 'experiment.upload');
      const file = await openFile(scope, this.#blobs, announced, reservation);
      opened.push(file);
      const opening = { file_id: file.fileId, version: file.version, offset: file.durableOffset, crc32c: crc32cHex(file.crc32c) };
      return { status: file.created ? 201 : 200, body: opening };
    });
    reservation.made();
    for (const { fileId, runId, durableOffset } of opened)
      this.#ranges.announced(caller.tenantId, fileId, { experimentId, runId, durableOffset });
    return responded;
  }

  /** Reports the state of a file. Changes nothing. */
  @Does('experiment.upload')
  @Head('files/:fileId')
  async position(
    @Caller() caller: Caller,
    @Param('fileId', ParseFileId) fileId: FileId,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const { tenantId } = caller;
    const { durableOffset, experimentId } = await findFile(this.#store, tenantId, fileId);
    requireWithin(caller, 'experiment.upload', experimentId, fileNotFound);
    const kept = await this.#store.withTenant(tenantId, (scope) => readRangesFrom(scope, [{ fileId, from: durableOffset }]), {
      readOnly: true,
    });
    response.setHeader('Upload-Offset', durableOffset);
    response.setHeader('Upload-Window', limits.uploadWindowBytes);
    // The format of HTTP byte ranges (RFC 9110, 14.1.1), which include both ends.
    const ranges = joinTouching(kept).map(({ offset, length }) => `${offset}-${offset + length - 1}`);
    if (ranges.length > 0) response.setHeader('Upload-Ranges', ranges.join(', '));
    response.setHeader('Cache-Control', 'no-store');
  }

  /** Appends a range. */
  @Does('experiment.upload')
  @Patch('files/:fileId')
  @HttpCode(204)
  @StreamsBody()
  async append(
    @Caller() { tenantId }: Caller,
    @Param('fileId', ParseFileId) fileId: FileId,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const allows = async (experimentId: ExperimentId): Promise<void> => {
      const now = await this.#credentials.identifyAgain(request);
      if (!now) throw notSignedIn();
      requireWithin(now, 'experiment.upload', experimentId, fileNotFound);
      await this.#gate.requireOpen(now, 'experiment.upload');
    };
    const { durableOffset, epoch, complete } = await this.#ranges.append(tenantId, fileId, request, allows);
    setRateLimit(response, await this.#ranges.quotasOf(tenantId));
    response.setHeader('Upload-Offset', durableOffset);
    if (epoch !== null) response.setHeader('Upload-Epoch', epoch);
    if (complete) response.setHeader('Upload-Complete', '?1');
  }

  /** Marks a file as complete. A later append reopens it. */
  @Does('experiment.upload')
  @Post('files/:fileId/complete')
  @HttpCode(200)
  async complete(
    @Caller() caller: Caller,
    @Param('fileId', ParseFileId) fileId: FileId,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const claim = parse(completionSchema, body);
    const { tenantId } = caller;
    const { experimentId } = await findFile(this.#store, tenantId, fileId);
    requireWithin(caller, 'experiment.upload', experimentId, fileNotFound);
    const { version, bytes, crc32c, epoch } = await this.#store.withTenant(tenantId, (scope) => completeUpload(scope, fileId, claim));
    response.setHeader('Upload-Offset', bytes);
    response.setHeader('Upload-Epoch', epoch);
    return { file_id: fileId, version, bytes, crc32c: crc32cHex(crc32c), epoch };
  }
}
