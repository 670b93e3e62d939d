import { z } from 'zod';
import type { Deletion } from '#store';
import type { DeletionPreview } from './preview-deletion.ts';
import { integerJson } from '../experiments/integer-json.ts';
import { exactInteger } from '../json.ts';

/** A deletion in responses. It contains ids and numbers, and none of the deleted names. */
export const deletionJson = z.object({
  id: z.uuid(),
  url: z.string(),
  kind: z.enum(['workspace', 'experiment', 'runs', 'points', 'originals']).meta({
    description:
      "What the deletion removes. `points`: points selected by tag, by step, or both. `originals`: original bytes past the workspace's retention period.",
  }),
  experiment: z.string().nullable(),
  tags: z.int().nullable().meta({ description: 'Number of tags in the request. Null means all tags.' }),
  steps: z.object({ from: integerJson.nullable(), to: integerJson.nullable() }).nullable().meta({ description: 'Inclusive; null: all.' }),
  state: z.enum(['waiting', 'running', 'done']),
  requested: z.iso.datetime(),
  requested_by: z.uuid().nullable().meta({ description: 'Null if the service requested the deletion.' }),
  finished: z.iso.datetime().nullable(),
  removed: z
    .object({
      runs: integerJson,
      files: integerJson,
      series: integerJson,
      points: integerJson.meta({ description: 'Includes superseded points.' }),
      objects: integerJson,
      bytes: integerJson.meta({ description: 'Reclaimed bytes of objects and rows.' }),
    })
    .meta({ description: 'So far.' }),
  rewritten: z.object({ files: integerJson, bytes: integerJson }).meta({
    description:
      'Files rewritten so far without their deleted points (`original_rewritten`), and their bytes. `removed.files` counts files that are removed, or whose bytes are no longer kept.',
  }),
  objects_left: integerJson.meta({ description: 'Objects still to be removed.' }),
});

/** A preview of a deletion. */
export const deletionPreviewJson = z.object({
  dry_run: z.literal(true),
  would_remove: z.object({
    runs: integerJson,
    files: integerJson,
    series: integerJson,
    points: integerJson.meta({ description: 'Includes superseded points.' }),
    bytes: integerJson.meta({ description: 'Stored bytes of these event files.' }),
  }),
  would_rewrite: z.object({ files: integerJson, bytes: integerJson }).meta({
    description: 'Files that would be rewritten without these points, and their bytes.',
  }),
  exact: z.boolean().meta({
    description:
      'False if the count includes some points outside the step range, because the range cuts too many chunks to decode them all.',
  }),
  kept_in_snapshots: z.object({ snapshots: z.int(), citable: z.int() }).meta({
    description: 'Snapshots of the experiment, and how many of them are citable. Snapshots keep their copies; delete snapshots separately.',
  }),
});

/** Serializes a preview. */
export function toPreviewJson(
  { removed, rewritten, exact }: DeletionPreview,
  keptInSnapshots: { readonly snapshots: number; readonly citable: number },
): z.input<typeof deletionPreviewJson> {
  return {
    dry_run: true,
    would_remove: {
      runs: removed.runs,
      files: removed.files,
      series: removed.series,
      points: exactInteger(removed.points)!,
      bytes: exactInteger(removed.bytes)!,
    },
    would_rewrite: { files: rewritten.files, bytes: exactInteger(rewritten.bytes)! },
    exact,
    kept_in_snapshots: keptInSnapshots,
  };
}

/** Serializes a deletion. */
export function toDeletionJson(deletion: Deletion): z.input<typeof deletionJson> {
  const { removed, rewritten, fromStep, toStep } = deletion;
  return {
    id: deletion.deletionId,
    url: `/api/v1/deletions/${deletion.deletionId}`,
    kind: deletion.kind,
    experiment: deletion.experimentId,
    tags: deletion.tagHashes?.length ?? null,
    steps: fromStep === null && toStep === null ? null : { from: exactInteger(fromStep), to: exactInteger(toStep) },
    state: deletion.finishedAt !== null ? 'done' : deletion.startedAt !== null ? 'running' : 'waiting',
    requested: deletion.requestedAt.toISOString(),
    requested_by: deletion.requestedBy,
    finished: deletion.finishedAt?.toISOString() ?? null,
    removed: {
      runs: exactInteger(removed.runs)!,
      files: exactInteger(removed.files)!,
      series: exactInteger(removed.series)!,
      points: exactInteger(removed.points)!,
      objects: exactInteger(removed.objects)!,
      bytes: exactInteger(removed.bytes)!,
    },
    rewritten: { files: exactInteger(rewritten.files)!, bytes: exactInteger(rewritten.bytes)! },
    objects_left: exactInteger(deletion.objectsLeft)!,
  };
}
