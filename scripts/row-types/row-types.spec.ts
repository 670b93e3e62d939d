import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { committedSqlFolder, describedColumns, type ResultColumn, statementsOf } from '#testing';
import { rowFaults } from './row-faults.ts';
import { type QueryFiles, readQueryFiles } from './sent-statements.ts';

/*
 * The rows of hand-written SQL have the declared types. libs/store/sql contains the columns of each
 * statement as Postgres described them in a medium test, which fails when they change.
 */

/** Statements whose columns are not committed, with the reason. */
const composed = 'composed-sql.spec.ts samples the text without a database';
const notDescribed: Readonly<Record<string, string>> = {
  'list-runs-keyed': composed,
  'count-selected-runs': composed,
  'count-runs': composed,
  'list-experiments': composed,
  summarize: composed,
};

const described = new Map<string, (readonly ResultColumn[])[]>();
for (const file of readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sql'))) {
  for (const statement of statementsOf(readFileSync(join(committedSqlFolder, file), 'utf8'))) {
    const { name, columns } = describedColumns(statement);
    described.set(name, [...(described.get(name) ?? []), columns]);
  }
}

describe('the statements of libs/store/src/queries', () => {
  let files: QueryFiles;
  beforeAll(() => {
    files = readQueryFiles(join(import.meta.dirname, '../..'));
  }, 300_000);

  it('have a name each, in a comment of their text', () => {
    expect(files.statements.length).toBeGreaterThan(400);
    expect(files.statements.filter(({ name }) => name === null).map(({ place }) => place)).toEqual([]);
  });

  it('share no name', () => {
    const places = Map.groupBy(files.statements, ({ name }) => name);
    expect([...places].filter(([, all]) => new Set(all.map(({ place }) => place)).size > 1).map(([name]) => name)).toEqual([]);
  });

  it('return rows of their declared types', () => {
    const typed = files.statements.filter(({ row }) => row !== null);
    expect(typed.length).toBeGreaterThan(150);
    const faults = typed.flatMap(({ place, name, row }) => {
      if (name !== null && name in notDescribed) return [];
      const results = described.get(name ?? '');
      if (!results) return [`${place} ${name}: no medium test sends it`];
      return results.flatMap((columns) => rowFaults(row!, columns, files.checker).map((fault) => `${place} ${name}: ${fault}`));
    });
    expect([...new Set(faults)]).toEqual([]);
  });

  it('fail if a column has another name or type', () => {
    const { row } = files.statements.find(({ name }) => name === 'lock-files')!;
    const columns = described.get('lock-files')![0]!;
    const renamed = columns.map((column) => (column.name === 'durable_offset' ? { ...column, name: 'offset' } : column));
    expect(rowFaults(row!, renamed, files.checker)).toEqual([
      'the result has no column durable_offset',
      'the row type lacks the column offset',
    ]);
    const retyped = columns.map((column) => (column.name === 'durable_offset' ? { ...column, type: 'integer' } : column));
    expect(rowFaults(row!, retyped, files.checker)).toEqual(['durable_offset is integer, not string']);
  });
});
