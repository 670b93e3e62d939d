import { randomUUID } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { surveyExport } from '#exports';
import { type Action, noSuchExperiment, requireExperiment, requireNames } from '#experiments';
import { Caller, Does, NamesSeries, parse, ParseExperimentId, WorkspaceGate } from '#http';
import { type ExperimentId, Problem } from '#model';
import {
  countUnfinishedExports,
  expireExports,
  type ExportJob,
  findExportJob,
  findExportOfContent,
  insertExportJob,
  listExportJobs,
  lockExports,
  readUsage,
  Store,
  type TenantScope,
} from '#store';
import { quotaExceeded, usedOf } from '#workspaces';
import { exportBody, exportPath, toExportJson } from './export-json.ts';

const listed = 100;
/** Maximum exports of a workspace that are queued or running. */
const maxUnfinished = 20;

/** Exports that the service writes in the background, for members; visitors use the API instead. */
@Controller('api/v1/experiments/:experimentId/exports')
export class ExportsController {
  readonly #store: Store;
  readonly #gate: WorkspaceGate;

  constructor(store: Store, gate: WorkspaceGate) {
    this.#store = store;
    this.#gate = gate;
  }

  /**
   * If the same content has been exported or is being exported, returns that export. Unknown names
   * are an error: otherwise the export would look complete.
   */
  @Does('experiment.export')
  @Post()
  @NamesSeries()
  async request(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { format, runs = null, tags = null } = parse(exportBody, body);
    if (format === 'raw' && tags)
      throw new Problem('bad-request', 'Event files contain all tags of their run. Omit `tags`, or choose another format.');
    const { quotas } = await this.#gate.terms(caller.tenantId);
    const selection = { experimentId, format, runs: runs && [...new Set(runs)].sort(), tags: tags && [...new Set(tags)].sort() };
    const { job, isNew } = await this.#store.withTenant(caller.tenantId, async (scope) => {
      await requireExperiment(scope, caller, experimentId, 'experiment.export');
      await requireNames(scope, experimentId, { runs: selection.runs ?? [], tags: selection.tags ?? [] });
      const survey = await surveyExport(scope, selection);
      if (!survey) throw noSuchExperiment();
      if (survey.leftOut > 0 && survey.files === 0)
        throw new Problem('original-gone', 'No event file of this selection is kept. Export its values in another format.');
      const contentKey = Buffer.from(survey.fingerprint, 'hex');
      await lockExports(scope);
      const known = await findExportOfContent(scope, experimentId, contentKey);
      if (known) return { job: known, isNew: false };
      await requireQuota(scope, quotas.bytes);
      return { job: await insertExportJob(scope, { exportId: randomUUID(), ...selection, contentKey }), isNew: true };
    });
    response.status(isNew ? 202 : 200).setHeader('Location', exportPath(experimentId, job.exportId));
    return toExportJson(job);
  }

  @Does('experiment.read')
  @Get()
  async list(@Caller() caller: Caller, @Param('experimentId', ParseExperimentId) experimentId: ExperimentId) {
    const jobs = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, experimentId, 'experiment.read');
        return listExportJobs(scope, experimentId, listed);
      },
      { readOnly: true },
    );
    return { exports: jobs.map(toExportJson) };
  }

  @Does('experiment.read')
  @Get(':exportId')
  async read(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('exportId') exportId: string,
  ) {
    const found = await this.#store.withTenant(caller.tenantId, (scope) => requireExport(scope, caller, experimentId, exportId), {
      readOnly: true,
    });
    return toExportJson(found);
  }

  /** Cancels an export, or deletes its result. */
  @Does('experiment.export')
  @Delete(':exportId')
  @HttpCode(204)
  async remove(
    @Caller() caller: Caller,
    @Param('experimentId', ParseExperimentId) experimentId: ExperimentId,
    @Param('exportId') exportId: string,
  ): Promise<void> {
    await this.#store.withTenant(caller.tenantId, async (scope) => {
      await requireExport(scope, caller, experimentId, exportId, 'experiment.export');
      await expireExports(scope, experimentId, exportId);
    });
  }
}

/** Throws `export-not-found`, or the problem for experiments that the caller may not read. */
export async function requireExport(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  exportId: string,
  action: Action = 'experiment.read',
): Promise<ExportJob> {
  await requireExperiment(scope, caller, experimentId, action);
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(exportId);
  const found = isId ? await findExportJob(scope, experimentId, exportId) : null;
  if (!found) throw noSuchExport();
  return found;
}

/** The response is the same for an expired export. */
export function noSuchExport(): Problem {
  return new Problem('export-not-found', 'There is no such export. It may have expired, been canceled, or been removed with deleted data.');
}

async function requireQuota(scope: TenantScope, bytes: number): Promise<void> {
  const used = usedOf(await readUsage(scope)).bytes;
  if (used >= bytes) throw quotaExceeded('bytes', bytes, used);
  if ((await countUnfinishedExports(scope)) >= maxUnfinished)
    throw new Problem('rate-limited', `This workspace has ${maxUnfinished} unfinished exports. Try again when some have finished.`, {
      retryAfterSeconds: 10,
    });
}
