import type { RunJson } from '../api/types.ts';

/**
 * A run's state. `stalled`: it logged its start but not its end, and has logged nothing for too
 * long. `crashed`: its heartbeat stopped, and it did not log its end. `unknown`: it logs neither
 * its start nor its end, and no data arrives.
 */
export type RunState = RunJson['state'];

/** The properties of a run that determine its state. */
export type StateFacts = Pick<RunJson, 'status' | 'hparams' | 'last_time' | 'state'>;

export const stateNames: Readonly<Record<RunState, string>> = {
  running: 'Running',
  finished: 'Finished',
  failed: 'Failed',
  stalled: 'Stalled',
  crashed: 'Crashed',
  unknown: 'No state logged',
};

/**
 * A run's state at `now`, in ms since 1970. Hyperparameters are logged when a run starts.
 * `stalledMinutes`: how long a running run may log nothing. A run's last time comes from the clock
 * of the training machine. Only the service knows heartbeats, so its `crashed` is used.
 */
export function runState({ status, hparams, last_time: lastTime, state }: StateFacts, now: number, stalledMinutes: number): RunState {
  if (status === 'success') return 'finished';
  if (status === 'failure') return 'failed';
  if (state === 'crashed') return 'crashed';
  const silentMs = now - Number(lastTime ?? Number.NaN) * 1000;
  const hasStarted = status === 'running' || Object.keys(hparams).length > 0;
  if (hasStarted) return silentMs >= stalledMinutes * 60_000 ? 'stalled' : 'running';
  return silentMs < stalledMinutes * 60_000 ? 'running' : 'unknown';
}

/** How long ago a run last logged something, with days as the largest unit: "4 min". */
export function silenceText(lastTime: RunJson['last_time'], now: number): string {
  const minutes = Math.floor((now / 1000 - Number(lastTime)) / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60 / 24)} days`;
}
