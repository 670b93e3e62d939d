import { hash } from 'node:crypto';
import { isPart, type View } from '#model';
import { frontierJson, seenFrontier } from '#series';
import type { DeletionProgress, Frontier, WatchedRun } from '#store';
import { exactFloat } from '../json.ts';
import type { Look } from './frontier-watch.ts';

/** A server-sent event, in its serialized form. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * The state that an event stream reports: the frontier, the progress of deletions, and every run.
 * It has an id.
 */
export interface EventState {
  /** `<epoch>.<hash>`; equal states have equal ids. */
  readonly id: string;
  readonly frontier: SentEvent;
  readonly deletions: SentEvent;
  /** By run id. */
  readonly runs: ReadonlyMap<string, SentEvent & { readonly status: string }>;
}

const states = new WeakMap<Look, Promise<EventState>>();

/** The state of a reading, as a view shows it. All streams that show everything share one state. */
export function eventStateOf(look: Look, view: View | null): Promise<EventState> {
  if (isPart(view)) return makeState(look, view);
  const known = states.get(look);
  if (known) return known;
  const made = makeState(look, null);
  states.set(look, made);
  return made;
}

async function makeState(look: Look, view: View | null): Promise<EventState> {
  const frontier = { event: 'frontier', data: frontierData(look.frontier, view) };
  const deletions = { event: 'deletion', data: deletionData(look, view) };
  const runs = new Map(
    (await look.runs(view)).map((run) => [run.runId, { event: 'run', data: JSON.stringify(runJson(run)), status: run.status }]),
  );
  const content = JSON.stringify([frontier.data, deletions.data, [...runs].map(([runId, { status }]) => [runId, status])]);
  return { id: `${look.frontier.epoch}.${hash('sha1', content).slice(0, 12)}`, frontier, deletions, runs };
}

/** The data of a `frontier` event. */
function frontierData(frontier: Frontier, view: View | null): string {
  return JSON.stringify(frontierJson(seenFrontier(frontier, view)));
}

/**
 * Deletions are counted for the whole experiment, so callers who see only a part of it get no
 * counts.
 */
function deletionData({ deletions }: Pick<Look, 'deletions'>, view: View | null): string {
  const { asked, finished, points } = isPart(view) ? noneYet : deletions;
  return JSON.stringify({ asked, finished, points });
}

/** Whether a reading still shows this state; its runs change with its frontier. */
export function isSameState(state: EventState | null, look: Look, view: View | null): boolean {
  return state?.frontier.data === frontierData(look.frontier, view) && state.deletions.data === deletionData(look, view);
}

function runJson(run: WatchedRun): Record<string, unknown> {
  return { run: run.run, status: run.status, start_time: exactFloat(run.startTime), last_time: exactFloat(run.lastTime) };
}

const noneYet: DeletionProgress = { asked: 0, finished: 0, points: 0 };
const noDeletion = deletionData({ deletions: noneYet }, null);

/**
 * The events that lead from one state (null if nothing has been sent yet) to another, as text of
 * `text/event-stream`. The last event has the id: a client that resumes with this id has received
 * all events. Empty if nothing changed.
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
