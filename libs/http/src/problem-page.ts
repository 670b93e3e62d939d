import type { Request, Response } from 'express';
import type { Problem } from '#model';
import { html } from './html.ts';
import { ownPath, withNext } from './own-path.ts';
import { sendPage } from './page.ts';
import { httpProblems } from './problem-status.ts';
import { withoutSecret } from './secret-paths.ts';

/**
 * A problem as a page. Without credentials, with those of another workspace, and for what does not
 * exist, the page is the same 404, which names nothing and explains how to sign in. After signing
 * in, the reader returns to the requested URL.
 */
export function problemPage(problem: Problem, request: Request, response: Response, basePath: string): void {
  const { status, title } = httpProblems[problem.code];
  if (status === 401 || status === 404) sendPage(response, 404, nothingHere(request, basePath));
  else
    sendPage(response, status, {
      title,
      body: html`<main class="note">
        <h1>${title}</h1>
        <p>${problem.message}</p>
      </main>`,
    });
}

function nothingHere(request: Request, basePath: string) {
  return {
    title: 'Not found',
    // SameSite=Strict withholds the cookie when a link on another site was followed; a second
    // request from here sends it.
    refresh: request.headers['sec-fetch-site'] === 'cross-site' && request.method === 'GET',
    body: html`<main class="note">
      <h1>Not found</h1>
      <p>There is nothing at this address, or you do not have access, or you are not signed in.</p>
      <p>
        <a href="${basePath}${withNext('/sign-in', wayBack(request))}">Sign in</a>, or open a sign-in link: the service prints one each time
        it starts. Each works once.
      </p>
    </main>`,
  };
}

/**
 * Where to continue after signing in. A form is not sent again, and the secret of a link must not
 * appear in another URL.
 */
function wayBack({ method, path, originalUrl }: Request): string {
  return method === 'GET' && withoutSecret(path) === path ? ownPath(originalUrl) : '/';
}
