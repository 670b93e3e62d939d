import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Response } from 'express';
import { type Caller, type FramedPage, html, type Html, mainOf, type PageFrame, PublicUrl, sendPage, usePageFrame } from '#http';
import { Store } from '#store';
import { Web } from '../web/index.ts';
import { type PageReader, readReader } from './read-reader.ts';
import { header } from './shell.ts';

/**
 * Wraps pages that need no script (sign-in, sessions, errors) in the header of the web app. The
 * script hydrates only the header.
 */
@Injectable()
export class FramedPages implements PageFrame, OnModuleInit {
  readonly #store: Store;
  readonly #publicUrl: PublicUrl;
  readonly #web: Web;
  readonly #host: HttpAdapterHost;

  constructor(store: Store, publicUrl: PublicUrl, web: Web, host: HttpAdapterHost) {
    this.#store = store;
    this.#publicUrl = publicUrl;
    this.#web = web;
    this.#host = host;
  }

  onModuleInit(): void {
    usePageFrame(this.#host.httpAdapter.getInstance<Express>(), this);
  }

  async send(response: Response, status: number, page: FramedPage): Promise<void> {
    const { caller, kind, content, framedBy, ...rest } = page;
    const { base, path } = this.#publicUrl;
    const { renderer } = this.#web;
    if (framedBy && renderer)
      return this.#web.sendStill(response, { title: page.title, basePath: path, first: mainOf(kind, content).text, framedBy }, status);
    const reader = caller && (await this.#readerOf(caller));
    if (!renderer)
      return sendPage(response, status, {
        ...rest,
        ...(framedBy && { framedBy }),
        body: html`${framedBy ? null : header(reader, path)}${mainOf(kind, content)}`,
      });
    const data = { base: path, server: base, reader, apart: true };
    await this.#web.sendInFrame(response, status, {
      ...rest,
      kind,
      content,
      basePath: path,
      data,
      header: renderer.renderHeader(data),
      plain: reader && links(path),
    });
  }

  /** The reader of the page. Null if it cannot be read now; the page is then shown without it. */
  async #readerOf(caller: Caller): Promise<PageReader | null> {
    const { tenantId } = caller;
    return this.#store.withTenant(tenantId, (scope) => readReader(scope, caller), { readOnly: true }).catch(() => null);
  }
}

/** The links of the header menu. */
function links(path: string): Html {
  return html`<p class="dim">
    <a href="${path}/?plain">Experiments</a> · <a href="${path}/members">Members</a> · <a href="${path}/tokens">Access tokens</a> ·
    <a href="${path}/usage">Usage</a> · <a href="${path}/sessions">Sessions</a> · <a href="${path}/workspaces">Workspaces</a>
  </p>`;
}
