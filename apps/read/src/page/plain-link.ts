import { Html, html } from '#http';

/** Redirects browsers without scripts to the page with tables. */
export function plainLink(address: string): Html {
  return html`<meta http-equiv="refresh" content="0; url=${address}" />
    <main class="note">
      <p>Without scripts, you can use <a href="${address}">tables</a>.</p>
    </main>`;
}
