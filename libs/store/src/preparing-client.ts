import pg from 'pg';

const marked = /^\s*(?:select )?\/\* prepared: ([a-z0-9-]+) \*\//;

/**
 * A connection that prepares the statements that ask for it, by a comment at their beginning or behind their first `select`: `prepared: read-frontier`.
 * Kysely sends text only, and parsing and planning some statements takes longer than running them. One name, one text.
 */
export class PreparingClient extends pg.Client {
  override query = ((query: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
    const name = typeof query === 'string' ? marked.exec(query)?.[1] : undefined;
    if (name === undefined || !Array.isArray(values)) return send.call(this, query, values, ...rest);
    return send.call(this, { name, text: query, values }, ...rest);
  }) as typeof pg.Client.prototype.query;
}
