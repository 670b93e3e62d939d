import { Html, html } from '#http';
import type { DeviceRequest } from '#store';

/** The data that a person must check before approving a program. */
export interface DeviceQuestion extends DeviceRequest {
  readonly userCode: string;
  readonly workspace: string;
  readonly role: string;
  readonly csrfToken: string;
  readonly basePath: string;
}

/** The meaning of a scope, for display. */
const meanings: Readonly<Record<string, string>> = {
  read: 'Read experiments',
  upload: 'Create and rename experiments, and upload to them',
  manage: 'Delete and share experiments, create tokens',
  admin: 'Manage the workspace',
};

/** Asks for the code. */
export function askForCode(basePath: string, typed: string): Html {
  return html`<h1>Authorize a device</h1>
    <p>Enter the code shown in your terminal or by the program that you want to sign in.</p>
    <form class="row" method="get" action="${basePath}/device">
      <input
        class="text-field code"
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
      <button class="primary">Continue</button>
    </form>`;
}

/** The page for an invalid code. */
export function unknownCode(basePath: string): Html {
  return html`${askForCode(basePath, '')}
    <p class="bad">No device is waiting for this code. Codes work once and expire after 15 minutes. Check the code or start again.</p>`;
}

/** Shows what the program would be allowed to do, and where, and asks for approval. */
export function confirmDevice(question: DeviceQuestion): Html {
  return html`<h1>Authorize this device?</h1>
    <p class="code">${question.userCode}</p>
    <p>Check that a program you started yourself shows this code. If someone sent you this code, cancel: they would get access as you.</p>
    <div class="scroll">
      <table>
        <tbody>
          <tr>
            <th scope="row">Program</th>
            <td class="title">${question.clientName}</td>
          </tr>
          <tr>
            <th scope="row">Workspace</th>
            <td class="title">${question.workspace}</td>
          </tr>
          <tr>
            <th scope="row">Permissions</th>
            <td class="title">
              ${question.scopes.map((scope) => html`<div>${meanings[scope] ?? scope} <span class="dim">(${scope})</span></div>`)}
            </td>
          </tr>
          <tr>
            <th scope="row">Acts as</th>
            <td class="title">you (${question.role}), and can never do more than you can</td>
          </tr>
        </tbody>
      </table>
    </div>
    <form class="row" method="post" action="${question.basePath}/device">
      <input type="hidden" name="csrf_token" value="${question.csrfToken}" />
      <input type="hidden" name="user_code" value="${question.userCode}" />
      <button class="primary" name="decision" value="allow">Authorize</button>
      <button name="decision" value="refuse">Cancel</button>
    </form>`;
}

/** The page with the result of the decision. */
export function deviceDecided(basePath: string, allowed: boolean): Html {
  return allowed
    ? html`<h1>Device authorized</h1>
        <p>
          The device continues automatically within a few seconds. You can close this page, or revoke the device's access at any time under
          <a href="${basePath}/tokens">access tokens</a>.
        </p>`
    : html`<h1>Request denied</h1>
        <p>The device was not given access. You can close this page.</p>`;
}
