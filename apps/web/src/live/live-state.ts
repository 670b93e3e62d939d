import type { FrontierJson } from '../api/types.ts';

/** The state of an experiment that may still be growing. */
export interface LiveState {
  /** Null until the first event. */
  readonly frontier: FrontierJson | null;
  /**
   * When data last arrived, in ms since 1970. Null if none has arrived since the page was opened.
   */
  readonly grewAt: number | null;
  /**
   * Since when there has been acknowledged data that is not visible. Null if everything is visible.
   */
  readonly behindSince: number | null;
  /**
   * When the connection was lost, in ms since 1970. Null if it is open, or is being opened for the
   * first time.
   */
  readonly lostAt: number | null;
  /** Whether the server now denies access. */
  readonly rejected: boolean;
  readonly deleted: boolean;
  /**
   * Whether the code that follows the experiment could not be loaded, for example because an update
   * of the service removed it.
   */
  readonly missing: boolean;
}

export const unheard: LiveState = {
  frontier: null,
  grewAt: null,
  behindSince: null,
  lostAt: null,
  rejected: false,
  deleted: false,
  missing: false,
};

/** The state after a frontier event at `now`. */
export function withFrontier(state: LiveState, frontier: FrontierJson, now: number): LiveState {
  const grew = state.frontier !== null && String(state.frontier.visible_bytes) !== String(frontier.visible_bytes);
  return {
    ...state,
    lostAt: null,
    frontier,
    grewAt: grew ? now : state.grewAt,
    behindSince: frontier.visible ? null : (state.behindSince ?? now),
  };
}

/** How long after its last data an experiment counts as live. */
export const liveMs = 60_000;
/** Interruptions of the connection that are shorter than this are not shown. */
const graceMs = 2_000;

/** A short text for the page. Null if everything is visible and no data is arriving. */
export function liveText(state: LiveState, now: number): { readonly text: string; readonly live: boolean } | null {
  if (state.deleted) return { text: 'deleted', live: false };
  if (state.rejected) return { text: 'access lost', live: false };
  if (state.missing) return { text: 'not live; reload the page', live: false };
  if (state.lostAt !== null && now - state.lostAt >= graceMs) return { text: 'not connected', live: false };
  if (state.behindSince !== null) {
    const seconds = (now - state.behindSince) / 1000;
    return { text: seconds < 1 ? 'live' : `live, ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s behind`, live: true };
  }
  return state.grewAt !== null && now - state.grewAt < liveMs ? { text: 'live', live: true } : null;
}
