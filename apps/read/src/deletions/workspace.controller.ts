import { Body, Controller, Delete, Get, HttpCode, Patch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { audit, removeWorkspace, requireOwner } from '#experiments';
import { Caller, Does, parse } from '#http';
import { Problem } from '#model';
import { readWorkspace, Store, type TenantScope, updateWorkspace } from '#store';
import { toDeletionJson } from './deletion-json.ts';

/** A century: a longer period means forever. */
const maxDays = 36_500;

/** Minimum retention: nobody can remove their traces within a month. */
const minAuditDays = 30;

export const workspaceBody = z
  .strictObject({
    originals_days: z.int().min(1).max(maxDays).nullable().optional(),
    audit_days: z.int().min(minAuditDays).max(maxDays).nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'specify at least one field');
export const workspaceRemovalBody = z.strictObject({ name: z.string().max(1_000) });

export const workspaceJson = z.object({
  id: z.uuid(),
  name: z.string(),
  originals_days: z.int().nullable().meta({
    description:
      'Days from the completion of a file until its original bytes are removed. Points are kept. Null means that original bytes are kept.',
  }),
  audit_days: z.int().nullable().meta({ description: 'Days until entries of the audit log are removed. Null means that they are kept.' }),
});

/** The workspace of the caller: its retention periods, and its deletion. */
@Controller('api/v1/workspace')
export class WorkspaceController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('workspace.read')
  @Get()
  read(@Caller() caller: Caller) {
    return this.#store.withTenant(caller.tenantId, (scope) => this.#show(scope), { readOnly: true });
  }

  @Does('workspace.update')
  @Patch()
  change(@Caller() caller: Caller, @Body() body: unknown) {
    const { originals_days: originalsDays, audit_days: auditDays } = parse(workspaceBody, body);
    const details = {
      ...(originalsDays !== undefined && { originals_days: originalsDays }),
      ...(auditDays !== undefined && { audit_days: auditDays }),
    };
    return this.#store.withTenant(caller.tenantId, async (scope) => {
      await requireOwner(scope, caller);
      await updateWorkspace(scope, { originalsDays, auditDays });
      await audit(scope, caller, { action: 'workspace.update', details });
      return this.#show(scope);
    });
  }

  @Does('workspace.delete')
  @Delete()
  @HttpCode(202)
  async remove(@Caller() caller: Caller, @Body() body: unknown, @Res({ passthrough: true }) response: Response) {
    const { name } = parse(workspaceRemovalBody, body);
    const deletion = toDeletionJson(await this.#store.withTenant(caller.tenantId, (scope) => removeWorkspace(scope, caller, name)));
    response.setHeader('Location', deletion.url);
    return deletion;
  }

  async #show(scope: TenantScope): Promise<z.input<typeof workspaceJson>> {
    const workspace = await readWorkspace(scope);
    if (!workspace) throw new Problem('forbidden', 'This workspace is being deleted.');
    return { id: scope.tenantId, name: workspace.name, originals_days: workspace.originalsDays, audit_days: workspace.auditDays };
  }
}
