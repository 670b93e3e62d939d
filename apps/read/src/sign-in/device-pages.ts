import { Html, html } from '#http';
import type { DeviceRequest } from '#store';

/** What a person must confirm before a program is approved. */
export interface DeviceQuestion extends DeviceRequest {
  readonly userCode: string;
  readonly workspace: string;
  readonly role: string;
  readonly csrfToken: string;
  readonly basePath: string;
}

/** The meaning of a scope, for display. */
const meanings: Readonly<Record<string, string>> = {
  read: 'read experiments',
  upload: 'create experiments, upload to them, rename them',
  manage: 'delete and share experiments, make tokens',
  admin: 'manage the workspace',
};

/** Asks for the code. */
export function askForCode(basePath: string, typed: string): Html {
  return html`<h1>Let a program in</h1>
    <p>Type the code that the program shows.</p>
    <form class="row" method="get" action="${basePath}/device">
      <input
        class="code"
        name="user_code"
        value="${typed}"
        aria-label="Code"
        placeholder="XXXX-XXXX"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        required
        autofocus
      />
      <button class="main">Go on</button>
    </form>`;
}

/** The page for an invalid code. */
export function unknownCode(basePath: string): Html {
  return html`${askForCode(basePath, '')}
    <p class="bad">No program waits with that code. It may be mistyped, used, or more than a quarter of an hour old.</p>`;
}

/** Shows what the program would be allowed to do, and where, and asks for approval. */
export function confirmDevice(question: DeviceQuestion): Html {
  return html`<h1>Let this program in?</h1>
    <p class="code">${question.userCode}</p>
    <p>Only go on if a program that you started yourself shows this very code. Somebody who sent it to you would get in, in your name.</p>
    <table>
      <tbody>
        <tr>
          <td class="dim">Program</td>
          <td class="title">${question.clientName}</td>
        </tr>
        <tr>
          <td class="dim">Workspace</td>
          <td class="title">${question.workspace}</td>
        </tr>
        <tr>
          <td class="dim">It may</td>
          <td class="title">
            ${question.scopes.map((scope) => html`<div>${meanings[scope] ?? scope} <span class="dim">(${scope})</span></div>`)}
          </td>
        </tr>
        <tr>
          <td class="dim">As</td>
          <td class="title">you, ${question.role}: never more than you may yourself</td>
        </tr>
      </tbody>
    </table>
    <form class="row after" method="post" action="${question.basePath}/device">
      <input type="hidden" name="csrf_token" value="${question.csrfToken}" />
      <input type="hidden" name="user_code" value="${question.userCode}" />
      <button class="main" name="decision" value="allow">Let it in</button>
      <button name="decision" value="refuse">Refuse</button>
    </form>`;
}

/** The result of the decision. */
export function deviceDecided(basePath: string, allowed: boolean): Html {
  return allowed
    ? html`<h1>The program is signed in</h1>
        <p>
          It goes on by itself within some seconds; this page can be closed. Its token is listed by
          <a href="${basePath}/api/v1/tokens">your tokens</a>, and ends when you revoke it.
        </p>`
    : html`<h1>You declined the program</h1>
        <p>The program receives no token. If you did not start it, you need to do nothing else.</p>`;
}
