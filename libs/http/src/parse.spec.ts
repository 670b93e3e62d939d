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

it('returns the value as the schema transforms it', () => {
  expect(parse(z.strictObject({ n: z.string().transform(Number) }), { n: '7' })).toEqual({ n: 7 });
});

it('distinguishes a missing body from an empty one, and keeps null', () => {
  expect(parse(z.strictObject({ n: z.int().optional() }), undefined)).toEqual({});
  expect(problemOf(null).code).toBe('bad-request');
});

it('reports unknown fields with their path, before any other error', () => {
  expect(problemOf({ nmae: 'a', deep: { list: [], extra: 1 } })).toMatchObject({
    code: 'unknown-field',
    extra: { fields: ['deep.extra', 'nmae'] },
  });
  expect(problemOf({ name: 'a', ['x'.repeat(5000)]: 1 }).message.length).toBeLessThan(300);
});

it('reports each field with its error, and uses the code that the schema chose', () => {
  expect(problemOf({ name: 'a', deep: { list: [1, 'x'] } })).toMatchObject({
    code: 'bad-request',
    extra: { errors: [{ field: 'deep.list[1]' }] },
  });
  expect(problemOf({ name: 'bad' })).toMatchObject({ code: 'invalid-name', message: 'The query is invalid: name: is bad.' });
  expect(problemOf(undefined)).toMatchObject({ code: 'bad-request' });
  expect(problemOf([])).toMatchObject({ code: 'bad-request' });
});

it('checks a list no further than its bound, or its tenth error', () => {
  let walked = 0;
  const item = z.string().refine(() => ++walked > 0);
  const lists = z.strictObject({
    runs: z.array(item).max(1_000).optional(),
    either: z.union([item.transform((one) => [one]), z.array(item).max(1_000)]).optional(),
    deep: z.strictObject({ labels: z.array(item).max(1_000).default([]) }).optional(),
  });
  const rejection = (value: unknown): Problem => {
    try {
      parse(lists, value);
    } catch (error) {
      if (error instanceof Problem) return error;
    }
    throw new Error('nothing was refused');
  };
  const long = Array.from({ length: 1_001 }, () => 'x');
  for (const value of [{ runs: long }, { either: long }, { deep: { labels: long } }]) {
    expect(rejection(value).message).toContain('should have at most 1000 items');
    expect(walked).toBe(0);
  }
  const wrong = [...Array.from({ length: 500 }, () => 1), ...Array.from({ length: 500 }, () => 'x')];
  for (const value of [{ runs: wrong }, { either: wrong }, { deep: { labels: wrong } }]) {
    expect((rejection(value).extra['errors'] as unknown[]).length).toBe(10);
    expect(walked).toBe(0);
  }
  expect(parse(lists, { runs: long.slice(1), either: 'x' })).toMatchObject({ either: ['x'] });
});
