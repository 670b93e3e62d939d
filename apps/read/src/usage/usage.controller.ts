import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Caller, Does, Page, PublicUrl, RequestsLeft, sendPage, WorkspaceGate } from '#http';
import { readIdentity, readUsage, Store } from '#store';
import { reportUsage } from '#workspaces';
import { shell } from '../page/shell.ts';
import { toUsageJson } from './usage-json.ts';
import { usagePage } from './usage-page.ts';

/** What the workspace of the caller uses, and may use. */
@Controller()
export class UsageController {
  readonly #store: Store;
  readonly #gate: WorkspaceGate;
  readonly #publicUrl: PublicUrl;

  constructor(store: Store, gate: WorkspaceGate, publicUrl: PublicUrl) {
    this.#store = store;
    this.#gate = gate;
    this.#publicUrl = publicUrl;
  }

  @Does('workspace.read')
  @Get('api/v1/usage')
  async read(@Caller() { tenantId }: Caller, @RequestsLeft() left: number) {
    const terms = await this.#gate.terms(tenantId);
    const usage = await this.#store.withTenant(tenantId, (trx) => readUsage(trx, tenantId), { readOnly: true });
    return toUsageJson(usage, terms, terms.quotas.requests_per_minute - left);
  }

  @Page()
  @Does('workspace.read')
  @Get('usage')
  async page(@Caller() { tenantId, personId }: Caller, @RequestsLeft() left: number, @Res() response: Response): Promise<void> {
    const terms = await this.#gate.terms(tenantId);
    const { usage, identity } = await this.#store.withTenant(
      tenantId,
      async (trx) => ({ usage: await readUsage(trx, tenantId), identity: await readIdentity(trx, tenantId, personId) }),
      { readOnly: true },
    );
    const reader = { workspace: identity?.workspace ?? '', person: identity?.displayName ?? '' };
    const uses = reportUsage(usage, terms.quotas, terms.quotas.requests_per_minute - left);
    sendPage(response, 200, {
      title: 'Usage',
      body: shell(reader, this.#publicUrl.path, usagePage({ uses, usage, suspension: terms.suspension })),
    });
  }
}
