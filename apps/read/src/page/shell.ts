import { Html, html } from '#http';

/** Who is looking. */
export interface Reader {
  readonly workspace: string;
  readonly person: string;
}

/** The frame of every page: one thin line with the name of the place and who is there. */
export function shell(reader: Reader, basePath: string, main: Html): Html {
  return html`<header class="bar">
      <a class="mark" href="${basePath}/">Plotline</a><span class="dim">${reader.workspace}</span
      ><span class="dim end">${reader.person}</span>
    </header>
    <main>${main}</main>`;
}

/** A block of text for a terminal: one click selects all of it. */
export function command(text: string): Html {
  return html`<pre class="command"><code>${text}</code></pre>`;
}
