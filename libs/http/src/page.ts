import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';
import { sendText } from './send-text.ts';

/** What a page shows. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Style sheets and scripts of ours, for a page that has a script. Without, it has our one style sheet and runs nothing. */
  readonly head?: Html;
  /** The head has style sheets only, and nothing runs. */
  readonly still?: boolean;
  /** Ask at once (without scripts) for this address again, or for another one. */
  readonly refresh?: boolean | string;
  /** The page has a form. Its browser says then where it comes from, to us and to nobody else. */
  readonly form?: boolean;
  /** The sites whose pages may show it in a frame; absent: none. */
  readonly framedBy?: readonly string[];
}

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const always = `form-action 'self'; base-uri 'none'`;
/** Nothing is loaded and nothing runs but our one style sheet, known by its hash. */
const withoutScript = `default-src 'none'; style-src 'sha256-${styleHash}'; ${always}`;
/** What is loaded, runs and is asked comes from this service alone, and no text becomes markup (Trusted Types). */
const withScript = `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${styleHash}'; font-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; ${always}`;
/** The same without any script. */
const withStyles = `default-src 'none'; style-src 'self' 'sha256-${styleHash}'; font-src 'self'; ${always}`;
const styleElement = new Html(`<style>${pageStyle}</style>`);

/** Answers with a page. It belongs to its reader alone: nobody caches, indexes or frames it. */
export function sendPage(response: Response, status: number, content: PageContent): void {
  response.end(preparePage(response, status, content));
}

/** The same, compressed, for pages that are more than a few lines. */
export async function sendLargePage(response: Response, status: number, content: PageContent): Promise<void> {
  await sendText(response, preparePage(response, status, content));
}

function preparePage(response: Response, status: number, { title, body, head, still, refresh, form, framedBy = [] }: PageContent): string {
  response.status(status).setHeader('Content-Type', 'text/html; charset=utf-8');
  const policy = !head ? withoutScript : still ? withStyles : withScript;
  response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors ${framedBy.join(' ') || "'none'"}`);
  // Says the same to browsers of before frame-ancestors, and knows no list.
  if (framedBy.length > 0) response.removeHeader('X-Frame-Options');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Robots-Tag', 'noindex');
  // With `no-referrer` the Origin of a form is `null`, and no proof of anything (Fetch, "append a request Origin header").
  if (form) response.setHeader('Referrer-Policy', 'same-origin');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh ? html`<meta http-equiv="refresh" content="${refresh === true ? '0' : `0;url=${refresh}`}" />` : null}
        <title>${title} · Plotline</title>
        ${head ? html`${head}<noscript>${styleElement}</noscript>` : styleElement}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}
