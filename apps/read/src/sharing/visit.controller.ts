import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ExperimentLink, type OpenLink, Visitors } from '#auth';
import { noSuchName, requireNames } from '#experiments';
import {
  type Caller,
  cookiesOf,
  html,
  maxReportCookies,
  Page,
  parse,
  Public,
  PublicUrl,
  reportCookie,
  sendFramed,
  sendPage,
  setCookie,
  shareCookie,
  WorkspaceGate,
} from '#http';
import { type ExperimentId, Problem, seenNames } from '#model';
import { Store } from '#store';
import { experimentPage, titleOf } from '../page/experiment-page.ts';
import { readFirstSeries } from '../page/read-first-series.ts';
import { readWebExperiment } from '../page/read-web-experiment.ts';
import { shell } from '../page/shell.ts';
import { readShown } from '../page/shown-experiment.ts';
import { drawingFields } from '../pictures/picture-query.ts';
import { anyOf } from '../query-schemas.ts';
import { Web } from '../web/index.ts';
import { embedOfView } from './view-of-link.ts';

/**
 * `run` and `tag` select parts of the experiment; the other parameters determine how the experiment
 * is drawn.
 */
export const embedQuery = z.strictObject({ run: anyOf, tag: anyOf, xAxis: z.enum(['step', 'relative']).default('step'), ...drawingFields });

/** A live embed is reloaded after this time: it has no script to fetch updates. */
const refreshSeconds = 300;

/** Maximum time that a browser keeps the cookie of a link, within the lifetime of the link. */
const maxCookieSeconds = 30 * 86_400;

/** The values in the query, without defaults. */
function given<T extends object>(values: T, query: unknown): Partial<T> {
  const names = new Set(Object.keys(query ?? {}));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))) as Partial<T>;
}

/** The content of a frame, and its location. */
interface EmbedRequest {
  readonly drawing: Readonly<Record<string, string | number>>;
  readonly origins: ExperimentLink['origins'];
  readonly response: Response;
}

/**
 * The targets of links. The secret in the URL is exchanged immediately for a cookie, so it is not
 * in the URL that people see or copy by mistake, or in a Referer. An embed keeps its URL, but
 * contains no links.
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
    // A cookie set for a host name that is not ours could be sent to that host.
    if (!this.#publicUrl.isOurHost(request.headers.host)) return this.#elsewhere(response);
    const link = await this.#find(secret);
    if (link.kind === 'embed') throw noSuchLink();
    response.setHeader('Set-Cookie', await this.#cookies(secret, link, request));
    response
      .status(303)
      .setHeader('Location', this.#publicUrl.path + pathOf(link))
      .end();
  }

  /**
   * One page for frames in other sites: `?run=` and `?tag=` select parts of the data that the link
   * shows. Shows charts if there are scalars, otherwise tables.
   */
  @Public()
  @Page()
  @Get('embed/:secret')
  async embed(@Param('secret') secret: string, @Query() query: unknown, @Res() response: Response): Promise<void> {
    const asked = parse(embedQuery, query, 'the query');
    const link = await this.#find(secret);
    if (link.kind !== 'embed') throw noSuchLink();
    const { caller, experimentId, origins, parameters } = link;
    // The address takes precedence over the view of the link
    const ofLink = parse(embedQuery, embedOfView(parameters), 'the view of the link');
    const { run: _, tag: __, ...drawing } = { ...ofLink, ...given(asked, query) };
    const { run, tag } = asked;
    await this.#gate.admit(caller, 'experiment.view', response);
    const own = caller.view!;
    // The text is the same for things that the link hides and things that do not exist
    const hidden = (named: readonly string[] | undefined, seen: readonly string[] | null): string | undefined =>
      named?.find((name) => seen !== null && !seen.includes(name));
    const [hiddenRun, hiddenTag] = [hidden(run, own.runs), hidden(tag, own.tags)];
    if (hiddenRun !== undefined) throw noSuchName('run', hiddenRun);
    if (hiddenTag !== undefined) throw noSuchName('tag', hiddenTag);
    await this.#store.withTenant(caller.tenantId, (scope) => requireNames(scope, experimentId, { runs: run ?? [], tags: tag ?? [] }), {
      readOnly: true,
    });
    const view = { ...own, runs: seenNames(run ?? ofLink.run ?? null, own.runs), tags: seenNames(tag ?? ofLink.tag ?? null, own.tags) };
    const viewer = { ...caller, view };
    const { base, path } = this.#publicUrl;
    // Sites with cross-origin isolation reject frames from other sites without this header.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (await this.#sendCharts(viewer, experimentId, { drawing, origins, response })) return;
    const shown = await this.#store.withSnapshot(caller.tenantId, (snapshot) => readShown(snapshot, viewer, experimentId));
    sendPage(response, 200, {
      title: titleOf(shown.experiment),
      body: shell(null, path, experimentPage({ ...shown, links: false, base, basePath: path })),
      framedBy: origins,
    });
  }

  /**
   * The experiment as charts drawn on the server: browsers do not send cookies from frames in other
   * sites, so a script could not fetch data. Returns false if there are no charts.
   */
  async #sendCharts(viewer: Caller, experimentId: ExperimentId, { drawing, origins, response }: EmbedRequest): Promise<boolean> {
    const { renderer } = this.#web;
    if (!renderer) return false;
    const { base, path } = this.#publicUrl;
    const { title, experiment } = await this.#store.withSnapshot(viewer.tenantId, (snapshot) =>
      readWebExperiment(snapshot, viewer, experimentId, this.#publicUrl),
    );
    const data = { base: path, server: base, reader: null, experiment };
    const shown = Object.entries({ ...drawing, embed: true }).map(([name, value]): [string, string] => [name, String(value)]);
    const search = new URLSearchParams(shown).toString();
    const needed = renderer.firstQuery(data, search);
    if (!needed || needed.tags.length === 0) return false;
    const first = renderer.renderEmbed(data, search, await readFirstSeries(this.#store, viewer, experimentId, needed));
    response.setHeader('Refresh', String(refreshSeconds));
    await this.#web.sendStill(response, { title, basePath: path, first, framedBy: origins ?? [] });
    return true;
  }

  /**
   * The text is the same for links that do not exist, have expired or were revoked, and for embeds
   * opened as pages or pages opened as embeds.
   */
  async #find(secret: string): Promise<OpenLink> {
    const link = await this.#visitors.byLink(secret);
    if (!link) throw noSuchLink();
    return link;
  }

  /** The cookie of the link. Beyond the limit of report cookies, removes the oldest. */
  async #cookies(value: string, link: OpenLink, request: Request): Promise<string[]> {
    const { expiresAt } = link;
    const left = expiresAt ? Math.floor((expiresAt.getTime() - (await this.#store.clock.now())) / 1000) : maxCookieSeconds;
    const maxAgeSeconds = Math.max(1, Math.min(maxCookieSeconds, left));
    // Lax and not Strict: visitors come from other sites, and the cookie only allows reading.
    const set = (name: string, content: string, age: number): string =>
      setCookie({ name, value: content, maxAgeSeconds: age, sameSite: 'Lax' }, this.#publicUrl, request);
    if (link.kind !== 'report') return [set(shareCookie(link.experimentId), value, maxAgeSeconds)];
    const own = reportCookie(link.reportId);
    const others = cookiesOf(request, reportCookie(''), this.#publicUrl).filter(({ name }) => name !== own && isCookieName(name));
    const tooMany = others.slice(0, Math.max(0, others.length - maxReportCookies + 1));
    return [...tooMany.map(({ name }) => set(name, '', 0)), set(own, value, maxAgeSeconds)];
  }

  async #elsewhere(response: Response): Promise<void> {
    const content = html`<h1>Open this link at another address</h1>
      <p>This service is at ${this.#publicUrl.base}. Open the link there, exactly as it was sent.</p>`;
    await sendFramed(response, 400, { title: 'Shared experiment', kind: 'note', caller: null, content });
  }
}

/** The page that a link opens. */
function pathOf(link: OpenLink): string {
  if (link.kind === 'report') return `/reports/${link.reportId}`;
  return `/e/${link.experimentId}${link.parameters === null ? '' : `?${link.parameters}`}`;
}

function noSuchLink(): Problem {
  return new Problem('not-found', 'This link has expired, was revoked, or never existed.');
}

/**
 * Whether the name is safe to write into a header. Names in a request can be anything; only ours
 * are written.
 */
function isCookieName(name: string): boolean {
  return /^[a-z0-9_-]{1,100}$/.test(name);
}
