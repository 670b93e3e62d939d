import type { Response } from 'express';
import { Html, html, mainOf, sendLargePage, type FramedPage } from '#http';
import { WebFiles } from './web-files.ts';
import { loadWebRenderer, type WebRenderer } from './web-renderer.ts';

/** A page with a script. */
export interface WebPage {
  readonly title: string;
  /** The prefix of all our paths. */
  readonly basePath: string;
  /** The initial data of the page, `PageData` of apps/web. */
  readonly data: object;
  /** The HTML shown before the script runs, from the renderer; may be empty. */
  readonly first: string;
  /** For browsers without script. */
  readonly plain: Html;
}

/** A page whose content needs no script, below a header that the script hydrates. */
export interface PageInFrame extends Pick<FramedPage, 'title' | 'kind' | 'content' | 'form' | 'refresh'> {
  readonly basePath: string;
  /** The data of the header, `PageData` of apps/web. */
  readonly data: object;
  /** The header, from the renderer. */
  readonly header: string;
  /** Links for browsers without scripts, where the header does nothing. */
  readonly plain: Html | null;
}

/** A page without a script. */
export interface StillPage extends Pick<WebPage, 'title' | 'basePath' | 'first'> {
  /** The sites that may frame the page. */
  readonly framedBy: readonly string[];
}

/**
 * The built pages of `apps/web`, if the service was built with them: the files that browsers load,
 * and the renderer of the first view.
 */
export class Web {
  readonly files: WebFiles;
  /** Null without built pages; the service then serves the pages without scripts. */
  readonly renderer: WebRenderer | null;

  private constructor(files: WebFiles, renderer: WebRenderer | null) {
    this.files = files;
    this.renderer = renderer;
  }

  static async load(): Promise<Web> {
    const files = await WebFiles.load();
    return new Web(files, files.entry ? await loadWebRenderer() : null);
  }

  /** Sends a page without a script, for frames in these sites. */
  async sendStill(response: Response, { title, basePath, first, framedBy }: StillPage, status = 200): Promise<void> {
    const { styles, fonts } = this.files.entry!;
    await sendLargePage(response, status, {
      title,
      still: true,
      framedBy,
      head: html`${fonts.map((name) => html`<link rel="preload" href="${basePath}/assets/${name}" as="font" type="font/woff2" crossorigin />`)}
      ${styles.map((name) => html`<link rel="stylesheet" href="${basePath}/assets/${name}" />`)}`,
      body: html`<div id="page">${new Html(first)}</div>`,
    });
  }

  /**
   * Sends a page that the script hydrates. The page runs and shows only code and content from this
   * service.
   */
  async send(response: Response, { title, basePath, data, first, plain }: WebPage): Promise<void> {
    await sendLargePage(response, 200, {
      title,
      head: this.#head(basePath),
      body: html`<div id="page">${new Html(first)}</div>
        <noscript>${plain}</noscript>
        ${pageData(data)}`,
    });
  }

  /** Sends a page whose script hydrates only the header. */
  async sendInFrame(response: Response, status: number, page: PageInFrame): Promise<void> {
    const { title, kind, content, form, refresh, basePath, data, header, plain } = page;
    await sendLargePage(response, status, {
      title,
      head: this.#head(basePath),
      own: true,
      ...(form && { form }),
      ...(refresh && { refresh }),
      body: html`<div id="page">
          <div id="bar">${new Html(header)}</div>
          ${mainOf(kind, html`${content}${plain && html`<noscript>${plain}</noscript>`}`)}
        </div>
        ${pageData(data)}`,
    });
  }

  #head(basePath: string): Html {
    const { script, styles, imports, fonts, icon } = this.files.entry!;
    const at = (name: string): string => `${basePath}/assets/${name}`;
    return html`<link rel="icon" href="${at(icon)}" />
      ${fonts.map((name) => html`<link rel="preload" href="${at(name)}" as="font" type="font/woff2" crossorigin />`)}
      ${styles.map((name) => html`<link rel="stylesheet" href="${at(name)}" />`)}
      ${imports.map((name) => html`<link rel="modulepreload" href="${at(name)}" />`)}
      <script type="module" src="${at(script)}"></script>`;
  }
}

/** The element from which the script reads its data. */
function pageData(data: object): Html {
  return html`<script type="application/json" id="page-data">
    ${dataText(data)}
  </script>`;
}

/** JSON inside HTML: without any character that could end the element or start another element. */
function dataText(data: object): Html {
  return new Html(
    JSON.stringify(data).replace(
      /[<>&\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}
