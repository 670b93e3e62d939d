import pg from 'pg';

const marked = /^\s*(?:select )?\/\* prepared: ([a-z0-9-]+) \*\//;

/**
 * A connection that prepares the statements marked by a comment at their start or after their first
 * `select`, like `prepared: read-frontier`. Kysely sends only text, and parsing and planning some
 * statements takes longer than running them. Each name must have exactly one text.
 */
export class PreparingClient extends pg.Client {
  override query = ((query: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    const name = typeof query === 'string' ? marked.exec(query)?.[1] : undefined;
    if (name === undefined || !Array.isArray(values)) return send.call(this, query, values, ...rest);
    return send.call(this, { name, text: query, values }, ...rest);
  }) as typeof pg.Client.prototype.query;
}
