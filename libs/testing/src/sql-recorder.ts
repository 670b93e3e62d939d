import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { type NotedStatement, statementName } from './sql-review.ts';

/*
 * Setup for every medium test file. Records each named statement (all statements in libs/store have
 * names) as Postgres receives it, with the result columns that Postgres describes. `sql-review.ts`
 * compares these with libs/store/sql, which is committed for review.
 */

/** The text in any argument of `Client.query`. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return null;
  if ('text' in query && typeof query.text === 'string') return query.text;
  return null;
}

/** The names of result types, by OID. Queries' row types contain no others. */
const typeNames: Readonly<Record<number, string>> = {
  16: 'boolean',
  17: 'bytea',
  19: 'name',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  26: 'oid',
  114: 'json',
  701: 'float8',
  1000: 'boolean[]',
  1001: 'bytea[]',
  1005: 'smallint[]',
  1007: 'integer[]',
  1009: 'text[]',
  1016: 'bigint[]',
  1022: 'float8[]',
  1043: 'text',
  1082: 'date',
  1114: 'timestamp',
  1184: 'timestamptz',
  1700: 'numeric',
  2278: 'void',
  2950: 'uuid',
  2951: 'uuid[]',
  3220: 'pg_lsn',
  3802: 'jsonb',
};

type Query = (...args: unknown[]) => unknown;

/** Records a statement once its result has arrived. Failed statements are not recorded. */
function note(noted: Map<string, NotedStatement>, text: string, result: unknown): void {
  if (!(result instanceof Promise)) {
    noted.set(text, { text, columns: [] }); // COPY
    return;
  }
  result.then(
    ({ fields }: pg.QueryResult) => {
      const columns = fields.map(({ name, dataTypeID }) => ({ name, type: typeNames[dataTypeID] ?? `oid ${dataTypeID}` }));
      noted.set(text, { text, columns });
    },
    () => undefined, // the caller reports it
  );
}

/** All test files of a process share the driver, so it is patched once. */
function record(): Map<string, NotedStatement> {
  const send = pg.Client.prototype.query as Query & { readonly noted?: Map<string, NotedStatement> };
  if (send.noted) return send.noted;
  const noted = new Map<string, NotedStatement>();
  const query: Query = function (this: pg.Client, ...args) {
    const text = textOf(args[0]);
    const result = send.apply(this, args);
    if (text !== null && !noted.has(text) && statementName(text) !== null) note(noted, text, result);
    return result;
  };
  pg.Client.prototype.query = Object.assign(query, { noted }) as unknown as typeof pg.Client.prototype.query;
  return noted;
}

const noted = record();

afterAll(() => {
  const folder = inject('notedSqlFolder');
  if (noted.size === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}-${crypto.randomUUID()}.json`), JSON.stringify([...noted.values()]));
  noted.clear();
});
