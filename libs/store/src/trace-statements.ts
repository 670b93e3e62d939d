import type { LogEvent } from 'kysely';
import { isTracing, noteStep } from '#telemetry';

/** The name in the comment that each statement of the service starts or ends with. */
const named = /\/\* (?:prepared: ?)?([a-z0-9-]+) \*\//;
/** Statements of transactions, which have no comment. */
const control = /^\s*(begin|start transaction|commit|rollback|set transaction|savepoint)/i;

/**
 * Options of Kysely that add each statement to the trace of its request or job, by its name: never
 * its text or its values. Empty unless this process records traces.
 */
export function tracedStatements(): { log?: (event: LogEvent) => void } {
  return isTracing() ? { log: note } : {};
}

function note({ level, query, queryDurationMillis }: LogEvent): void {
  noteStep('statement', nameOf(query.sql), queryDurationMillis / 1_000, level === 'error');
}

/** The name of a statement; `statement` if it has none. */
export function nameOf(text: string): string {
  return named.exec(text)?.[1] ?? control.exec(text)?.[1]?.toLowerCase() ?? 'statement';
}
