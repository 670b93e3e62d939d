import { hash } from 'node:crypto';
import { frontierJson } from '#series';
import type { Frontier, RunState } from '#store';
import { exactFloat } from '../json.ts';
import type { Look } from './frontier-watch.ts';

/** One server-sent event, as it is written. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** What a stream of events says of one look: the frontier and every run, and the id of this state. */
export interface EventState {
  /** `<epoch>.<hash>`: the same for the same state. */
  readonly id: string;
  readonly frontier: SentEvent;
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
  const runs = new Map(
    (await look.runs()).map((run) => [run.runId, { event: 'run', data: JSON.stringify(runJson(run)), status: run.status }]),
  );
  const told = JSON.stringify([frontier.data, [...runs].map(([runId, { status }]) => [runId, status])]);
  return { id: `${look.frontier.epoch}.${hash('sha1', told).slice(0, 12)}`, frontier, runs };
}

/** The data of a `frontier` event. */
export function frontierData(frontier: Frontier): string {
  return JSON.stringify(frontierJson(frontier));
}

function runJson(run: RunState): Record<string, unknown> {
  return { run: run.run, status: run.status, start_time: exactFloat(run.startTime), last_time: exactFloat(run.lastTime) };
}

/**
 * The events that lead from one state (null: nothing was told) to another, as text of `text/event-stream`. The last one has the id: whoever
 * comes back with it has had all of them. Empty when nothing is different.
 */
export function eventsBetween(before: EventState | null, after: EventState): string {
  if (before?.id === after.id) return '';
  const events: SentEvent[] = before?.frontier.data === after.frontier.data ? [] : [after.frontier];
  for (const [runId, event] of after.runs) if (before?.runs.get(runId)?.status !== event.status) events.push(event);
  // A run that was deleted is told by nothing else.
  if (events.length === 0) events.push(after.frontier);
  return events.map((event, index) => eventText(event, index === events.length - 1 ? after.id : null)).join('');
}

export function eventText({ event, data }: SentEvent, id: string | null): string {
  return `event: ${event}\n${id === null ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
