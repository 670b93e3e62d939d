import { randomUUID } from 'node:crypto';
import type { Caller } from '#auth';
import { type ExperimentId, limits, Problem } from '#model';
import {
  insertSavedView,
  listSavedViews,
  lockSavedViews,
  readSavedView,
  removeSavedView,
  type SavedView,
  type SavedViewChanges,
  type TenantScope,
  updateSavedView,
} from '#store';
import { noSuchExperiment, requireExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkText } from './experiment-names.ts';

/** A view to save. */
export interface SavedViewRequest {
  readonly name: string;
  readonly parameters: string;
  readonly shared: boolean;
  readonly isDefault: boolean;
}

/** The shared views of an experiment, and the caller's private views. */
export async function findSavedViews(scope: TenantScope, caller: Caller, experimentId: ExperimentId): Promise<SavedView[]> {
  await requireExperiment(scope, caller, experimentId, 'experiment.read');
  return listSavedViews(scope, experimentId, { personId: caller.personId, limit: 2 * limits.maxSavedViews });
}

/** Saves a view. Throws `quota-exceeded` if the list is full. */
export async function saveView(
  scope: TenantScope,
  caller: Caller,
  experimentId: ExperimentId,
  request: SavedViewRequest,
): Promise<SavedView> {
  await requireExperiment(scope, caller, experimentId, 'experiment.update');
  const { shared, isDefault } = request;
  const [name, parameters] = [checkName(request.name), checkParameters(request.parameters)];
  requireShared(shared, isDefault);
  await assertBelowLimit(scope, caller, { experimentId, shared });
  const viewId = randomUUID();
  await insertSavedView(scope, { viewId, experimentId, ownerId: caller.personId, shared, name, parameters });
  if (isDefault) await updateSavedView(scope, { viewId, experimentId }, { isDefault });
  if (shared) await audit(scope, caller, { action: 'saved-view.create', experimentId, objectId: viewId, details: { default: isDefault } });
  return (await readSavedView(scope, viewId))!;
}

/**
 * Changes a view. Every member who may change the experiment can change a shared view; only its
 * owner can change a private view. Throws `saved-view-not-found`.
 */
export async function changeSavedView(scope: TenantScope, caller: Caller, viewId: string, changes: SavedViewChanges): Promise<SavedView> {
  const name = changes.name === undefined ? undefined : checkName(changes.name);
  const parameters = changes.parameters === undefined ? undefined : checkParameters(changes.parameters);
  const found = await requireSavedView(scope, caller, viewId);
  const { experimentId } = found;
  const shared = changes.shared ?? found.shared;
  if (!shared && found.owner?.id !== caller.personId)
    throw new Problem('bad-request', 'Only the person who saved a view can make it private.');
  requireShared(shared, changes.isDefault ?? false);
  if (shared === found.shared) await lockSavedViews(scope, experimentId, { personId: caller.personId, shared });
  else await assertBelowLimit(scope, caller, { experimentId, shared });
  await updateSavedView(scope, found, { name, parameters, shared: changes.shared, isDefault: changes.isDefault });
  if (shared || found.shared)
    await audit(scope, caller, {
      action: 'saved-view.update',
      experimentId,
      objectId: viewId,
      details: { shared, ...(changes.isDefault !== undefined && { default: changes.isDefault }) },
    });
  const changed = await readSavedView(scope, viewId);
  if (!changed) throw noSuchView();
  return changed;
}

/** Deletes a view, with the permissions of {@link changeSavedView}. */
export async function deleteSavedView(scope: TenantScope, caller: Caller, viewId: string): Promise<void> {
  const { experimentId, shared } = await requireSavedView(scope, caller, viewId);
  await removeSavedView(scope, viewId);
  if (shared) await audit(scope, caller, { action: 'saved-view.delete', experimentId, objectId: viewId });
}

/** Returns a view that the caller may change. For other callers, the view does not exist. */
async function requireSavedView(scope: TenantScope, caller: Caller, viewId: string): Promise<SavedView> {
  const found = uuid.test(viewId) ? await readSavedView(scope, viewId) : null;
  if (!found || (!found.shared && found.owner?.id !== caller.personId)) throw noSuchView();
  try {
    await requireExperiment(scope, caller, found.experimentId, 'experiment.update');
  } catch (error) {
    // Views of experiments that the caller may not see must not be distinguishable from nonexistent
    // views
    if (error instanceof Problem && error.code === noSuchExperiment().code) throw noSuchView();
    throw error;
  }
  return found;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function noSuchView(): Problem {
  return new Problem('saved-view-not-found', 'There is no such saved view in this workspace.');
}

function checkName(name: string): string {
  const text = checkText(name.trim(), 'name', limits.maxExperimentNameCharacters);
  if (text === '') throw new Problem('invalid-name', 'Enter a name for the view.');
  return text;
}

function checkParameters(text: string): string {
  return checkText(text, 'view', limits.maxSavedViewCharacters);
}

function requireShared(shared: boolean, isDefault: boolean): void {
  if (isDefault && !shared) throw new Problem('bad-request', 'A private view cannot be the default. Share it with the workspace first.');
}

async function assertBelowLimit(
  scope: TenantScope,
  { personId }: Caller,
  { experimentId, shared }: { readonly experimentId: ExperimentId; readonly shared: boolean },
): Promise<void> {
  if ((await lockSavedViews(scope, experimentId, { personId, shared })) < limits.maxSavedViews) return;
  const whose = shared ? 'shared views' : 'private views of one person';
  throw new Problem('quota-exceeded', `An experiment can have ${limits.maxSavedViews} ${whose}. Delete some that you do not need.`);
}
