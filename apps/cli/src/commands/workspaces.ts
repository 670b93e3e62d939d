import type { Commands } from './commands.ts';

/** Workspaces of a person. */
export function addWorkspaces(commands: Commands): void {
  const workspaces = commands.group('workspaces', 'your workspaces: list, create');
  const places = () => import('../verbs/workspaces.ts');
  workspaces.verb('list', 'list the workspaces you belong to', async () => (await places()).list);
  workspaces.verb('create', 'create a workspace that you own', async () => (await places()).create, '<name>');
}
