import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { committedSqlFolder, statementName, statementsOf } from '#testing';

/*
 * A connection plans a prepared statement once, under its name, and the driver fails if the name is
 * reused with a different text. Statements are prepared by `prepared:` in their comment, or by
 * queryText, which composes their names from everything that changes the text.
 */

const queries = join(import.meta.dirname, 'queries');

/** The source of a file in libs/store/sql. Empty if the file is not a query. */
function sourceOf(file: string): string {
  const path = join(queries, file.replace(/\.sql$/, '.ts'));
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

const prepared = readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql'))
  .flatMap((file) => {
    const source = sourceOf(file);
    const isPrepared = (text: string): boolean =>
      text.includes('/* prepared: ') || (source.includes('/text-result.ts') && !source.includes(`/* ${statementName(text)} */`));
    return statementsOf(readFileSync(join(committedSqlFolder, file), 'utf8')).filter(isPrepared);
  });

it('a prepared statement has one text', () => {
  expect(prepared.length).toBeGreaterThan(40);
  const several = [...Map.groupBy(prepared, statementName).values()].filter(({ length }) => length > 1);
  expect(several).toEqual([]);
});

it('the name of a prepared statement is written once', () => {
  const files = readdirSync(queries, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.spec)\.ts$/.test(file));
  const names = files.flatMap((file) =>
    [...readFileSync(join(queries, file), 'utf8').matchAll(/\/\* prepared: ([a-z0-9-]+) \*\//g)].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
});
