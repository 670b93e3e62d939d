import { Html, html } from '#http';
import type { SessionSummary } from '#store';
import { moment } from '../page/format.ts';

/** The content of the sessions page. */
export interface SessionsPage {
  readonly person: string;
  readonly workspace: string;
  readonly role: string;
  readonly sessions: readonly SessionSummary[];
  /** The display name of the provider; null if there is none. */
  readonly provider: string | null;
  /** The issuers with which the person can sign in. */
  readonly connected: readonly string[];
  /**
   * Whether the browser was signed in by a permanent method, not by a token: only such sessions may
   * connect a provider.
   */
  readonly mayConnect: boolean;
  /** Null if the reader has no session, so there are no forms. */
  readonly csrfToken: string | null;
  readonly basePath: string;
}

/** The person, their active sessions, and sign-out. */
export function sessionsPage(page: SessionsPage): Html {
  const { csrfToken, basePath } = page;
  return html`<div class="page-head">
      <h1>Sessions</h1>
      ${csrfToken && button(basePath, '/sign-out', csrfToken, 'Sign out', true)}
    </div>
    <p>Signed in as ${page.person}, ${page.role} of ${page.workspace}. These browsers are signed in:</p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Signed in (UTC)</th>
            <th>Last used (UTC)</th>
            <th><span class="unseen">Sign out</span></th>
          </tr>
        </thead>
        <tbody>
          ${page.sessions.map(
            (session) =>
              html`<tr>
                <td>${moment(session.createdAt.getTime() / 1000)}</td>
                <td>${moment(session.seenAt.getTime() / 1000)}</td>
                <td class="act">
                  ${
                    session.current
                      ? html`<span class="dim">this browser</span>`
                      : csrfToken && button(basePath, '/sessions/end', csrfToken, 'Sign out', false, session.sessionId)
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${csrfToken && page.sessions.length > 1 ? button(basePath, '/sessions/end', csrfToken, 'Sign out all other browsers', false) : null}
    ${page.provider && html`<h2>${page.provider}</h2>`} ${page.connected.map((issuer) => html`<p>Connected to ${issuer}.</p>`)}
    ${
      page.provider && csrfToken && page.mayConnect && page.connected.length === 0
        ? html`<p>You signed in with a link. Connect ${page.provider} to sign in with it from now on.</p>
            ${button(basePath, '/sessions/connect', csrfToken, `Connect ${page.provider}`, true)}`
        : null
    }`;
}

/** A form with a single button. */
function button(basePath: string, path: string, csrfToken: string, label: string, main: boolean, sessionId: string | null = null): Html {
  return html`<form method="post" action="${basePath}${path}">
    <input type="hidden" name="csrf_token" value="${csrfToken}" />
    ${sessionId && html`<input type="hidden" name="session_id" value="${sessionId}" />`}
    <button class="${main ? 'primary' : 'small'}">${label}</button>
  </form>`;
}
