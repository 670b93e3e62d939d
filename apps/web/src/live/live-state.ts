import type { FrontierJson } from '../api/types.ts';

/** What is known of an experiment that may still grow. */
export interface LiveState {
  /** Null until something was heard. */
  readonly frontier: FrontierJson | null;
  /** When data last came, in ms since 1970; null: not since the page is open. */
  readonly grewAt: number | null;
  /** Since when something is acknowledged that cannot be seen yet; null: all can be seen. */
  readonly behindSince: number | null;
  /** Since when nothing can be heard, in ms since 1970; null: the connection stands, or is being made for the first time. */
  readonly lostAt: number | null;
  /** The server says that this may not be read any more. */
  readonly refused: boolean;
  readonly deleted: boolean;
  /** What would follow it could not be loaded: after an update of the service it is gone. */
  readonly missing: boolean;
}

export const unheard: LiveState = {
  frontier: null,
  grewAt: null,
  behindSince: null,
  lostAt: null,
  refused: false,
  deleted: false,
  missing: false,
};

/** The state after a frontier was told, at `now`. */
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

/** For how long after its last data an experiment is called live. */
export const liveMs = 60_000;
/** A connection that is back this soon was hardly away. */
const patienceMs = 2_000;

/** What the page says of it in a few words; null: nothing, all is there and nothing comes. */
export function liveText(state: LiveState, now: number): { readonly text: string; readonly live: boolean } | null {
  if (state.deleted) return { text: 'deleted', live: false };
  if (state.refused) return { text: 'access lost', live: false };
  if (state.missing) return { text: 'not live, reload the page', live: false };
  if (state.lostAt !== null && now - state.lostAt >= patienceMs) return { text: 'not connected', live: false };
  if (state.behindSince !== null) {
    const seconds = (now - state.behindSince) / 1000;
    return { text: seconds < 1 ? 'live' : `live, ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s behind`, live: true };
  }
  return state.grewAt !== null && now - state.grewAt < liveMs ? { text: 'live', live: true } : null;
}
