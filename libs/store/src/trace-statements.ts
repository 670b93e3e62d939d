import type { LogEvent } from 'kysely';
import { isTracing, noteStep } from '#telemetry';

/** The name in the comment with which each of the service's statements starts or ends. */
const named = /\/\* (?:prepared: ?)?([a-z0-9-]+) \*\//;
/** Transaction statements, which have no comment. */
const control = /^\s*(begin|start transaction|commit|rollback|set transaction|savepoint)/i;

/**
 * Kysely options that add each statement to the trace of its request or job. They add its name,
 * never its text or values. Empty unless this process records traces.
 */
export function tracedStatements(): { log?: (event: LogEvent) => void } {
  return isTracing() ? { log: note } : {};
}

function note({ level, query, queryDurationMillis }: LogEvent): void {
  noteStep('statement', nameOf(query.sql), queryDurationMillis / 1_000, level === 'error');
}

/** A statement's name, or `statement` if it has none. */
export function nameOf(text: string): string {
  return named.exec(text)?.[1] ?? control.exec(text)?.[1]?.toLowerCase() ?? 'statement';
}
