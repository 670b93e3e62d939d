import type { Reader } from './page-data.ts';

/** A page of a workspace, or one that leads to another workspace. */
export interface Place {
  readonly name: string;
  /** The path without the proxy's prefix. */
  readonly path: string;
  /** Whether the page is not part of this app. If so, the browser loads it. */
  readonly apart?: boolean;
}

const all: readonly (Place & { readonly action?: string })[] = [
  { name: 'Experiments', path: '/' },
  { name: 'Reports', path: '/reports', action: 'report.read' },
  { name: 'Members', path: '/members', action: 'member.list' },
  { name: 'Access tokens', path: '/tokens', action: 'token.manage' },
  { name: 'Usage', path: '/usage', action: 'workspace.read' },
  { name: 'Sessions', path: '/sessions', apart: true, action: 'session.read' },
  { name: 'Switch workspace', path: '/workspaces', apart: true, action: 'person.workspaces' },
];

/** The pages that the reader can open; no others are offered. */
export function placesOf(reader: Reader | null): Place[] {
  return all.filter(({ action }) => reader && (action === undefined || reader.may.includes(action)));
}
