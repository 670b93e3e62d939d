import { hostname } from 'node:os';
import { type ExperimentId, limits, nameOfLogdir, uploadOrigin } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { experimentIdField, stringField } from '../http/json.ts';
import type { UploadMemory } from '../local/upload-memory.ts';

/** The target experiment of an upload. */
export interface Target {
  readonly id: ExperimentId;
  readonly url: string;
}

/** The user's options. */
export interface TargetRequest {
  readonly experiment: string | undefined;
  readonly startNew: boolean;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** A new experiment without a name or description gets them from this log directory. */
  readonly logdir: string;
}

/**
 * Chooses the experiment: the named experiment, otherwise the experiment stored for this directory,
 * otherwise a new experiment. A creation is stored before the request and repeated with the same
 * Idempotency-Key, so neither a lost response nor a crash creates two experiments.
 */
export async function chooseTarget(api: Api, memory: UploadMemory, request: TargetRequest, say: (line: string) => void): Promise<Target> {
  if (request.experiment !== undefined) {
    const target = await existing(api, request.experiment, request);
    memory.remember(target.id);
    return target;
  }
  const remembered = request.startNew ? null : memory.recall();
  if (remembered?.kind === 'experiment') {
    try {
      return await existing(api, remembered.id, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      say(`The experiment ${remembered.id}, to which this directory was uploaded, no longer exists. Starting a new experiment.`);
    }
  }
  return create(api, memory, request, remembered?.kind === 'creating' ? remembered.key : null);
}

async function existing(api: Api, id: string, request: TargetRequest): Promise<Target> {
  const path = `/experiments/${encodeURIComponent(id)}`;
  const changes = textsOf(request);
  const what = `Experiment ${id}`;
  let found = await api.get(path, what);
  if (found['snapshot'] !== null && found['snapshot'] !== undefined)
    throw new CliError(
      exitCodes.failed,
      `${id} is a snapshot, which never changes. Upload to another experiment, or to a new experiment with --new.`,
      {
        code: 'experiment-frozen',
      },
    );
  if (Object.entries(changes).some(([field, value]) => found[field] !== value))
    found = { ...found, ...(await api.send('PATCH', path, what, changes)) };
  return { id: experimentIdField(found, 'id'), url: stringField(found, 'url') };
}

async function create(api: Api, memory: UploadMemory, request: TargetRequest, begunKey: string | null): Promise<Target> {
  const body = {
    name: atMost(limits.maxExperimentNameCharacters, nameOfLogdir(request.logdir)),
    description: atMost(limits.maxExperimentDescriptionCharacters, uploadOrigin(hostname(), request.logdir)),
    ...textsOf(request),
  };
  const before = memory.recall();
  const ask = (key: string) => api.send('POST', '/experiments', 'Creating an experiment', body, key);
  let made;
  try {
    made = await ask(begunKey ?? memory.beginCreating());
  } catch (error) {
    // The creation before the crash had another name or description, so it was a different request.
    if (begunKey === null || !(error instanceof ApiError) || error.code !== 'idempotency-key-reused') {
      // Rejected permanently, so nothing was created, and the stored state remains.
      if (error instanceof ApiError && error.status < 500 && before?.kind === 'experiment') memory.remember(before.id);
      throw error;
    }
    made = await ask(memory.beginCreating());
  }
  const id = experimentIdField(made, 'id');
  memory.remember(id);
  return { id, url: stringField(made, 'url') };
}

/** The specified name and description; omitted fields do not change. */
function textsOf({ name, description }: TargetRequest): { readonly name?: string; readonly description?: string } {
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
}

/** The first code points of a string, without halves of surrogate pairs. */
function atMost(characters: number, text: string): string {
  return Array.from(text).slice(0, characters).join('').toWellFormed();
}
