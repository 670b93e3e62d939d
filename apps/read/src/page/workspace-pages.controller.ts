import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Caller, Does, type Html, html, Page, PublicUrl, sendPage } from '#http';
import { Store } from '#store';
import { Web } from '../web/index.ts';
import { readReader } from './read-reader.ts';
import { command, shell } from './shell.ts';

/** The pages of tokens and of members: their script uses the API for all data and actions. */
@Controller()
export class WorkspacePagesController {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #web: Web;

  constructor(store: Store, publicUrl: PublicUrl, web: Web) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#web = web;
  }

  @Page()
  @Does('token.manage')
  @Get('tokens')
  async tokens(@Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await this.#send(caller, response, 'Access tokens', withoutScript('tokens list', 'tokens create --name NAME', 'tokens revoke ID'));
  }

  @Page()
  @Does('member.list')
  @Get('members')
  async members(@Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await this.#send(caller, response, 'Members', withoutScript('members list', 'members invite', 'members remove PERSON'));
  }

  async #send(caller: Caller, response: Response, title: string, plain: Html): Promise<void> {
    const { tenantId } = caller;
    const reader = await this.#store.withTenant(tenantId, (scope) => readReader(scope, caller), { readOnly: true });
    const { base, path } = this.#publicUrl;
    const body = shell(
      reader,
      path,
      html`<h1>${title}</h1>
        ${plain}`,
    );
    if (!this.#web.renderer) return sendPage(response, 200, { title, body });
    await this.#web.send(response, { title, basePath: path, data: { base: path, server: base, reader }, first: '', plain: body });
  }
}

function withoutScript(...verbs: readonly string[]): Html {
  return html`<p>This page needs scripts. The CLI does the same:</p>
    ${verbs.map((verb) => command(`npm run -s plotline -- ${verb}`))}`;
}
