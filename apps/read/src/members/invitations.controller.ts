import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { Caller, Does, parse, PublicUrl } from '#http';
import { limits } from '#model';
import { listOpenInvitations, Store } from '#store';
import { acceptInvitation, invite, revokeInvitation } from '#workspaces';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { roleJson, toInvitationJson } from './member-json.ts';

export const invitationBody = z.strictObject({
  role: roleJson.default('member'),
  expires_in_days: z.int().min(1).max(30).default(7),
});
export const acceptBody = z.strictObject({ secret: z.string().max(100).meta({ description: 'The last part of the link, after /join/.' }) });

/** Invitations: create, list, revoke, accept. No email is sent: the inviter shares the link. */
@Controller('api/v1/invitations')
export class InvitationsController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #settings: SignInSettings;

  constructor(store: Store, publicUrl: PublicUrl, settings: SignInSettings) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#settings = settings;
  }

  /** Accepts no `Idempotency-Key`: the response contains a secret, and is not stored. */
  @Does('member.manage')
  @Post()
  async make(@Caller() caller: Caller, @Body() body: unknown) {
    const { role, expires_in_days: expiresInDays } = parse(invitationBody, body);
    const { invitationId, secret, expiresAt } = await this.#store.withTenant(caller.tenantId, (scope) =>
      invite(scope, caller, { role, expiresInDays }),
    );
    return { id: invitationId, url: this.#publicUrl.at(`/join/${secret}`), role, expires: expiresAt.toISOString() };
  }

  @Does('member.manage')
  @Get()
  async list(@Caller() { tenantId }: Caller) {
    const open = await this.#store.withTenant(tenantId, (scope) => listOpenInvitations(scope, limits.maxPageSize), {
      readOnly: true,
    });
    return { invitations: open.map(toInvitationJson) };
  }

  @Does('member.manage')
  @Delete(':invitationId')
  @HttpCode(204)
  async revoke(@Caller() caller: Caller, @Param('invitationId') invitationId: string): Promise<void> {
    await this.#store.withTenant(caller.tenantId, (scope) => revokeInvitation(scope, caller, invitationId));
  }

  @Does('invitation.accept')
  @Post('accept')
  @HttpCode(200)
  async accept(@Caller() caller: Caller, @Body() body: unknown) {
    this.#settings.requireOwnSignIn(caller);
    const { tenantId, workspace, role } = await acceptInvitation(this.#store, caller, parse(acceptBody, body).secret);
    return { workspace: { id: tenantId, name: workspace }, role };
  }
}
