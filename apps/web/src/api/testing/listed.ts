import type { RunJson, TagJson } from '../types.ts';

/** A run, as it appears in lists of runs. */
export function listedRun(run: string, more: Partial<RunJson> = {}): RunJson {
  return {
    run,
    start_time: 1,
    last_time: 2,
    events: 1,
    status: '',
    group: null,
    display_name: null,
    job_type: null,
    config: {},
    hparams: {},
    state: 'unknown',
    heartbeat: null,
    source: null,
    person: null,
    host: null,
    labels: [],
    notes: '',
    archived: false,
    ...more,
  };
}

/** A tag, as it appears in lists of tags; a scalar by default. */
export function listedTag(tag: string, more: Partial<TagJson> = {}): TagJson {
  return { tag, plugin: '', data_class: 'scalar', runs: 1, display_name: '', description: '', superseded_points: 0, ...more };
}
