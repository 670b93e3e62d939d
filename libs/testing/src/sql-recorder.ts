import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

/*
 * Set-up of every medium test file: notes the text of each statement that a query file (libs/store/src/queries) sends, as Postgres gets it.
 * `sql-review.ts` compares what was noted with libs/store/sql, which is committed for review.
 */

const queryFile = /libs\/store\/src\/queries\/((?:maintenance\/)?[a-z0-9-]+)\.ts/;
/** The file that each text came from, null where it was none: a stack trace costs more than most queries, so one is made for each text. */
const origins = new Map<string, string | null>();

/** The query file stands behind the query builder's and the driver's frames. */
const framesToQueryFile = 60;

function originOf(text: string): string | null {
  const known = origins.get(text);
  if (known !== undefined) return known;
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = framesToQueryFile;
  const origin = queryFile.exec(new Error('where').stack ?? '')?.[1] ?? null;
  Error.stackTraceLimit = usual;
  origins.set(text, origin);
  return origin;
}

/** The text of anything that `Client.query` takes. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return null;
  if ('text' in query && typeof query.text === 'string') return query.text;
  return null;
}

type Query = (...args: unknown[]) => unknown;

/** Test files of one process follow one another with one driver, which is changed once. */
function record(): Map<string, Set<string>> {
  const send = pg.Client.prototype.query as Query & { readonly noted?: Map<string, Set<string>> };
  if (send.noted) return send.noted;
  const noted = new Map<string, Set<string>>();
  const query: Query = function (this: pg.Client, ...args) {
    const text = textOf(args[0]);
    const file = text === null ? null : originOf(text);
    if (text !== null && file !== null) noted.set(file, (noted.get(file) ?? new Set()).add(text));
    return send.apply(this, args);
  };
  pg.Client.prototype.query = Object.assign(query, { noted }) as unknown as typeof pg.Client.prototype.query;
  return noted;
}

const noted = record();

afterAll(() => {
  const folder = inject('notedSqlFolder');
  if (noted.size === 0) return;
  mkdirSync(folder, { recursive: true });
  const statements = Object.fromEntries([...noted].map(([file, texts]) => [file, [...texts]]));
  writeFileSync(join(folder, `${process.pid}-${crypto.randomUUID()}.json`), JSON.stringify(statements));
  noted.clear();
});
