import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

/*
 * Set-up of every medium test file: notes the text of each statement that a query file (libs/store/src/queries) sends, as Postgres gets it.
 * `sql-review.ts` compares what was noted with libs/store/sql, which is committed for review.
 */

const queryFile = /libs\/store\/src\/queries\/((?:maintenance\/)?[a-z0-9-]+)\.ts/;
const noted = new Map<string, Set<string>>();

// The query file stands behind the query builder's and the driver's frames.
Error.stackTraceLimit = 60;

/** The text of anything that `Client.query` takes. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return null;
  if ('text' in query && typeof query.text === 'string') return query.text;
  return null;
}

const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
  const text = textOf(args[0]);
  const file = text === null ? undefined : queryFile.exec(new Error('where').stack ?? '')?.[1];
  if (text !== null && file !== undefined) noted.set(file, (noted.get(file) ?? new Set()).add(text));
  return send.apply(this, args);
} as typeof pg.Client.prototype.query;

afterAll(() => {
  const folder = inject('notedSqlFolder');
  if (noted.size === 0) return;
  mkdirSync(folder, { recursive: true });
  const statements = Object.fromEntries([...noted].map(([file, texts]) => [file, [...texts]]));
  writeFileSync(join(folder, `${process.pid}-${crypto.randomUUID()}.json`), JSON.stringify(statements));
  noted.clear();
});
