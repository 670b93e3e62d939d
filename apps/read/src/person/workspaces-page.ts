import { Html, html } from '#http';
import type { OwnWorkspace } from '#workspaces';

/** The content of the page of a person's workspaces. */
export interface WorkspacesPage {
  readonly workspaces: readonly OwnWorkspace[];
  /** The workspace of the current session. */
  readonly current: string;
  /** Whether persons can create workspaces here. */
  readonly canMake: boolean;
  /**
   * Null: the reader has no session, or one that is confined to its workspace, so there are no
   * forms.
   */
  readonly csrfToken: string | null;
  /** The provider that the person must sign in with to switch; null: this session can switch. */
  readonly signInBy: string | null;
  readonly basePath: string;
}

/** A person's workspaces, with forms to switch to another one and to create one. */
export function workspacesPage({ workspaces, current, canMake, csrfToken, signInBy, basePath }: WorkspacesPage): Html {
  return html`<h1>Workspaces</h1>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>You are</th>
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${workspaces.map(
            ({ tenantId, name, role }) =>
              html`<tr>
                <td class="title">${name}</td>
                <td>${role}</td>
                <td>
                  ${tenantId === current ? html`<span class="dim">you are here</span>` : csrfToken && goThere(basePath, csrfToken, tenantId)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      signInBy &&
      html`<p class="after">
        A link of an access token signed this browser in, for this workspace only. To go elsewhere,
        <a href="${basePath}/sign-in">sign in by ${signInBy}</a>.
      </p>`
    }
    <p class="dim after">A token is for one workspace: go there first, then let the command line in with <code>plotline login</code>.</p>
    ${canMake && csrfToken !== null ? newWorkspace(basePath, csrfToken) : null}`;
}

function goThere(basePath: string, csrfToken: string, tenantId: string): Html {
  return html`<form method="post" action="${basePath}/workspaces/choose">
    <input type="hidden" name="csrf_token" value="${csrfToken}" />
    <input type="hidden" name="workspace" value="${tenantId}" />
    <button class="small">Go there</button>
  </form>`;
}

function newWorkspace(basePath: string, csrfToken: string): Html {
  return html`<h2>A new workspace</h2>
    <p>You own it, and nobody else is in it until you invite them.</p>
    <form class="row" method="post" action="${basePath}/workspaces">
      <input type="hidden" name="csrf_token" value="${csrfToken}" />
      <input name="name" aria-label="Name" placeholder="Name" maxlength="100" autocomplete="off" required />
      <button>Make it</button>
    </form>`;
}
