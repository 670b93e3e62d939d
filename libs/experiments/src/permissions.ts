import type { Caller, Role, Scope } from '#auth';
import { roles } from '#auth';
import { isPart, type View } from '#model';

/** What an action takes. */
interface Rule {
  /** The least role that may do it. */
  readonly role: Role;
  /** What the credential has to be for. */
  readonly scope: Scope;
  /** The least role that may do it to what somebody else made; the same where it is absent. */
  readonly toOthers?: Role;
  /**
   * Whether visitors, who come by a link or because the experiment is public, may do it: `part`: whoever sees any of it, since what is answered
   * is cut to their view; `whole`: who sees all, with names. Absent: never.
   */
  readonly visitors?: 'part' | 'whole';
  /** Only a person may do it, and no service account. */
  readonly people?: true;
}

/** Everything that can be done, and who may: the one table of permissions. docs/security.md is checked against it. */
export const rules = {
  'workspace.read': { role: 'viewer', scope: 'read' },
  'experiment.read': { role: 'viewer', scope: 'read' },
  'experiment.view': { role: 'viewer', scope: 'read', visitors: 'part' },
  'experiment.files': { role: 'viewer', scope: 'read', visitors: 'whole' },
  'experiment.create': { role: 'member', scope: 'upload' },
  'experiment.upload': { role: 'member', scope: 'upload' },
  'experiment.update': { role: 'member', scope: 'upload' },
  'experiment.delete': { role: 'member', scope: 'manage', toOthers: 'admin' },
  'experiment.share': { role: 'member', scope: 'manage', toOthers: 'admin' },
  'experiment.snapshot': { role: 'member', scope: 'upload' },
  'token.manage': { role: 'viewer', scope: 'manage', toOthers: 'admin' },
  'member.list': { role: 'viewer', scope: 'read' },
  'member.manage': { role: 'admin', scope: 'admin' },
  'member.leave': { role: 'viewer', scope: 'manage', people: true },
  'invitation.accept': { role: 'viewer', scope: 'manage', people: true },
  'audit.read': { role: 'admin', scope: 'admin' },
  'person.workspaces': { role: 'viewer', scope: 'read', people: true },
  'person.export': { role: 'viewer', scope: 'manage', people: true },
  'person.erase': { role: 'viewer', scope: 'admin', people: true },
  'session.switch': { role: 'viewer', scope: 'manage', people: true },
  'service-account.manage': { role: 'admin', scope: 'admin' },
  'session.read': { role: 'viewer', scope: 'read', people: true },
  'session.manage': { role: 'viewer', scope: 'manage', people: true },
  'device.approve': { role: 'viewer', scope: 'manage', people: true },
  'sign-in-link.create': { role: 'viewer', scope: 'admin', people: true },
  'workspace.create': { role: 'viewer', scope: 'manage', people: true },
  'workspace.update': { role: 'admin', scope: 'admin' },
  'workspace.transfer': { role: 'owner', scope: 'admin' },
  'workspace.delete': { role: 'owner', scope: 'admin' },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof rules;

/** What an action is done to. */
export interface Target {
  readonly tenantId: string;
  /** The experiment that it is, or is in; null: it is the workspace's. */
  readonly experimentId: string | null;
  /** Who made it; null: nobody any more. */
  readonly ownerId: string | null;
}

/** `hidden`: the caller is not to learn that there is such a thing. The others say what is missing: membership, the credential's scope, its bounds, or the person's role. */
export type Verdict = 'allowed' | 'hidden' | 'not-for-visitors' | 'people-only' | 'no-scope' | 'out-of-bounds' | 'no-role';

/**
 * Whether a caller may do something, to `target` or, without one, in the workspace. Everything that asks for permission asks here. Deny by default:
 * what is in another workspace, or beyond the experiments of a credential, is hidden.
 */
export function decide(caller: Caller, action: Action, target: Target | null = null): Verdict {
  const rule: Rule = rules[action];
  if (target && target.tenantId !== caller.tenantId) return 'hidden';
  if (caller.experiments) {
    const experimentId = target?.experimentId ?? null;
    if (experimentId !== null && !caller.experiments.has(experimentId)) return 'hidden';
    if (experimentId === null && (target || !isAboutExperiments(action))) return 'out-of-bounds';
  }
  if (caller.view && !mayVisit(rule, caller.view)) return 'not-for-visitors';
  if (rule.people && caller.program) return 'people-only';
  if (!caller.scopes.has(rule.scope)) return 'no-scope';
  const least = target && target.ownerId !== caller.personId ? (rule.toOthers ?? rule.role) : rule.role;
  return roles.indexOf(caller.role) <= roles.indexOf(least) ? 'allowed' : 'no-role';
}

/** Whether visitors may ever do this. */
export function isForVisitors(action: Action): boolean {
  const rule: Rule = rules[action];
  return rule.visitors !== undefined;
}

function mayVisit({ visitors }: Rule, view: View): boolean {
  return visitors === 'part' || (visitors === 'whole' && !isPart(view) && !view.anonymous);
}

/** Asked before the experiment is known; which one it may be is asked again when it is. */
function isAboutExperiments(action: Action): boolean {
  return action.startsWith('experiment.') && action !== 'experiment.create' && action !== 'experiment.snapshot';
}
