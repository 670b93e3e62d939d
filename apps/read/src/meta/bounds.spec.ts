import { expect, it } from 'vitest';
import { openApiDocument, routeDocs } from './openapi.ts';

/*
 * Every string, list and number in a request is limited, so no body causes more work than its size
 * justifies (docs/security.md).
 */

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The positions in a JSON Schema that lack a limit. */
function unbounded(schema: unknown, place: string): string[] {
  if (!isObject(schema)) return [];
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []));
  const faults = inner.flatMap((one, i) => unbounded(one, `${place}|${i}`));
  if ('const' in schema || Array.isArray(schema['enum'])) return faults;
  const type = schema['type'];
  if (type === undefined && inner.length === 0) faults.push(`${place}: has no type`);
  if (type === 'string' && schema['format'] !== 'binary' && schema['format'] !== 'uuid' && typeof schema['maxLength'] !== 'number')
    faults.push(`${place}: a text without maxLength`);
  if ((type === 'integer' || type === 'number') && schema['format'] !== 'int64') {
    if (typeof schema['minimum'] !== 'number') faults.push(`${place}: a number without minimum`);
    if (typeof schema['maximum'] !== 'number') faults.push(`${place}: a number without maximum`);
  }
  if (type === 'array') {
    if (typeof schema['maxItems'] !== 'number') faults.push(`${place}: a list without maxItems`);
    faults.push(...unbounded(schema['items'], `${place}[]`));
  }
  if (type === 'object') {
    if (schema['additionalProperties'] !== false) faults.push(`${place}: takes any field`);
    for (const [name, one] of Object.entries((schema['properties'] ?? {}) as Json)) faults.push(...unbounded(one, `${place}.${name}`));
  }
  return faults;
}

it('every text, list and number of every request has a bound', () => {
  const faults: string[] = [];
  let walked = 0;
  for (const [path, operations] of Object.entries(
    openApiDocument('https://plots.example')['paths'] as Record<string, Record<string, Json>>,
  )) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const body = (operation['requestBody'] ?? { content: {} }) as { content: Record<string, { schema: unknown }> };
      for (const { schema } of Object.values(body.content)) faults.push(...unbounded(schema, `${name} body`));
      for (const parameter of operation['parameters'] as { name: string; schema: unknown }[])
        faults.push(...unbounded(parameter.schema, `${name} ?${parameter.name}`));
      walked++;
    }
  }
  expect(walked).toBe(routeDocs.length);
  expect(faults).toEqual([]);
});

it('the schema walk finds unbounded values', () => {
  expect(
    unbounded(
      {
        type: 'object',
        properties: {
          text: { type: 'string' },
          list: {
            type: 'array',
            items: {
              anyOf: [
                { type: 'integer', minimum: 0 },
                { type: 'string', maxLength: 1 },
              ],
            },
          },
          any: {},
        },
      },
      'body',
    ),
  ).toEqual([
    'body: takes any field',
    'body.text: a text without maxLength',
    'body.list: a list without maxItems',
    'body.list[]|0: a number without maximum',
    'body.any: has no type',
  ]);
});
