import type { Caller, Role, Scope } from '#auth';
import { roles } from '#auth';
import { type ExperimentId, isPart, type TenantId, type View } from '#model';

/** The requirements of an action. */
interface Rule {
  /** The least powerful role that may perform the action. */
  readonly role: Role;
  /** The required scope of the credential. */
  readonly scope: Scope;
  /**
   * The least powerful role that may perform the action on other people's objects; if absent, the
   * same role.
   */
  readonly toOthers?: Role;
  /**
   * Whether visitors, who use a link or read a public experiment, may perform it. `part`: all
   * visitors, because the response is limited to their view. `whole`: only visitors who see
   * everything, including names, in an experiment that was shared itself. `report`: only visitors
   * of this report. If absent, no visitor may.
   */
  readonly visitors?: 'part' | 'whole' | 'report';
  /** Only for people, not for service accounts. */
  readonly people?: true;
}

/**
 * All actions and who may perform them: the only table of permissions. A test compares
 * docs/security.md with it.
 */
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
  'experiment.export': { role: 'member', scope: 'upload' },
  'report.read': { role: 'viewer', scope: 'read' },
  'report.view': { role: 'viewer', scope: 'read', visitors: 'report' },
  'report.write': { role: 'member', scope: 'upload' },
  'report.delete': { role: 'member', scope: 'manage', toOthers: 'admin' },
  'report.share': { role: 'member', scope: 'manage', toOthers: 'admin' },
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

/** The object of an action. */
export interface Target {
  readonly tenantId: TenantId;
  /**
   * The experiment that the object is or belongs to; null if the object belongs to the workspace.
   */
  readonly experimentId: ExperimentId | null;
  /** The id of the report, if the object is a report; otherwise absent. */
  readonly reportId?: string;
  /** The object's creator; null if deleted. */
  readonly ownerId: string | null;
}

/**
 * `hidden`: the caller must not learn that the object exists. The other values name what is
 * missing: membership, the credential's scope, its limits, or the person's role.
 */
export type Verdict = 'allowed' | 'hidden' | 'not-for-visitors' | 'people-only' | 'no-scope' | 'out-of-bounds' | 'no-role';

/**
 * Whether a caller may perform an action, on `target` or, without one, in the workspace. All
 * permission checks call this. Denies by default: objects in another workspace, or outside a
 * credential's experiments, are hidden.
 */
export function decide(caller: Caller, action: Action, target: Target | null = null): Verdict {
  const rule: Rule = rules[action];
  if (target && target.tenantId !== caller.tenantId) return 'hidden';
  if (rule.visitors === 'report' && caller.reportId !== undefined) {
    if (target && target.reportId !== caller.reportId) return 'hidden';
  } else if (caller.experiments) {
    const experimentId = target?.experimentId ?? null;
    if (experimentId !== null && !caller.experiments.has(experimentId)) return 'hidden';
    if (experimentId === null && (target || !isAboutExperiments(action))) return 'out-of-bounds';
  }
  if (caller.view && !mayVisit(rule, caller.view, caller.reportId)) return 'not-for-visitors';
  if (rule.people && caller.program) return 'people-only';
  if (!caller.scopes.has(rule.scope)) return 'no-scope';
  const min = target && target.ownerId !== caller.personId ? (rule.toOthers ?? rule.role) : rule.role;
  return roles.indexOf(caller.role) <= roles.indexOf(min) ? 'allowed' : 'no-role';
}

/** Whether visitors may ever perform this action. */
export function isForVisitors(action: Action): boolean {
  const rule: Rule = rules[action];
  return rule.visitors !== undefined;
}

function mayVisit({ visitors }: Rule, view: View, reportId: string | undefined): boolean {
  if (visitors === 'report') return reportId !== undefined;
  return visitors === 'part' || (visitors === 'whole' && !isPart(view) && !view.anonymous && reportId === undefined);
}

/** Checked before the experiment is known; the specific experiment is checked later. */
function isAboutExperiments(action: Action): boolean {
  return action.startsWith('experiment.') && action !== 'experiment.create' && action !== 'experiment.snapshot';
}
