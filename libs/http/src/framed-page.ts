import type { Express, Response } from 'express';
import type { Caller } from '#auth';
import { Html, html } from './html.ts';
import { sendPage } from './page.ts';

/** A page whose content needs no script: text, tables, forms. */
export interface FramedPage {
  readonly title: string;
  /** The body, without the frame and the main element. */
  readonly content: Html;
  /** `note`: a short message; `page`: a whole page with its own heading. */
  readonly kind: 'note' | 'page';
  /**
   * The reader shown in the header; null for a visitor, whose header has only the name of the
   * service.
   */
  readonly caller: Caller | null;
  /** Reload immediately: this URL, or another one. */
  readonly refresh?: boolean | string;
  /** Whether the page has a form. */
  readonly form?: boolean;
  /** The sites whose pages may show it in a frame; the page then has no header. */
  readonly framedBy?: readonly string[];
}

/** Puts the header, fonts and style of the service around a page. */
export interface PageFrame {
  send(response: Response, status: number, page: FramedPage): Promise<void>;
}

const name = 'plotlinePageFrame';

/** Sets the frame for all pages of a process. */
export function usePageFrame(app: Express, frame: PageFrame): void {
  app.locals[name] = frame;
}

/**
 * Sends a page in the frame of this process; without a frame, the header has only the name of the
 * service.
 */
export async function sendFramed(response: Response, status: number, page: FramedPage): Promise<void> {
  const frame = response.app.locals[name] as PageFrame | undefined;
  if (frame) return frame.send(response, status, page);
  const { kind, content, caller: _, ...rest } = page;
  sendPage(response, status, {
    ...rest,
    body: html`<header class="bar"><span class="mark">Plotline</span></header>
      ${mainOf(kind, content)}`,
  });
}

/** The main element of a page. */
export function mainOf(kind: FramedPage['kind'], content: Html): Html {
  return html`<main class="${kind}">${content}</main>`;
}
