import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { cutPage, readPage, staleToken } from '#experiments';
import { Caller, Does, parse } from '#http';
import { listMembers, Store } from '#store';
import { changeRole, leaveWorkspace, removeMember, transferOwnership } from '#workspaces';
import { paging } from '../query-schemas.ts';
import { roleJson, toMemberJson } from './member-json.ts';

export const membersQuery = z.strictObject(paging);
export const roleBody = z.strictObject({ role: roleJson });
export const transferBody = z.strictObject({ person: z.string().max(100).meta({ description: 'Id of a member.' }) });

/** The members of a workspace: list them, change their roles, remove them. */
@Controller('api/v1')
export class MembersController {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  @Does('member.list')
  @Get('members')
  async list(@Caller() { tenantId }: Caller, @Query() query: unknown) {
    const { page_size, page_token } = parse(membersQuery, query, 'the query');
    const page = readPage(page_size, page_token, ['members']);
    if (page.after !== null && !/^[0-9a-f]{32}$/.test(page.after)) throw staleToken();
    const { after, size } = page;
    const rows = await this.#store.withTenant(tenantId, (scope) => listMembers(scope, { after, limit: size + 1 }), {
      readOnly: true,
    });
    const { items, nextPageToken } = cutPage(rows, page, ({ personId }) => personId.replaceAll('-', ''));
    return { members: items.map(toMemberJson), ...(nextPageToken && { next_page_token: nextPageToken }) };
  }

  @Does('member.manage')
  @Patch('members/:personId')
  async change(@Caller() caller: Caller, @Param('personId') personId: string, @Body() body: unknown) {
    const { role } = parse(roleBody, body);
    await this.#store.withTenant(caller.tenantId, (scope) => changeRole(scope, caller, personId, role));
    return { id: personId, role };
  }

  @Does('member.manage')
  @Delete('members/:personId')
  @HttpCode(204)
  async remove(@Caller() caller: Caller, @Param('personId') personId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => removeMember(scope, caller, personId));
  }

  @Does('member.leave')
  @Post('workspace/leave')
  @HttpCode(204)
  async leave(@Caller() caller: Caller, @Body() body: unknown): Promise<void> {
    parse(z.strictObject({}), body);
    await this.#store.withTenant(caller.tenantId, (scope) => leaveWorkspace(scope, caller));
  }

  @Does('workspace.transfer')
  @Post('workspace/transfer')
  @HttpCode(204)
  async transfer(@Caller() caller: Caller, @Body() body: unknown): Promise<void> {
    const { person } = parse(transferBody, body);
    await this.#store.withTenant(caller.tenantId, (scope) => transferOwnership(scope, caller, person));
  }
}
