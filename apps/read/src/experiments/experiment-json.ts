import { z } from 'zod';
import type { PublicUrl } from '#http';
import type { ExperimentSummary } from '#store';
import { exactInteger } from '../json.ts';

/** Counts and bytes: numbers, strings beyond 2^53. */
export const integerJson = z.union([z.int(), z.string().regex(/^-?[0-9]+$/)]);

/** An experiment in answers. */
export const experimentJson = z.object({
  id: z.string().regex(/^[A-Za-z0-9]{22}$/),
  url: z.url(),
  name: z.string(),
  description: z.string(),
  owner: z.object({ id: z.string(), name: z.string() }),
  workspace: z.string(),
  created: z.iso.datetime(),
  updated: z.iso.datetime(),
  labels: z.array(z.string()),
  visibility: z.enum(['private', 'public']),
  runs: z.int().meta({ description: 'Runs with at least one readable event.' }),
  points: integerJson.meta({ description: 'Scalar points stored, superseded ones included.' }),
  tensors: integerJson.meta({ description: 'Tensor points stored, superseded ones included.' }),
  blob_sequences: integerJson.meta({ description: 'Blob sequence points stored, superseded ones included.' }),
  bytes: integerJson.meta({ description: 'Bytes of event files acknowledged.' }),
  frontier: z.object({ epoch: integerJson, acknowledged_epoch: integerJson, visible: z.boolean() }),
});

/** Writes an experiment of a workspace. */
export function toExperimentJson(experiment: ExperimentSummary, tenantId: string, publicUrl: PublicUrl): z.input<typeof experimentJson> {
  return {
    id: experiment.experimentId,
    url: publicUrl.at(`/e/${experiment.experimentId}`),
    name: experiment.name,
    description: experiment.description,
    owner: { id: experiment.ownerId, name: experiment.ownerName },
    workspace: tenantId,
    created: experiment.createdAt.toISOString(),
    updated: experiment.updatedAt.toISOString(),
    labels: [...experiment.labels],
    visibility: experiment.visibility === 'public' ? 'public' : 'private',
    runs: experiment.runs,
    points: exactInteger(experiment.points)!,
    tensors: exactInteger(experiment.tensors)!,
    blob_sequences: exactInteger(experiment.blobSequences)!,
    bytes: exactInteger(experiment.acknowledgedBytes)!,
    frontier: {
      epoch: exactInteger(experiment.epoch)!,
      acknowledged_epoch: exactInteger(experiment.acknowledgedEpoch)!,
      visible: experiment.epoch === experiment.acknowledgedEpoch,
    },
  };
}
