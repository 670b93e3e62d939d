import { Injectable } from '@nestjs/common';
import { Authenticator, type Caller, type Scope, Visitors } from '#auth';
import { cookieOf, cookiesOf } from './cookies.ts';
import { PublicUrl } from './public-url.ts';
import { type Carrier, contextOf, type Visit } from './request-context.ts';

/** Name of a signed-in browser's cookie. */
export const sessionCookie = 'plotline_session';

/**
 * Name of the cookie for a browser that opened a link to this experiment. One cookie per
 * experiment, so links do not replace each other.
 */
export function shareCookie(experimentId: string): string {
  return `plotline_share_${experimentId}`;
}

/** Prefix of the cookies for report links. */
const reportCookies = 'plotline_report_';

/** Name of the cookie of a browser that opened a link to this report. */
export function reportCookie(reportId: string): string {
  return `${reportCookies}${reportId}`;
}

/**
 * Maximum number of report cookies that a browser keeps. Requests do not name the report that shows
 * an experiment, so each cookie can cause a lookup.
 */
export const maxReportCookies = 8;

/** The header in which a program sends a link's secret. */
export const shareHeader = 'plotline-share';

/**
 * Identifies the sender of a request: by a token, otherwise a link's secret, otherwise a session
 * cookie. If these give no access to the experiment in the URL, uses the cookie for a link
 * to it or to a report that shows it, or public access.
 */
@Injectable()
export class Credentials {
  readonly #authenticator: Authenticator;
  readonly #visitors: Visitors;
  readonly #publicUrl: PublicUrl;

  constructor(authenticator: Authenticator, visitors: Visitors, publicUrl: PublicUrl) {
    this.#visitors = visitors;
    this.#authenticator = authenticator;
    this.#publicUrl = publicUrl;
  }

  /** The prefix of all our paths in a page's URL. */
  get basePath(): string {
    return this.#publicUrl.path;
  }

  /** The sender of the request, looked up once; null without valid credentials. */
  async identify(request: Carrier): Promise<Caller | null> {
    const context = contextOf(request);
    if (context.caller === undefined) context.caller = await this.#look(request);
    return context.caller;
  }

  /**
   * Like `identify`; a caller whose credentials give no access to this experiment or report may
   * still be a visitor.
   */
  async identifyVisitor(request: Carrier, visit: Visit): Promise<Caller | null> {
    const context = contextOf(request);
    context.visits = visit;
    context.caller = await this.#visit(request, visit, await this.#look(request));
    return context.caller;
  }

  /**
   * For long requests: the current owner of the credentials, at most five seconds old; null if they
   * are no longer valid.
   */
  async identifyAgain(request: Carrier): Promise<Caller | null> {
    const { visits, caller: before } = contextOf(request);
    const caller = await this.#look(request);
    if (visits === null) return caller;
    // An experiment stays in its workspace, so its members need no other query, regardless of how
    // often they are identified again.
    const isIn = (one: Caller): boolean => !('experimentId' in visits) || (one.experiments?.has(visits.experimentId) ?? true);
    if (caller && before?.view === null && before.tenantId === caller.tenantId && isIn(caller)) return caller;
    return this.#visit(request, visits, caller);
  }

  async #visit(request: Carrier, visit: Visit, caller: Caller | null): Promise<Caller | null> {
    // Explicitly sent invalid credentials are an error that the client should see.
    if (caller === null && (request.headers.authorization ?? request.headers[shareHeader]) !== undefined) return null;
    return 'reportId' in visit
      ? this.#visitReport(request, visit.reportId, caller)
      : this.#visitExperiment(request, visit.experimentId, caller);
  }

  async #visitExperiment(request: Carrier, experimentId: string, caller: Caller | null): Promise<Caller | null> {
    if (caller && (caller.experiments?.has(experimentId) ?? true) && (await this.#visitors.tenantOf(experimentId)) === caller.tenantId)
      return within(caller, experimentId);
    const secret = this.#cookie(request, shareCookie(experimentId));
    const link = secret === null ? null : await this.#visitors.byLink(secret);
    if (link?.kind === 'page' && link.experimentId === experimentId) return link.caller;
    return (await this.#throughReport(request, experimentId)) ?? (await this.#visitors.byPublic(experimentId)) ?? caller;
  }

  /** The visitor of a report that shows the experiment. */
  async #throughReport(request: Carrier, experimentId: string): Promise<Caller | null> {
    if (!this.#mayUseCookies(request)) return null;
    for (const { value } of cookiesOf(request, reportCookies, this.#publicUrl).slice(-maxReportCookies)) {
      const link = await this.#visitors.byLink(value);
      if (link?.kind === 'report' && link.caller.experiments?.has(experimentId)) return within(link.caller, experimentId);
    }
    return null;
  }

  /**
   * Reports are not in any routing table: only the link identifies the report's workspace. Members
   * of that workspace read the report as members.
   */
  async #visitReport(request: Carrier, reportId: string, caller: Caller | null): Promise<Caller | null> {
    const secret = this.#cookie(request, reportCookie(reportId));
    const link = secret === null ? null : await this.#visitors.byLink(secret);
    if (link?.kind !== 'report' || link.reportId !== reportId) return caller;
    const isMember = caller?.tenantId === link.caller.tenantId && caller.experiments === null;
    return isMember ? caller : link.caller;
  }

  /**
   * Whether one of our pages sends the request, according to the browser. The browser states this
   * in Sec-Fetch-Site, which scripts cannot set. If the browser does not send that header (because
   * it is old, or over plain http), Origin states it.
   */
  #isFromOurPage({ headers }: Carrier): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    if (headers.origin === undefined || headers.origin === 'null') return site === 'same-origin';
    return this.#publicUrl.isOurOrigin(headers.origin, headers.host);
  }

  /**
   * Background requests from another site's page. Following a link from there is a navigation,
   * which may send the cookie.
   */
  #isCrossSite({ headers, method }: Carrier): boolean {
    const site = headers['sec-fetch-site'];
    if (site === 'same-origin' || site === 'none') return false;
    // Older browsers without Sec-Fetch-Site send Origin with requests from pages, and no header
    // with navigations.
    if (site === undefined) return headers.origin !== undefined && !this.#publicUrl.isOurOrigin(headers.origin, headers.host);
    return headers['sec-fetch-mode'] !== 'navigate' || method !== 'GET';
  }

  async #look(request: Carrier): Promise<Caller | null> {
    const { authorization } = request.headers;
    // A bearer token takes precedence over a cookie: an invalid token beside a valid cookie is an
    // error that the client should see.
    if (authorization !== undefined) {
      const token = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*) *$/i.exec(authorization)?.[1]; // RFC 6750, 2.1
      return token === undefined ? null : this.#authenticator.byToken(token);
    }
    const share = request.headers[shareHeader];
    if (share !== undefined) {
      const link = typeof share === 'string' ? await this.#visitors.byLink(share) : null;
      return link && link.kind !== 'embed' ? link.caller : null;
    }
    const session = this.#cookie(request, sessionCookie);
    contextOf(request).sessionSecret = session;
    const caller = session === null ? null : await this.#authenticator.bySession(session);
    // SameSite alone would allow a page on a sibling domain to send a form with the cookie.
    return caller && !isSafe(request) && !this.#isFromOurPage(request) ? { ...caller, scopes: readOnly } : caller;
  }

  /**
   * A cookie counts only at hosts that belong to the service: a page whose host name was redirected
   * here (DNS rebinding) gets no access.
   */
  #cookie(request: Carrier, name: string): string | null {
    return this.#mayUseCookies(request) ? cookieOf(request, name, this.#publicUrl) : null;
  }

  #mayUseCookies(request: Carrier): boolean {
    return this.#publicUrl.isOurHost(request.headers.host) && !this.#isCrossSite(request);
  }
}

/**
 * The caller, limited to one of the experiments of a report: a change to the report does not end
 * long requests for this one.
 */
function within(caller: Caller, experimentId: string): Caller {
  return caller.reportId === undefined ? caller : { ...caller, experiments: new Set([experimentId]) };
}

/** Safe methods (RFC 9110, 9.2.1), which change nothing. */
function isSafe(request: Carrier): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

const readOnly: ReadonlySet<Scope> = new Set(['read']);

/**
 * The secret of the session that identified the request; null before identification, and if other
 * credentials identified it. The secret may be invalid.
 */
export function sessionSecretOf(request: Carrier): string | null {
  return contextOf(request).sessionSecret;
}
