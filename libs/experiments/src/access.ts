import type { Caller } from '#auth';
import { type ExperimentId, isExperimentId, Problem } from '#model';
import { findExperiment, type TenantScope } from '#store';
import { type Action, decide, type Verdict } from './permissions.ts';

/**
 * Throws unless the caller may perform the action on the experiment. A hidden experiment causes
 * exactly the same error as a nonexistent one. Call this in the transaction that then reads or
 * writes, so that both see the same state.
 */
export async function requireExperiment(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  action: Action = 'experiment.read',
): Promise<void> {
  const found = await findExperiment(scope, experimentId);
  const verdict = found ? decide(caller, action, { tenantId: caller.tenantId, experimentId, ownerId: found.ownerId }) : 'hidden';
  if (verdict === 'hidden') throw noSuchExperiment();
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
  if (found?.frozen && changes.has(action)) throw frozen();
}

/** Actions that are not possible on a snapshot, which is immutable. */
const changes: ReadonlySet<Action> = new Set(['experiment.upload', 'experiment.update']);

/** The error for an attempt to change a snapshot. */
export function frozen(): Problem {
  return new Problem('experiment-frozen', 'This experiment is a snapshot, which never changes. You can share it, or delete it as a whole.');
}

/**
 * Like {@link requireExperiment}, for an object in an experiment that is known to exist, such as a
 * file. `missing` is the error for "does not exist".
 */
export function requireWithin(caller: Caller, action: Action, experimentId: ExperimentId, missing: () => Problem): void {
  const verdict = decide(caller, action, { tenantId: caller.tenantId, experimentId, ownerId: null });
  if (verdict === 'hidden') throw missing();
  if (verdict !== 'allowed') throw forbidden(caller, verdict);
}

/** The same message for every experiment that the caller may not see. */
export function noSuchExperiment(): Problem {
  return new Problem(
    'experiment-not-found',
    'There is no such experiment in this workspace. It may have been deleted, or belong to another workspace.',
  );
}

/** Parses the experiment id in a request. Throws `experiment-not-found` if it is malformed. */
export function requireExperimentId(text: string): ExperimentId {
  if (!isExperimentId(text)) throw noSuchExperiment();
  return text;
}

/** States which permission is missing, for callers who may know that the object exists. */
export function forbidden(caller: Caller, verdict: Exclude<Verdict, 'allowed'>): Problem {
  const why = {
    hidden: 'You do not have access to this.',
    'not-for-visitors':
      caller.via === 'public'
        ? 'You can only read this public experiment. To do more, sign in as a member of its workspace.'
        : 'Your link does not give access to this.',
    'people-only': 'A service account is a program. Only people can do this.',
    'no-scope':
      caller.via === 'session'
        ? 'A signed-in browser can change things only from the pages of this service. Elsewhere, use an access token.'
        : `This token only permits ${[...caller.scopes].join(', ')}.`,
    'out-of-bounds': caller.view
      ? `Your link gives access to one ${caller.reportId === undefined ? 'experiment' : 'report'}, not to its workspace.`
      : 'This token is limited to certain experiments, but this action concerns the whole workspace.',
    'no-role': `Your role in this workspace, ${caller.role}, does not permit this. Ask an owner.`,
  };
  return new Problem('forbidden', why[verdict]);
}
