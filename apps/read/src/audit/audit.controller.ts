import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { cutPage, readPage, staleToken } from '#experiments';
import { Caller, Does, parse } from '#http';
import { type AuditFilter, type AuditPlace, Store } from '#store';
import { exportAuditLog, readAuditLog } from '#workspaces';
import { sendNdjson } from '../ndjson.ts';
import { lookUpName, paging } from '../query-schemas.ts';
import { toAuditJson } from './audit-json.ts';

const time = z.iso
  .datetime({ offset: true })
  .max(40)
  .transform((text) => new Date(text));
const filters = {
  action: lookUpName.optional().meta({ description: 'An action in the audit log, for example `member.role`.' }),
  person: z.uuid().optional(),
  experiment: lookUpName.optional(),
  result: z.enum(['done', 'refused']).optional(),
  from: time.optional().meta({ description: 'Inclusive.' }),
  until: time.optional().meta({ description: 'Exclusive.' }),
};
export const auditQuery = z.strictObject({ ...filters, ...paging });
export const auditExportQuery = z.strictObject(filters);

/** The audit log of the workspace, for its owners and admins. */
@Controller('api/v1/audit')
export class AuditController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('audit.read')
  @Get()
  async list(@Caller() caller: Caller, @Query() query: unknown) {
    const { page_size, page_token, ...filter } = parse(auditQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['audit', filter]);
    const rows = await this.#store.withTenant(
      caller.tenantId,
      (scope) => readAuditLog(scope, caller, toFilter(filter), { after: placeOf(page.after), limit: page.size + 1 }),
      { readOnly: true },
    );
    const { items, nextPageToken } = cutPage(rows, page, ({ micros, entryId }) => `${micros}.${entryId}`);
    return { entries: items.map(toAuditJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('audit.read')
  @Get('export')
  async export(@Caller() caller: Caller, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const filter = toFilter(parse(auditExportQuery, query, 'the query'));
    await sendNdjson(response, caller, linesOf(exportAuditLog(this.#store, caller, filter)), 'audit.ndjson');
  }
}

async function* linesOf(entries: ReturnType<typeof exportAuditLog>) {
  for await (const entry of entries) yield toAuditJson(entry);
}

function placeOf(id: string | null): AuditPlace | null {
  if (id === null) return null;
  const parts = /^([0-9]{1,17})\.([0-9]{1,18})$/.exec(id);
  if (!parts) throw staleToken();
  return { micros: parts[1]!, entryId: parts[2]! };
}

function toFilter({ action, person, experiment, result, from, until }: z.output<typeof auditExportQuery>): AuditFilter {
  return {
    action: action ?? null,
    actorId: person ?? null,
    experimentId: experiment ?? null,
    result: result ?? null,
    from: from ?? null,
    until: until ?? null,
  };
}
