import { expect, it } from 'vitest';
import { nameOf, tracedStatements } from './trace-statements.ts';

it('names statements by their comment and those of transactions by their first word, never by their text', () => {
  expect(nameOf('/* count-blobs */ select 1')).toBe('count-blobs');
  expect(nameOf('select $1 /* prepared:claim-run */')).toBe('claim-run');
  expect(nameOf('/* prepared: read-segments */ select')).toBe('read-segments');
  expect(nameOf('begin isolation level repeatable read')).toBe('begin');
  expect(nameOf('COMMIT')).toBe('commit');
  expect(nameOf("select 'secret'")).toBe('statement');
});

it('adds nothing to Kysely while nothing is recorded', () => expect(tracedStatements()).toEqual({}));
