import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { changeReport, createReport, cutPage, deleteReport, findReports, readPage, uuidAfter, viewReport } from '#experiments';
import { Caller, Does, Idempotency, Idempotent, type IdempotentRequest, parse, PublicUrl } from '#http';
import { limits } from '#model';
import { Store } from '#store';
import { paging, textUpTo } from '../query-schemas.ts';
import { citedExperiments } from './cited-experiments.ts';
import { toReportJson, toReportSummaryJson } from './report-json.ts';

const title = textUpTo(limits.maxReportTitleCharacters, 1);
const body = textUpTo(limits.maxReportBytes).meta({ description: 'Markdown, at most 128 KiB of UTF-8.' });

export const newReportBody = z.strictObject({ title, body: body.default('') });
export const changedReportBody = z.strictObject({
  title: title.optional(),
  body: body.optional(),
  version: z.int().min(1).max(2_147_483_647).meta({ description: 'The version on which the change is based.' }),
});
export const reportsQuery = z.strictObject(paging);

/** Reports of a workspace: list, create, read, change, delete. */
@Controller('api/v1/reports')
export class ReportsController {
  readonly #store: Store;
  readonly #idempotency: Idempotency;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, idempotency: Idempotency, publicUrl: PublicUrl) {
    this.#store = store;
    this.#idempotency = idempotency;
    this.#publicUrl = publicUrl;
  }

  @Does('report.read')
  @Get()
  async list(@Caller() caller: Caller, @Query() query: unknown) {
    const { page_size, page_token } = parse(reportsQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['reports']);
    const reports = await this.#store.withTenant(
      caller.tenantId,
      (scope) => findReports(scope, caller, { after: uuidAfter(page), limit: page.size + 1 }),
      { readOnly: true },
    );
    const { items, nextPageToken } = cutPage(reports, page, ({ reportId }) => reportId.replaceAll('-', ''));
    return { reports: items.map(toReportSummaryJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('report.write')
  @Post()
  async create(
    @Caller() caller: Caller,
    @Idempotent() key: IdempotentRequest,
    @Body() sent: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const text = parse(newReportBody, sent);
    const cited = citedExperiments(text.body, this.#publicUrl.site);
    return this.#idempotency.run(caller.tenantId, key, response, async (scope) => ({
      status: 201,
      body: toReportJson(await createReport(scope, caller, { ...text, cited })),
    }));
  }

  @Does('report.view')
  @Get(':reportId')
  async read(@Caller() caller: Caller, @Param('reportId') reportId: string) {
    return toReportJson(await this.#store.withTenant(caller.tenantId, (scope) => viewReport(scope, caller, reportId), { readOnly: true }));
  }

  @Does('report.write')
  @Patch(':reportId')
  async change(@Caller() caller: Caller, @Param('reportId') reportId: string, @Body() sent: unknown) {
    const text = parse(changedReportBody, sent);
    const change = { ...text, cited: citedExperiments(text.body ?? '', this.#publicUrl.site) };
    return toReportJson(await this.#store.withTenant(caller.tenantId, (scope) => changeReport(scope, caller, reportId, change)));
  }

  @Does('report.delete')
  @Delete(':reportId')
  @HttpCode(204)
  async remove(@Caller() caller: Caller, @Param('reportId') reportId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => deleteReport(scope, caller, reportId));
  }
}
