import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule, parseSync } from 'libpg-query';
import { expect, it } from 'vitest';
import { committedSqlFolder, statementsOf } from '#testing';

/*
 * A row without an id gets one from a sequence that all workspaces share. The id reveals to a
 * workspace how many rows other workspaces created. Older versions do this; no statement in this
 * version does.
 */

const columns: Readonly<Record<string, string>> = { run: 'run_id', event_file: 'file_id', series: 'series_id', audit_entry: 'entry_id' };

interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly override: string;
}

function insertsOf(node: unknown): Insert[] {
  if (Array.isArray(node)) return node.flatMap(insertsOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([kind, value]) => {
    if (kind !== 'InsertStmt') return insertsOf(value);
    const insert = value as {
      readonly relation: { readonly relname: string };
      readonly cols?: readonly { readonly ResTarget: { readonly name: string } }[];
      readonly override: string;
    };
    const { relation, cols = [], override } = insert;
    return [
      { table: relation.relname, columns: cols.map(({ ResTarget }) => ResTarget.name), override },
      ...insertsOf(Object.values(insert)),
    ];
  });
}

it('every statement that creates a run, a file, a series or an audit entry sets its id', async () => {
  await loadModule();
  const texts = readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .flatMap((name) => statementsOf(readFileSync(join(committedSqlFolder, name), 'utf8')));
  const inserts = texts
    .map((text) => text.replaceAll(/,\s*…/g, '').replaceAll('$n', '$1'))
    .flatMap((text) => insertsOf(parseSync(text)))
    .filter(({ table }) => Object.hasOwn(columns, table));
  expect(new Set(inserts.map(({ table }) => table))).toEqual(new Set(Object.keys(columns)));
  for (const insert of inserts) {
    expect(insert.columns).toContain(columns[insert.table]);
    expect(insert.override).toBe('OVERRIDING_SYSTEM_VALUE');
  }
});
