import { limits, type LoggedStatus, type RunFacts, type RunRecord } from '#model';
import { Rejection } from './rejection.ts';
import { utf8 } from './utf8.ts';
import type { Wire } from './wire.ts';

/** Prefix of log messages with facts about a run; a JSON object follows. */
const prefix = new TextEncoder().encode('plotline {');

/**
 * The fact about a run in an event's LogMessage{1 level; 2 message} in `[start, end)`. Null for any
 * other message, or a malformed one. Fields of the wrong type are omitted, and strings are
 * truncated to their maximum length.
 */
export function readRunRecord(wire: Wire, start: number, end: number, wallTime: number): RunRecord | null {
  try {
    const text = messageOf(wire, start, end);
    const given: unknown = text === null || !Number.isFinite(wallTime) ? null : JSON.parse(text);
    return given === null ? null : toRecord(given as Record<string, unknown>, wallTime);
  } catch (error) {
    if (error instanceof Rejection || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The JSON of a message with facts about a run. */
function messageOf(wire: Wire, start: number, end: number): string | null {
  let [textStart, textEnd] = [start, start];
  wire.pos = start;
  while (wire.pos < end) {
    const key = wire.key(end);
    if (key !== 0x12) {
      wire.skip(key, end);
      continue;
    }
    textEnd = wire.lengthEnd(end);
    textStart = wire.pos;
    wire.pos = textEnd;
  }
  if (textEnd - textStart > limits.maxRunFactsBytes) return null;
  if (prefix.some((byte, index) => wire.buf[textStart + index] !== byte)) return null;
  return utf8(wire.buf, textStart + prefix.length - 1, textEnd);
}

/**
 * Keeps the later status, and the facts from the earlier record, which was logged at the first
 * start.
 */
export function mergeRunRecords(a: RunRecord | null, b: RunRecord): RunRecord {
  if (a === null) return b;
  const [first, last] = b.wallTime < a.wallTime ? [b, a] : [a, b];
  return { wallTime: last.wallTime, facts: first.facts ?? last.facts, status: last.status ?? first.status };
}

const statuses: readonly LoggedStatus[] = ['running', 'success', 'failure'];

function isLoggedStatus(status: unknown): status is LoggedStatus {
  return statuses.some((known) => known === status);
}

function toRecord(given: Readonly<Record<string, unknown>>, wallTime: number): RunRecord {
  const text = (name: string, maxCharacters: number = limits.maxRunFactCharacters): string | null => {
    const value = given[name];
    if (typeof value !== 'string' || value === '') return null;
    return Array.from(value.replaceAll('\0', '\u2400').toWellFormed()).slice(0, maxCharacters).join('');
  };
  const { status, labels, git_dirty: dirty, heartbeat_seconds: heartbeat } = given;
  const named = Array.isArray(labels) ? labels.filter((label): label is string => typeof label === 'string' && label !== '') : [];
  const facts: Omit<RunFacts, 'wallTime'> = {
    displayName: text('display_name', limits.maxRunDisplayNameCharacters),
    jobType: text('job_type'),
    labels: [...new Set(named.map(shortLabel))].slice(0, limits.maxLabels),
    command: text('command', limits.maxRunCommandCharacters),
    gitCommit: text('git_commit'),
    gitDirty: typeof dirty === 'boolean' ? dirty : null,
    gitBranch: text('git_branch'),
    gitRemote: text('git_remote'),
    folder: text('folder', limits.maxRunCommandCharacters),
    person: text('person'),
    host: text('host'),
    heartbeatSeconds: typeof heartbeat === 'number' && heartbeat >= 1 && heartbeat <= 86_400 ? Math.round(heartbeat) : null,
  };
  const isEmpty = Object.values(facts).every((value) => value === null || (Array.isArray(value) && value.length === 0));
  return {
    wallTime,
    facts: isEmpty ? null : { ...facts, wallTime },
    status: isLoggedStatus(status) ? { status, wallTime } : null,
  };
}

function shortLabel(label: string): string {
  return Array.from(label.replaceAll('\0', '\u2400').toWellFormed()).slice(0, limits.maxExperimentNameCharacters).join('');
}
