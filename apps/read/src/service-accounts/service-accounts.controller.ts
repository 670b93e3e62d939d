import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { WorkloadIssuers } from '#auth';
import { Caller, Does, parse, PublicUrl } from '#http';
import { Store } from '#store';
import {
  addWorkload,
  createServiceAccount,
  deleteServiceAccount,
  findServiceAccounts,
  issueServiceToken,
  removeWorkload,
} from '#workspaces';
import { toIssuedJson } from '../tokens/token-json.ts';
import { tokenRequest } from '../tokens/tokens.controller.ts';
import { serviceAccountBody, toServiceAccountJson, workloadBody } from './service-account-json.ts';

/**
 * Members that are programs: create, list, remove. Includes their tokens, and the workloads that
 * act as them.
 */
@Controller('api/v1/service-accounts')
export class ServiceAccountsController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #issuers: WorkloadIssuers;

  constructor(store: Store, publicUrl: PublicUrl, issuers: WorkloadIssuers) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#issuers = issuers;
  }

  @Does('service-account.manage')
  @Post()
  async create(@Caller() caller: Caller, @Body() body: unknown) {
    return toServiceAccountJson({ ...(await createServiceAccount(this.#store, caller, parse(serviceAccountBody, body))), workloads: [] });
  }

  @Does('service-account.manage')
  @Get()
  async list(@Caller() caller: Caller) {
    const accounts = await this.#store.withTenant(caller.tenantId, (scope) => findServiceAccounts(scope, caller), { readOnly: true });
    return { service_accounts: accounts.map(toServiceAccountJson), issuers: this.#issuers.names };
  }

  @Does('service-account.manage')
  @Delete(':accountId')
  @HttpCode(204)
  async remove(@Caller() caller: Caller, @Param('accountId') accountId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => deleteServiceAccount(scope, caller, accountId));
  }

  /** Accepts no `Idempotency-Key`: the response contains a secret, and is not stored. */
  @Does('service-account.manage')
  @Post(':accountId/tokens')
  async issue(@Caller() caller: Caller, @Param('accountId') accountId: string, @Body() body: unknown) {
    const request = tokenRequest(body);
    return toIssuedJson(request, await issueServiceToken(this.#store, caller, accountId, request));
  }

  @Does('service-account.manage')
  @Post(':accountId/workloads')
  async addWorkload(@Caller() caller: Caller, @Param('accountId') accountId: string, @Body() body: unknown) {
    const { audience = this.#publicUrl.base, ...rest } = parse(workloadBody, body);
    const request = { ...rest, audience };
    const id = await this.#store.withTenant(caller.tenantId, (scope) =>
      addWorkload(scope, caller, accountId, { request, issuers: this.#issuers.names }),
    );
    return { id, ...request };
  }

  @Does('service-account.manage')
  @Delete(':accountId/workloads/:workloadId')
  @HttpCode(204)
  async removeWorkload(
    @Caller() caller: Caller,
    @Param('accountId') accountId: string,
    @Param('workloadId') workloadId: string,
  ): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => removeWorkload(scope, caller, accountId, workloadId));
  }
}
