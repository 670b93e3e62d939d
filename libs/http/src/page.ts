import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';

/** What a page shows. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Ask for this address again at once (without scripts). */
  readonly refresh?: boolean;
}

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
/** Nothing is loaded and nothing runs but our one style sheet, known by its hash. */
const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
const styleElement = new Html(`<style>${pageStyle}</style>`);

/** Answers with a page. It belongs to its reader alone: nobody caches, indexes or frames it. */
export function sendPage(response: Response, status: number, { title, body, refresh }: PageContent): void {
  response.status(status).setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Robots-Tag', 'noindex');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh ? html`<meta http-equiv="refresh" content="0" />` : null}
        <title>${title} · Plotline</title>
        ${styleElement}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  response.end(page.text);
}
