import { hash } from 'node:crypto';
import { frontierJson } from '#series';
import type { DeletionProgress, Frontier, RunState } from '#store';
import { exactFloat } from '../json.ts';
import type { Look } from './frontier-watch.ts';

/** One server-sent event, as it is written. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** What a stream of events says of one look: the frontier, how far deletions are, and every run, and the id of this state. */
export interface EventState {
  /** `<epoch>.<hash>`: the same for the same state. */
  readonly id: string;
  readonly frontier: SentEvent;
  readonly deletions: SentEvent;
  /** By run id. */
  readonly runs: ReadonlyMap<string, SentEvent & { readonly status: string }>;
}

const states = new WeakMap<Look, Promise<EventState>>();

/** The state of a look, made once for all streams that are told of it. */
export function eventStateOf(look: Look): Promise<EventState> {
  const known = states.get(look);
  if (known) return known;
  const made = makeState(look);
  states.set(look, made);
  return made;
}

async function makeState(look: Look): Promise<EventState> {
  const frontier = { event: 'frontier', data: frontierData(look.frontier) };
  const deletions = { event: 'deletion', data: deletionData(look.deletions) };
  const runs = new Map(
    (await look.runs()).map((run) => [run.runId, { event: 'run', data: JSON.stringify(runJson(run)), status: run.status }]),
  );
  const told = JSON.stringify([frontier.data, deletions.data, [...runs].map(([runId, { status }]) => [runId, status])]);
  return { id: `${look.frontier.epoch}.${hash('sha1', told).slice(0, 12)}`, frontier, deletions, runs };
}

/** The data of a `frontier` event. */
export function frontierData(frontier: Frontier): string {
  return JSON.stringify(frontierJson(frontier));
}

function deletionData({ asked, finished, points }: DeletionProgress): string {
  return JSON.stringify({ asked, finished, points });
}

/** Whether a look shows the state still; its runs change with its frontier. */
export function isSameState(state: EventState | null, look: Look): boolean {
  return state?.frontier.data === frontierData(look.frontier) && state.deletions.data === deletionData(look.deletions);
}

function runJson(run: RunState): Record<string, unknown> {
  return { run: run.run, status: run.status, start_time: exactFloat(run.startTime), last_time: exactFloat(run.lastTime) };
}

const noDeletion = deletionData({ asked: 0, finished: 0, points: 0 });

/**
 * The events that lead from one state (null: nothing was told) to another, as text of `text/event-stream`. The last one has the id: whoever
 * comes back with it has had all of them. Empty when nothing is different.
 */
export function eventsBetween(before: EventState | null, after: EventState): string {
  if (before?.id === after.id) return '';
  const events = before?.frontier.data === after.frontier.data ? [] : [after.frontier];
  if (before?.deletions.data !== after.deletions.data && after.deletions.data !== noDeletion) events.push(after.deletions);
  for (const [runId, event] of after.runs) if (before?.runs.get(runId)?.status !== event.status) events.push(event);
  return events.map((event, index) => eventText(event, index === events.length - 1 ? after.id : null)).join('');
}

export function eventText({ event, data }: SentEvent, id: string | null): string {
  return `event: ${event}\n${id === null ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
