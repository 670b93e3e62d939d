import { Html, html } from '#http';

/** Introduces the service to first-time visitors. */
export const whatThisIs = html`<p class="lead">Plotline stores training logs and charts every point you logged.</p>`;

/** How to get a sign-in link. */
export function howToGetLink(): Html {
  return html`<p>
      Open the sign-in link that the server prints when you start it in a terminal. Anyone with an access token can create another link on
      the command line:
    </p>
    <pre class="command"><code>npm run -s plotline -- login-link</code></pre>
    <p class="dim">Each link works once and expires after one hour.</p>`;
}

/** A link that looks like a button. */
export function buttonLink(address: string, text: string): Html {
  return html`<p><a class="button primary" href="${address}">${text}</a></p>`;
}
