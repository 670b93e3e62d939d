import { z } from 'zod';
import { isPart, runStates, type View } from '#model';
import type { RunSummary } from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { exactFloat, exactInteger } from '../json.ts';
import { floatJson } from '../series-list/series-json.ts';

const configJson = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A run in responses. */
export const runJson = z.object({
  run: z.string().meta({ description: 'Path below the log directory; `.` is the log directory itself.' }),
  start_time: floatJson.nullable().meta({ description: 'Smallest positive wall time, in seconds since 1970.' }),
  last_time: floatJson.nullable(),
  events: integerJson
    .nullable()
    .meta({ description: 'Readable events; grows with the run. Null for visitors who see only a part of the experiment.' }),
  status: z.string().meta({ description: 'success, failure, running or unknown, as logged by the run.' }),
  group: z.string().nullable(),
  display_name: z
    .string()
    .nullable()
    .meta({ description: 'The display name that a member set, otherwise the name that the run recorded.' }),
  job_type: z.string().nullable(),
  config: configJson.meta({ description: 'The configuration (hyperparameters); keys of nested values are joined with dots.' }),
  hparams: configJson.meta({ description: 'The same as `config`.', deprecated: true }),
  state: z.enum(runStates).meta({
    description:
      'Derived from status and heartbeat. `stalled`: nothing was logged for ten minutes, although the process is alive or has not logged an end. `crashed`: the heartbeat stopped and no end was logged.',
  }),
  heartbeat: floatJson
    .nullable()
    .meta({ description: "When events of the run were last ingested, in seconds since 1970, by the service's clock." }),
  source: z
    .object({
      command: z.string().nullable(),
      git_commit: z.string().nullable(),
      git_dirty: z.boolean().nullable().meta({ description: 'Whether tracked files had uncommitted changes.' }),
      git_branch: z.string().nullable(),
      git_remote: z.string().nullable(),
      folder: z.string().nullable().meta({ description: 'Working folder of the process.' }),
    })
    .nullable()
    .meta({
      description:
        'The command, code version and working folder, as the run recorded them. Null for anonymous links, like person and host.',
    }),
  person: z.string().nullable().meta({ description: 'User name on the training machine.' }),
  host: z.string().nullable(),
  labels: z.array(z.string()),
  notes: z.string().nullable().meta({ description: 'Markdown. Null for visitors.' }),
  archived: z.boolean().meta({ description: 'Whether the run is archived. Lists omit archived runs by default.' }),
  values: z
    .array(z.union([z.string(), z.number(), z.boolean()]).nullable())
    .optional()
    .meta({ description: 'The values requested with `value`, in the order of the request.' }),
});

/** Serializes a run as the caller may see it. */
export function toRunJson(run: RunSummary, view: View | null): Record<string, unknown> {
  return {
    run: run.run,
    start_time: exactFloat(run.startTime),
    last_time: exactFloat(run.lastTime),
    events: isPart(view) ? null : exactInteger(run.events),
    status: run.status,
    group: run.group,
    display_name: run.displayName,
    job_type: run.jobType,
    config: run.hparams ?? {},
    hparams: run.hparams ?? {},
    state: run.state,
    heartbeat: exactFloat(run.heartbeat),
    source: run.source && {
      command: run.source.command,
      git_commit: run.source.gitCommit,
      git_dirty: run.source.gitDirty,
      git_branch: run.source.gitBranch,
      git_remote: run.source.gitRemote,
      folder: run.source.folder,
    },
    person: run.person,
    host: run.host,
    labels: run.labels,
    notes: view ? null : run.notes,
    archived: run.archived,
    ...(run.values.length > 0 && { values: run.values.map((value) => (typeof value === 'number' ? exactFloat(value) : value)) }),
  };
}
