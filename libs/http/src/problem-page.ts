import type { Request, Response } from 'express';
import type { Problem } from '#model';
import { html } from './html.ts';
import { sendPage } from './page.ts';
import { httpProblems } from './problem-status.ts';

/**
 * A problem for a person. Without credentials, with those of another workspace, and for what does not exist the answer is one and the same:
 * 404, a page that names nothing and says how to sign in.
 */
export function problemPage(problem: Problem, request: Request, response: Response): void {
  const { status, title } = httpProblems[problem.code];
  if (status === 401 || status === 404) sendPage(response, 404, nothingHere(request));
  else
    sendPage(response, status, {
      title,
      body: html`<main class="note">
        <h1>${title}</h1>
        <p>${problem.message}</p>
      </main>`,
    });
}

function nothingHere(request: Request) {
  return {
    title: 'Not found',
    // SameSite=Strict keeps the cookie back when a link on another site was followed; asking once more from here sends it.
    refresh: request.headers['sec-fetch-site'] === 'cross-site' && request.method === 'GET',
    body: html`<main class="note">
      <h1>Not found</h1>
      <p>There is nothing at this address, or you are not signed in.</p>
      <p>To sign in, open a sign-in link: the service prints one each time it starts, and its operator can make more. Each works once.</p>
    </main>`,
  };
}
