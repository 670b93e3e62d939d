import { z } from 'zod';
import type { PublicUrl } from '#http';
import { isPart, isUploadOrigin, type TenantId, type View, visibilities } from '#model';
import type { ExperimentSummary } from '#store';
import { exactInteger } from '../json.ts';
import { integerJson } from './integer-json.ts';
import { newestRunJson } from './newest-run.ts';

const notOfParts = ' Null for visitors who see only a part of the experiment.';
const notOfAnonymous = 'Null for visitors with an anonymous link.';

/** An experiment in responses. */
export const experimentJson = z.object({
  id: z.string().regex(/^[A-Za-z0-9]{22}$/),
  url: z.url(),
  name: z.string(),
  description: z.string(),
  owner: z.object({ id: z.string(), name: z.string() }).nullable().meta({ description: notOfAnonymous }),
  workspace: z.string().nullable().meta({ description: notOfAnonymous }),
  created: z.iso.datetime(),
  updated: z.iso.datetime(),
  received: z.iso
    .datetime()
    .nullable()
    .meta({ description: `When data last arrived. Null if none has arrived yet, or for a snapshot.${notOfParts}` }),
  labels: z.array(z.string()),
  notes: z.string().nullable().meta({ description: 'Markdown. Null in lists, and for visitors.' }),
  archived: z.boolean().meta({ description: 'Whether the experiment is archived. Lists omit archived experiments by default.' }),
  visibility: z
    .enum(visibilities)
    .meta({ description: 'public: anyone with the address can read it, but only the workspace sees it in lists.' }),
  snapshot: z
    .object({ of: z.string(), epoch: integerJson })
    .nullable()
    .meta({ description: 'The source experiment, and its frontier at the time of the copy. Only for members.' }),
  default_view: z
    .string()
    .nullable()
    .meta({ description: 'The query string of the default saved view. Null if there is no default view. Only for members.' }),
  newest_run: newestRunJson
    .nullable()
    .optional()
    .meta({ description: 'Present in lists with `newest_run`. Null if the experiment has no run.' }),
  runs: z.int().meta({ description: 'Runs with at least one readable event.' }),
  points: integerJson.nullable().meta({ description: `Scalar points stored, including superseded points.${notOfParts}` }),
  tensors: integerJson.nullable().meta({ description: `Tensor points stored, including superseded points.${notOfParts}` }),
  blob_sequences: integerJson.nullable().meta({ description: `Blob sequence points stored, including superseded points.${notOfParts}` }),
  bytes: integerJson.nullable().meta({ description: `Bytes of event files acknowledged.${notOfParts}` }),
  frontier: z.object({ epoch: integerJson, acknowledged_epoch: integerJson, visible: z.boolean() }),
});

/** Serializes an experiment as the caller may see it. */
export function toExperimentJson(
  experiment: ExperimentSummary,
  { tenantId, view }: { readonly tenantId: TenantId; readonly view: View | null },
  publicUrl: PublicUrl,
): z.input<typeof experimentJson> {
  const counted = (value: number) => (isPart(view) ? null : exactInteger(value)!);
  return {
    id: experiment.experimentId,
    url: publicUrl.at(`/e/${experiment.experimentId}`),
    name: experiment.name,
    // Only members see the names of hosts and folders.
    description: view && isUploadOrigin(experiment.description) ? '' : experiment.description,
    owner: view?.anonymous ? null : { id: experiment.ownerId, name: experiment.ownerName },
    workspace: view?.anonymous ? null : tenantId,
    created: experiment.createdAt.toISOString(),
    updated: experiment.updatedAt.toISOString(),
    received: isPart(view) ? null : (experiment.acknowledgedAt?.toISOString() ?? null),
    labels: [...experiment.labels],
    notes: view ? null : experiment.notes,
    archived: experiment.archived,
    visibility: experiment.visibility === 'public' ? 'public' : 'private',
    snapshot: experiment.snapshot && !view ? { of: experiment.snapshot.of, epoch: exactInteger(experiment.snapshot.epoch)! } : null,
    default_view: view ? null : experiment.defaultView,
    runs: experiment.runs,
    points: counted(experiment.points),
    tensors: counted(experiment.tensors),
    blob_sequences: counted(experiment.blobSequences),
    bytes: counted(experiment.acknowledgedBytes),
    frontier: {
      epoch: exactInteger(experiment.epoch)!,
      acknowledged_epoch: exactInteger(experiment.acknowledgedEpoch)!,
      visible: experiment.epoch === experiment.acknowledgedEpoch,
    },
  };
}
