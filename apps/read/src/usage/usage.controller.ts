import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Caller, Does, Page, PublicUrl, RequestsLeft, sendPage, WorkspaceGate } from '#http';
import { readUsage, Store } from '#store';
import { reportUsage } from '#workspaces';
import { readReader } from '../page/read-reader.ts';
import { shell } from '../page/shell.ts';
import { Web } from '../web/index.ts';
import { toUsageJson } from './usage-json.ts';
import { usagePage } from './usage-page.ts';

/** The usage and quotas of the caller's workspace. */
@Controller()
export class UsageController {
  readonly #store: Store;
  readonly #gate: WorkspaceGate;
  readonly #publicUrl: PublicUrl;
  readonly #web: Web;

  constructor(store: Store, gate: WorkspaceGate, publicUrl: PublicUrl, web: Web) {
    this.#store = store;
    this.#gate = gate;
    this.#publicUrl = publicUrl;
    this.#web = web;
  }

  @Does('workspace.read')
  @Get('api/v1/usage')
  async read(@Caller() { tenantId }: Caller, @RequestsLeft() left: number) {
    const terms = await this.#gate.terms(tenantId);
    const usage = await this.#store.withTenant(tenantId, (scope) => readUsage(scope), { readOnly: true });
    return toUsageJson(usage, terms, terms.quotas.requests_per_minute - left);
  }

  @Page()
  @Does('workspace.read')
  @Get('usage')
  async page(@Caller() caller: Caller, @RequestsLeft() left: number, @Res() response: Response): Promise<void> {
    const { tenantId } = caller;
    const terms = await this.#gate.terms(tenantId);
    const { usage, reader } = await this.#store.withTenant(
      tenantId,
      async (scope) => ({ usage: await readUsage(scope), reader: await readReader(scope, caller) }),
      { readOnly: true },
    );
    const used = terms.quotas.requests_per_minute - left;
    const { base, path } = this.#publicUrl;
    const title = 'Usage';
    const body = shell(reader, path, usagePage({ uses: reportUsage(usage, terms.quotas, used), usage, suspension: terms.suspension }));
    if (!this.#web.renderer) return sendPage(response, 200, { title, body });
    const data = { base: path, server: base, reader, usage: toUsageJson(usage, terms, used) };
    await this.#web.send(response, { title, basePath: path, data, first: '', plain: body });
  }
}
