import type { Request, Response } from 'express';
import type { Caller } from '#auth';
import type { Problem } from '#model';
import { sendFramed } from './framed-page.ts';
import { type Html, html } from './html.ts';
import { ownPath, withNext } from './own-path.ts';
import { httpProblems } from './problem-status.ts';
import { withoutSecret } from './secret-paths.ts';

/** A problem page, and the browser that requested it. */
interface ProblemPage {
  readonly request: Request;
  readonly response: Response;
  readonly basePath: string;
  /** Identifies the person of a signed-in browser; null for anyone else. */
  readonly identify: () => Promise<Caller | null>;
}

/**
 * Sends a problem as a page. Without credentials, with credentials for another workspace, and for
 * nonexistent objects, the page is the same 404, which names nothing and explains how to sign in.
 * After signing in, the reader returns to the requested URL. A signed-in browser gets the same 404
 * with its own header.
 */
export async function sendProblemPage(problem: Problem, { request, response, basePath, identify }: ProblemPage): Promise<void> {
  const { status, title } = httpProblems[problem.code];
  const link = linkKind(request);
  if (link === 'embed' && status >= 400 && status < 500) return sendFramed(response, status === 401 ? 404 : status, brokenEmbed(problem));
  const caller = await identify();
  if (status !== 401 && status !== 404) {
    const content = html`<h1>${title}</h1>
      <p>${problem.message}</p>
      ${leadOn(caller, basePath)}`;
    return sendFramed(response, status, { title, kind: 'note', caller, content });
  }
  // SameSite=Strict withholds the cookie when the reader follows a link from another site; a second
  // request from this page sends it.
  const refresh = request.headers['sec-fetch-site'] === 'cross-site' && request.method === 'GET';
  if (caller === null && !refresh && isHome(request) && request.accepts('json', 'html') === 'html')
    return response.redirect(303, basePath + withNext('/sign-in', wayBack(request)));
  if (link === 'share')
    return sendFramed(response, 404, { title: 'Link not available', kind: 'note', caller, content: brokenLink(caller, basePath) });
  const content = caller
    ? html`<h1>Page not found</h1>
        <p>It may have been deleted, or you don't have access to it.</p>
        ${leadOn(caller, basePath)}`
    : html`<h1>Page not found</h1>
        <p>It may have been deleted, or you may need to sign in to see it. To sign in, use your sign-in link.</p>
        <p><a class="button primary" href="${basePath}${withNext('/sign-in', wayBack(request))}">Sign in</a></p>`;
  return sendFramed(response, 404, { title: 'Page not found', kind: 'note', caller, content, refresh });
}

function isHome({ method, path }: Request): boolean {
  return method === 'GET' && path === '/';
}

/** Whether this is the URL of a share link or an embed. */
function linkKind({ path }: Request): 'share' | 'embed' | null {
  return path.startsWith('/s/') ? 'share' : path.startsWith('/embed/') ? 'embed' : null;
}

function brokenLink(caller: Caller | null, basePath: string): Html {
  return html`<h1>This link is no longer available</h1>
    <p>It has expired or was revoked, or its address is incomplete. Ask the person who shared it for a new link.</p>
    ${caller ? leadOn(caller, basePath) : html`<p>If you are a member of the workspace, <a href="${basePath}/sign-in">sign in</a> instead.</p>`}`;
}

/**
 * Any site may frame the page, because the permitted sites are unknown. The page contains one
 * sentence and nothing to click.
 */
function brokenEmbed({ message, code }: Problem) {
  const content = html`<h1>This chart is not available</h1>
    <p>${code === 'unauthenticated' ? 'Its address is incomplete.' : message}</p>`;
  return { title: 'Chart not available', kind: 'note', caller: null, content, framedBy: ['*'] } as const;
}

/** Links with which a reader can continue from a message. */
function leadOn(caller: Caller | null, basePath: string): Html | null {
  return caller && html`<p><a class="button primary" href="${basePath}/">Go to experiments</a></p>`;
}

/**
 * Where to continue after signing in. Forms are not sent again, and a link's secret must not appear
 * in another URL.
 */
function wayBack({ method, path, originalUrl }: Request): string {
  return method === 'GET' && withoutSecret(path) === path ? ownPath(originalUrl) : '/';
}
