import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { findReport, findReports, viewReport } from '#experiments';
import { Caller, Does, type Html, html, Page, PublicUrl, sendPage } from '#http';
import { limits } from '#model';
import { type Report, Store, type TenantScope } from '#store';
import { readReader } from '../page/read-reader.ts';
import { shell } from '../page/shell.ts';
import { Web } from '../web/index.ts';

/**
 * The pages of reports, which their script draws. Without the script, a report is shown as
 * Markdown.
 */
@Controller('reports')
export class ReportPagesController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #web: Web;

  constructor(store: Store, publicUrl: PublicUrl, web: Web) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#web = web;
  }

  @Page()
  @Does('report.read')
  @Get()
  async list(@Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await this.#send(caller, response, async (scope) => {
      const reports = await findReports(scope, caller, { after: null, limit: limits.defaultPageSize });
      const { path } = this.#publicUrl;
      const content = html`<ul>
        ${reports.map(({ reportId, title }) => html`<li><a href="${path}/reports/${reportId}">${title}</a></li>`)}
      </ul>`;
      return { title: 'Reports', content };
    });
  }

  @Page()
  @Does('report.view')
  @Get(':reportId')
  async read(@Caller() caller: Caller, @Param('reportId') reportId: string, @Res() response: Response): Promise<void> {
    await this.#send(caller, response, async (scope) => contentOf(await viewReport(scope, caller, reportId)));
  }

  @Page()
  @Does('report.write')
  @Get(':reportId/edit')
  async edit(@Caller() caller: Caller, @Param('reportId') reportId: string, @Res() response: Response): Promise<void> {
    await this.#send(caller, response, async (scope) => contentOf(await findReport(scope, caller, reportId)));
  }

  async #send(
    caller: Caller,
    response: Response,
    read: (scope: TenantScope) => Promise<{ readonly title: string; readonly content: Html }>,
  ): Promise<void> {
    const { title, content, reader } = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => ({ ...(await read(scope)), reader: caller.view ? null : await readReader(scope, caller) }),
      { readOnly: true },
    );
    const { base, path } = this.#publicUrl;
    const body = shell(
      reader,
      path,
      html`<h1>${title}</h1>
        ${content}`,
    );
    if (!this.#web.renderer) return sendPage(response, 200, { title, body });
    await this.#web.send(response, { title, basePath: path, data: { base: path, server: base, reader }, first: '', plain: body });
  }
}

function contentOf({ title, body }: Report) {
  return { title, content: html`<pre>${body}</pre>` };
}
