import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

/*
 * Setup of every medium test file: records the text of each statement that a query file
 * (libs/store/src/queries) sends, as Postgres receives it. `sql-review.ts` compares these with
 * libs/store/sql, which is committed for review.
 */

const queryFile = /libs\/store\/src\/queries\/(?!filter-sql\.)((?:maintenance\/)?[a-z0-9-]+)\.ts/;
/**
 * The source file of each text, null if there is none: a stack trace costs more than most queries,
 * so only one is taken per text.
 */
const origins = new Map<string, string | null>();

/**
 * The query file comes after the frames of the query builder, the driver, and filter-sql.ts, which
 * runs the list queries of other files.
 */
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

/** The text of any argument of `Client.query`. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null) return null;
  if ('text' in query && typeof query.text === 'string') return query.text;
  return null;
}

type Query = (...args: unknown[]) => unknown;

/** All test files of a process share the driver; it is patched once. */
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
