import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { checkText } from '#experiments';
import { Caller, Does, parse, PublicUrl } from '#http';
import { limits } from '#model';
import { Store } from '#store';
import { endReportLink, findReportLinks, makeReportLink } from '#workspaces';
import { linkExpiry, linkName, maxLinkNameCharacters } from '../sharing/link-body.ts';
import { citedExperiments } from './cited-experiments.ts';
import { toReportLinkJson } from './report-link-json.ts';

export const reportLinkBody = z.strictObject({
  name: linkName,
  anonymous: z.boolean().default(false).meta({
    description:
      'Hide the names of people, the workspace, files and hosts. The report text and the names of experiments, runs and tags remain visible.',
  }),
  expires_in_days: linkExpiry,
});

/** Links that show a report and its experiments to anyone who has them: create, list, revoke. */
@Controller('api/v1/reports/:reportId/share-links')
export class ReportLinksController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, publicUrl: PublicUrl) {
    this.#store = store;
    this.#publicUrl = publicUrl;
  }

  /** Accepts no `Idempotency-Key`: the response contains a secret, and is not stored. */
  @Does('report.share')
  @Post()
  async make(@Caller() caller: Caller, @Param('reportId') reportId: string, @Body() body: unknown) {
    const { name, anonymous, expires_in_days } = parse(reportLinkBody, body);
    checkText(name, 'name', maxLinkNameCharacters);
    const { site } = this.#publicUrl;
    const made = await makeReportLink(this.#store, caller, reportId, {
      request: { name, anonymous, expiresInDays: expires_in_days },
      citedIn: (text) => citedExperiments(text, site),
    });
    return {
      id: made.linkId,
      url: this.#publicUrl.at(`/s/${made.secret}`),
      kind: 'report',
      name,
      report: reportId,
      anonymous,
      expires_at: made.expiresAt?.toISOString() ?? null,
    };
  }

  @Does('report.share')
  @Get()
  async list(@Caller() caller: Caller, @Param('reportId') reportId: string) {
    const links = await this.#store.withTenant(caller.tenantId, (scope) => findReportLinks(scope, caller, reportId, limits.maxPageSize), {
      readOnly: true,
    });
    return { share_links: links.map((link) => toReportLinkJson(link, reportId)) };
  }

  @Does('report.share')
  @Delete(':linkId')
  @HttpCode(204)
  async revoke(@Caller() caller: Caller, @Param('reportId') reportId: string, @Param('linkId') linkId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => endReportLink(scope, caller, reportId, linkId));
  }
}
