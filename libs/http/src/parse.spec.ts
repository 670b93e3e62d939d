import { expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from '#model';
import { parse } from './parse.ts';

const schema = z.strictObject({
  name: z.string().refine((name) => name !== 'bad', { message: 'is bad', params: { code: 'invalid-name' } }),
  deep: z.strictObject({ list: z.array(z.int()) }).optional(),
});
const problemOf = (value: unknown): Problem => {
  try {
    parse(schema, value, 'the query');
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('nothing was refused');
};

it('gives back what the schema makes of a value', () => {
  expect(parse(z.strictObject({ n: z.string().transform(Number) }), { n: '7' })).toEqual({ n: 7 });
});

it('takes no body for an empty one, and null for what it is', () => {
  expect(parse(z.strictObject({ n: z.int().optional() }), undefined)).toEqual({});
  expect(problemOf(null).code).toBe('bad-request');
});

it('names unknown fields where they are, before anything else that is wrong', () => {
  expect(problemOf({ nmae: 'a', deep: { list: [], extra: 1 } })).toMatchObject({
    code: 'unknown-field',
    extra: { fields: ['deep.extra', 'nmae'] },
  });
  expect(problemOf({ name: 'a', ['x'.repeat(5000)]: 1 }).message.length).toBeLessThan(300);
});

it('says what is wrong with which field, and takes the code that the schema chose', () => {
  expect(problemOf({ name: 'a', deep: { list: [1, 'x'] } })).toMatchObject({
    code: 'bad-request',
    extra: { errors: [{ field: 'deep.list[1]' }] },
  });
  expect(problemOf({ name: 'bad' })).toMatchObject({ code: 'invalid-name', message: 'The query cannot be used: name: is bad.' });
  expect(problemOf(undefined)).toMatchObject({ code: 'bad-request' });
  expect(problemOf([])).toMatchObject({ code: 'bad-request' });
});
