import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type OpenLink, Visitors } from '#auth';
import { noSuchName, requireNames } from '#experiments';
import { type Caller, html, Page, parse, Public, PublicUrl, sendPage, setCookie, shareCookie, WorkspaceGate } from '#http';
import { Problem, seenNames } from '#model';
import { Store } from '#store';
import { experimentPage, titleOf } from '../page/experiment-page.ts';
import { readFirstSeries } from '../page/read-first-series.ts';
import { readWebExperiment } from '../page/read-web-experiment.ts';
import { shell } from '../page/shell.ts';
import { readShown } from '../page/shown-experiment.ts';
import { drawingFields } from '../pictures/picture-query.ts';
import { anyOf } from '../query-schemas.ts';
import { Web } from '../web/index.ts';

/** `run` and `tag` say what of the experiment, the others how it is drawn. */
export const embedQuery = z.strictObject({ run: anyOf, tag: anyOf, xAxis: z.enum(['step', 'relative']).default('step'), ...drawingFields });

/** A live one is loaded again after so long: it has no script that could ask for what is new. */
const refreshSeconds = 300;

/** A browser keeps a link for so long, and no longer than the link lasts. */
const maxCookieSeconds = 30 * 86_400;

/** What a frame shows, and where. */
interface EmbedWish {
  readonly drawing: Readonly<Record<string, string | number>>;
  readonly origins: OpenLink['origins'];
  readonly response: Response;
}

/**
 * Where links lead. The secret in the address is exchanged at once for a cookie, so that the address that a person sees, copies by mistake, or leaves
 * by a link does not have it; an embed has no other address, and nothing on it leads anywhere.
 */
@Controller()
export class VisitController {
  readonly #store: Store;
  readonly #visitors: Visitors;
  readonly #publicUrl: PublicUrl;
  readonly #gate: WorkspaceGate;

  readonly #web: Web;

  constructor(store: Store, visitors: Visitors, publicUrl: PublicUrl, gate: WorkspaceGate, web: Web) {
    this.#web = web;
    this.#gate = gate;
    this.#store = store;
    this.#visitors = visitors;
    this.#publicUrl = publicUrl;
  }

  @Public()
  @Page()
  @Get('s/:secret')
  async open(@Param('secret') secret: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('X-Robots-Tag', 'noindex');
    // A cookie set under a name that may be anybody's would be given to them.
    if (!this.#publicUrl.isOurHost(request.headers.host)) return this.#elsewhere(response);
    const link = await this.#find(secret, 'page');
    response.setHeader('Set-Cookie', await this.#cookie(secret, link, request));
    response.status(303).setHeader('Location', `${this.#publicUrl.path}/e/${link.experimentId}`).end();
  }

  /** One page for frames of other sites: `?run=` and `?tag=` say what of it, as far as the link shows it. Charts where there are scalars, else tables. */
  @Public()
  @Page()
  @Get('embed/:secret')
  async embed(@Param('secret') secret: string, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const { run, tag, ...drawing } = parse(embedQuery, query, 'the query');
    const { caller, experimentId, origins } = await this.#find(secret, 'embed');
    await this.#gate.admit(caller, 'experiment.view', response);
    const own = caller.view!;
    // The same words for what the link hides as for what never was
    const hidden = (asked: readonly string[] | undefined, seen: readonly string[] | null): string | undefined =>
      asked?.find((name) => seen !== null && !seen.includes(name));
    const [hiddenRun, hiddenTag] = [hidden(run, own.runs), hidden(tag, own.tags)];
    if (hiddenRun !== undefined) throw noSuchName('run', hiddenRun);
    if (hiddenTag !== undefined) throw noSuchName('tag', hiddenTag);
    await this.#store.withTenant(
      caller.tenantId,
      (trx) => requireNames(trx, caller.tenantId, experimentId, { runs: run ?? [], tags: tag ?? [] }),
      { readOnly: true },
    );
    const view = { ...own, runs: seenNames(run ?? null, own.runs), tags: seenNames(tag ?? null, own.tags) };
    const viewer = { ...caller, view };
    const { base, path } = this.#publicUrl;
    // Sites that isolate themselves take no frames of others that do not say this.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (await this.#sendCharts(viewer, experimentId, { drawing, origins, response })) return;
    const shown = await this.#store.withSnapshot(caller.tenantId, (snapshot) => readShown(snapshot, viewer, experimentId));
    sendPage(response, 200, {
      title: titleOf(shown.experiment),
      body: shell(null, path, experimentPage({ ...shown, links: false, base, basePath: path })),
      framedBy: origins,
    });
  }

  /** The experiment as charts that were drawn here: browsers keep cookies back in frames of other sites, so that a script there could ask for nothing. False: there are none. */
  async #sendCharts(viewer: Caller, experimentId: string, { drawing, origins, response }: EmbedWish): Promise<boolean> {
    const { renderer } = this.#web;
    if (!renderer) return false;
    const { base, path } = this.#publicUrl;
    const { title, experiment } = await this.#store.withSnapshot(viewer.tenantId, (snapshot) =>
      readWebExperiment(snapshot, viewer, experimentId, this.#publicUrl),
    );
    const data = { base: path, server: base, reader: null, experiment };
    const search = new URLSearchParams(Object.entries(drawing).map(([name, value]): [string, string] => [name, String(value)])).toString();
    const wish = renderer.firstWish(data, search);
    if (!wish || wish.tags.length === 0) return false;
    const first = renderer.renderEmbed(data, search, await readFirstSeries(this.#store, viewer, experimentId, wish));
    response.setHeader('Refresh', String(refreshSeconds));
    await this.#web.sendStill(response, { title, basePath: path, first, framedBy: origins ?? [] });
    return true;
  }

  /** The same words for what never was, is over, and is of the other kind. */
  async #find(secret: string, kind: OpenLink['kind']): Promise<OpenLink> {
    const link = await this.#visitors.byLink(secret);
    if (link?.kind !== kind) throw new Problem('not-found', 'This link does not work: it has expired, was revoked, or never existed.');
    return link;
  }

  async #cookie(value: string, { experimentId, expiresAt }: OpenLink, request: Request): Promise<string> {
    const left = expiresAt ? Math.floor((expiresAt.getTime() - (await this.#store.clock.now())) / 1000) : maxCookieSeconds;
    const maxAgeSeconds = Math.max(1, Math.min(maxCookieSeconds, left));
    // Lax and not Strict: people come by it from another site, and it may only read.
    return setCookie({ name: shareCookie(experimentId), value, maxAgeSeconds, sameSite: 'Lax' }, this.#publicUrl, request);
  }

  #elsewhere(response: Response): void {
    const body = html`<main class="note">
      <h1>Open this link at another address</h1>
      <p>This service is at ${this.#publicUrl.base}. Open the link there, as it was sent.</p>
    </main>`;
    sendPage(response, 400, { title: 'Shared experiment', body });
  }
}
