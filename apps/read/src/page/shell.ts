import { Html, html } from '#http';

/** The reader of the page. */
export interface Reader {
  readonly workspace: string;
  readonly person: string;
}

/** The frame of a page with tables: header and content. */
export function shell(reader: Reader | null, basePath: string, main: Html): Html {
  return html`${header(reader, basePath)}
    <main>${main}</main>`;
}

/**
 * A thin header with the name of the service and the reader, for pages without scripts; null for a
 * visitor, who has no other page.
 */
export function header(reader: Reader | null, basePath: string): Html {
  if (!reader) return html`<header class="bar"><span class="mark">Plotline</span></header>`;
  return html`<header class="bar">
    <a class="mark" href="${basePath}/">Plotline</a><a class="dim" href="${basePath}/workspaces">${reader.workspace}</a
    ><a class="dim end wide" href="${basePath}/members">Members</a><a class="dim wide" href="${basePath}/tokens">Tokens</a
    ><a class="dim wide" href="${basePath}/usage">Usage</a><a class="dim" href="${basePath}/sessions">${reader.person}</a>
  </header>`;
}

/** A block of text for a terminal: one click selects all of it. */
export function command(text: string): Html {
  return html`<pre class="command"><code>${text}</code></pre>`;
}
