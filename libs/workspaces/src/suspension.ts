import { type Action, rules } from '#experiments';
import { Problem, type View } from '#model';
import type { Terms } from './workspace-terms.ts';

/** Actions on the person, not on the workspace of their session, so that nobody is locked in. */
const ownMatters: ReadonlySet<Action> = new Set<Action>([
  'session.read',
  'session.manage',
  'session.switch',
  'person.workspaces',
  'person.export',
  'person.erase',
  'member.leave',
  'invitation.accept',
]);

/**
 * Throws `workspace-suspended`, for members with the operator's reason, unless the workspace's
 * terms permit the action now. `view`: a visitor's view.
 */
export function requireOpen({ suspension }: Terms, action: Action, view: View | null): void {
  if (!suspension || ownMatters.has(action)) return;
  const { mode, reason, since } = suspension;
  if (mode === 'read-only' && rules[action].scope === 'read') return;
  if (view) throw new Problem('workspace-suspended', 'This is not available at present.');
  const what = mode === 'read-only' ? 'is read-only' : 'is suspended';
  throw new Problem('workspace-suspended', `This workspace ${what} since ${since.toISOString()}: ${reason} Nothing in it is lost.`, {
    extra: { mode, reason, since: since.toISOString() },
  });
}
