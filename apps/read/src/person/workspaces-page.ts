import { Html, html } from '#http';
import type { TenantId } from '#model';
import type { OwnWorkspace } from '#workspaces';

/** The content of the workspaces page. */
export interface WorkspacesPage {
  readonly workspaces: readonly OwnWorkspace[];
  /** The workspace of the current session. */
  readonly current: string;
  /** Whether people can create workspaces here. */
  readonly canMake: boolean;
  /**
   * Null if the reader has no session, or a session that is confined to its workspace: the page
   * then has no forms.
   */
  readonly csrfToken: string | null;
  /** The provider that the person must sign in with to switch; null if this session can switch. */
  readonly signInBy: string | null;
  readonly basePath: string;
}

/** A person's workspaces, with forms to switch workspaces and to create a workspace. */
export function workspacesPage({ workspaces, current, canMake, csrfToken, signInBy, basePath }: WorkspacesPage): Html {
  return html`<h1>Workspaces</h1>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Your role</th>
            <th><span class="unseen">Switch</span></th>
          </tr>
        </thead>
        <tbody>
          ${workspaces.map(
            ({ tenantId, name, role }) =>
              html`<tr>
                <td class="title">${name}</td>
                <td>${role}</td>
                <td class="act">
                  ${tenantId === current ? html`<span class="dim">current</span>` : csrfToken && switchTo(basePath, csrfToken, tenantId)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      signInBy &&
      html`<p>
        You signed in with a link created by an access token, which is valid only for this workspace. To switch,
        <a href="${basePath}/sign-in">sign in with ${signInBy}</a>.
      </p>`
    }
    <p class="dim">
      An access token belongs to one workspace. To use the CLI in another workspace, switch to it here, then run
      <code>plotline login</code>.
    </p>
    ${canMake && csrfToken !== null ? newWorkspace(basePath, csrfToken) : null}`;
}

function switchTo(basePath: string, csrfToken: string, tenantId: TenantId): Html {
  return html`<form method="post" action="${basePath}/workspaces/choose">
    <input type="hidden" name="csrf_token" value="${csrfToken}" />
    <input type="hidden" name="workspace" value="${tenantId}" />
    <button class="small">Switch</button>
  </form>`;
}

function newWorkspace(basePath: string, csrfToken: string): Html {
  return html`<h2>Create workspace</h2>
    <p>You will be its owner and only member until you invite others.</p>
    <form class="row" method="post" action="${basePath}/workspaces">
      <input type="hidden" name="csrf_token" value="${csrfToken}" />
      <input class="text-field" name="name" aria-label="Name" placeholder="Name" maxlength="100" autocomplete="off" required />
      <button class="primary">Create</button>
    </form>`;
}
