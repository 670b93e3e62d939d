/**
 * The states of a run in lists, derived from its logged status and heartbeat: `stateSql` in
 * libs/store defines them.
 */
export const runStates = ['running', 'stalled', 'crashed', 'finished', 'failed', 'unknown'] as const;
export type RunState = (typeof runStates)[number];
