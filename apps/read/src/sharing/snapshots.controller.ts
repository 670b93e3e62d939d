import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { BlobStore } from '#blobs';
import {
  Caller,
  Does,
  Idempotency,
  Idempotent,
  type IdempotentRequest,
  NamesSeries,
  parse,
  PublicUrl,
  WorkspaceGate,
  ParseExperimentId,
} from '#http';
import { type ExperimentId, limits, logsTag, Problem } from '#model';
import { copyLogs } from '#originals';
import { checkText } from '#experiments';
import { citationLimits } from '#citations';
import { type ExperimentSummary, insertCitation, type TenantScope } from '#store';
import { type AddLogs, takeSnapshot } from '#workspaces';
import { citationBody } from '../citations/citation-json.ts';
import { titleOf } from '../page/experiment-page.ts';
import { toExperimentJson } from '../experiments/experiment-json.ts';
import { lookUpName, textUpTo } from '../query-schemas.ts';

const names = z.array(lookUpName).min(1).max(limits.maxPageSize).optional();

export const snapshotBody = z.strictObject({
  name: textUpTo(limits.maxExperimentNameCharacters)
    .optional()
    .meta({ description: 'Name of the copy. Default: the name of the experiment.' }),
  runs: names.meta({ description: 'Copy only these runs. Default: all runs.' }),
  tags: names.meta({ description: 'Copy only these tags; use `system/logs` for the logs. Default: all tags, and the logs.' }),
  citation: citationBody
    .optional()
    .meta({ description: 'Makes the copy citable. The citation cannot be changed later. If absent, the copy has no citation.' }),
});

/** Immutable copies of experiments. */
@Controller('api/v1/experiments/:experimentId/snapshots')
export class SnapshotsController {
  readonly #idempotency: Idempotency;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;
  readonly #blobs: BlobStore;

  constructor(idempotency: Idempotency, publicUrl: PublicUrl, gate: WorkspaceGate, blobs: BlobStore) {
    this.#blobs = blobs;
    this.#gate = gate;
    this.#idempotency = idempotency;
    this.#publicUrl = publicUrl;
  }

  @Does('experiment.snapshot')
  @Post()
  @NamesSeries()
  async make(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name, runs = null, tags = null, citation } = parse(snapshotBody, body);
    const { quotas } = await this.#gate.terms(caller.tenantId);
    const hasLogs = tags === null || tags.includes(logsTag);
    const addLogs: AddLogs = (within, copy) => copyLogs({ scope: within, blobs: this.#blobs }, copy);
    return this.#idempotency.run(caller.tenantId, key, response, async (scope) => {
      const made = await takeSnapshot(scope, caller, experimentId, {
        request: { name, runs, tags },
        quotas,
        addLogs: hasLogs ? addLogs : undefined,
      });
      if (citation) await cite(scope, made, citation);
      return { status: 201, body: toExperimentJson(made, caller, this.#publicUrl) };
    });
  }
}

async function cite(scope: TenantScope, copy: ExperimentSummary, body: z.output<typeof citationBody>): Promise<void> {
  const { maxTitleCharacters, maxAuthorCharacters, maxLicenseCharacters } = citationLimits;
  const check = (text: string, what: string, max: number): string => {
    const checked = checkText(text, what, max).trim();
    if (checked === '') throw new Problem('invalid-name', `The ${what} is empty.`);
    return checked;
  };
  await insertCitation(scope, copy.experimentId, {
    title: check(body.title ?? titleOf(copy), 'title', maxTitleCharacters),
    authors: (body.authors ?? []).map((author) => check(author, 'name of an author', maxAuthorCharacters)),
    license: body.license === undefined ? null : check(body.license, 'license', maxLicenseCharacters),
    published: body.published ?? null,
  });
}
