import { type Caller, randomBase62 } from '#auth';
import { limits, parseExperimentId, Problem } from '#model';
import { type ExperimentSummary, insertExperiment, readExperiment, type TenantScope } from '#store';
import { noSuchExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkLabels, checkText } from './experiment-names.ts';

/** The given properties of a new experiment. */
export interface ExperimentRequest {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  /** The caller's workspace if absent; nobody can create an experiment in another workspace. */
  readonly workspace?: string | undefined;
}

/** Creates an experiment with a random id of 22 base62 characters (131 bits). */
export async function createExperiment(scope: TenantScope, caller: Caller, request: ExperimentRequest): Promise<ExperimentSummary> {
  if (request.workspace !== undefined && request.workspace !== caller.tenantId) {
    throw new Problem(
      'forbidden',
      "This token belongs to another workspace. Omit `workspace` to create the experiment in the token's workspace.",
    );
  }
  const experimentId = parseExperimentId(randomBase62(22));
  await insertExperiment(scope, {
    experimentId,
    name: checkText(request.name ?? '', 'name', limits.maxExperimentNameCharacters),
    description: checkText(request.description ?? '', 'description', limits.maxExperimentDescriptionCharacters),
    ownerId: caller.personId,
    labels: checkLabels(request.labels ?? []),
  });
  await audit(scope, caller, { action: 'experiment.create', experimentId });
  const made = await readExperiment(scope, experimentId);
  if (!made) throw noSuchExperiment();
  return made;
}
