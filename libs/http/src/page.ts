import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';
import { sendText } from './send-text.ts';

/** The content of a page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /**
   * Our style sheets and scripts, for a page with a script. Without it, the page has our single
   * style sheet and runs nothing.
   */
  readonly head?: Html;
  /**
   * Whether the page has the same style sheets without scripts, for pages whose body is used with
   * and without scripts.
   */
  readonly own?: boolean;
  /** Whether the head has only style sheets, and nothing runs. */
  readonly still?: boolean;
  /** Reload immediately (without scripts): this URL or another one. */
  readonly refresh?: boolean | string;
  /** Whether the page has a form. If so, browsers send Referer and Origin, but only to us. */
  readonly form?: boolean;
  /** The sites whose pages may show it in a frame; absent for none. */
  readonly framedBy?: readonly string[];
}

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const always = `form-action 'self'; base-uri 'none'`;
/** Only our style sheet, identified by its hash, is loaded; nothing runs. */
const withoutScript = `default-src 'none'; style-src 'sha256-${styleHash}'; ${always}`;
/**
 * Everything that is loaded, run or requested comes from this service alone, and no text becomes
 * markup (Trusted Types).
 */
const withScript = `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${styleHash}'; font-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; ${always}`;
/** The same policy, without any script. */
const withStyles = `default-src 'none'; style-src 'self' 'sha256-${styleHash}'; font-src 'self'; ${always}`;
const styleElement = new Html(`<style>${pageStyle}</style>`);

/** Sends a page. It is private to its reader: not cached, indexed or framed. */
export function sendPage(response: Response, status: number, content: PageContent): void {
  response.end(preparePage(response, status, content));
}

/** Like {@link sendPage}, compressed, for longer pages. */
export async function sendLargePage(response: Response, status: number, content: PageContent): Promise<void> {
  await sendText(response, preparePage(response, status, content));
}

/**
 * The theme that the reader chose, as an attribute of the root element; no attribute means their
 * system's theme. The page's script sets the cookie, so that pages have the right colors from the
 * start.
 */
function themeOf({ req }: Response): Html {
  const [, theme] = /(?:^|;\s*)plotline_theme=(light|dark)(?:;|$)/.exec(req.headers.cookie ?? '') ?? [];
  return new Html(theme === undefined ? '' : ` data-theme="${theme}"`);
}

function preparePage(response: Response, status: number, content: PageContent): string {
  const { title, body, head, own, still, refresh, form, framedBy = [] } = content;
  response.status(status).setHeader('Content-Type', 'text/html; charset=utf-8');
  const policy = !head ? withoutScript : still ? withStyles : withScript;
  response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors ${framedBy.join(' ') || "'none'"}`);
  // The equivalent for browsers without frame-ancestors; it cannot list sites.
  if (framedBy.length > 0) response.removeHeader('X-Frame-Options');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Robots-Tag', 'noindex');
  // With `no-referrer`, a form's Origin is `null` and proves nothing (Fetch, "append a request
  // Origin header").
  if (form) response.setHeader('Referrer-Policy', 'same-origin');
  return html`<!doctype html>
    <html lang="en" ${themeOf(response)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh ? html`<meta http-equiv="refresh" content="${refresh === true ? '0' : `0;url=${refresh}`}" />` : null}
        <title>${title} · Plotline</title>
        ${head ? html`${head}${own ? null : html`<noscript>${styleElement}</noscript>`}` : styleElement}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}
