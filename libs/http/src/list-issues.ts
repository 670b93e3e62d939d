import { z } from 'zod';

/** A problem lists at most this many issues. */
export const maxIssues = 10;

/**
 * Issues with the lists in a value, found before zod parses them: zod reads a list to its end and
 * records an issue for every invalid item. A list that is too long is not checked further, and a
 * list with invalid items is checked only up to the tenth.
 */
export function listIssues(schema: z.ZodType, value: unknown, path: readonly PropertyKey[] = []): z.core.$ZodIssue[] {
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? issuesOfList(schema as z.ZodArray<z.ZodType>, value, path) : [];
  if (schema instanceof z.ZodObject) {
    if (typeof value !== 'object' || value === null) return [];
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.entries(schema.shape as Record<string, z.ZodType>)
      .flatMap(([name, inner]) => (Object.hasOwn(fields, name) ? listIssues(inner, fields[name], [...path, name]) : []))
      .slice(0, maxIssues);
  }
  if (schema instanceof z.ZodPipe) return listIssues(schema.in as z.ZodType, value, path);
  if (schema instanceof z.ZodUnion) return issuesOfUnion(schema.options as readonly z.ZodType[], value, path);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return listIssues(schema.unwrap() as z.ZodType, value, path);
  return [];
}

/** Maximum number of items in a list; null if unlimited. */
function maxItemsOf(schema: z.ZodArray): number | null {
  const bounds = (schema.def.checks ?? []).flatMap(({ _zod: { def } }) =>
    def.check === 'max_length' ? [(def as z.core.$ZodCheckMaxLengthDef).maximum] : [],
  );
  return bounds.length === 0 ? null : Math.min(...bounds);
}

function issuesOfList(schema: z.ZodArray<z.ZodType>, value: readonly unknown[], path: readonly PropertyKey[]): z.core.$ZodIssue[] {
  const max = maxItemsOf(schema);
  if (max !== null && value.length > max)
    return [
      { code: 'too_big', origin: 'array', maximum: max, inclusive: true, message: `should have at most ${max} items`, path: [...path] },
    ];
  const issues: z.core.$ZodIssue[] = [];
  for (let i = 0; i < value.length && issues.length < maxIssues; i++) {
    const result = schema.element.safeParse(value[i]);
    if (!result.success) issues.push(...result.error.issues.map((issue) => ({ ...issue, path: [...path, i, ...issue.path] })));
  }
  // zod itself reports a few issues, together with the issues of the other fields.
  return issues.length < maxIssues ? [] : issues.slice(0, maxIssues);
}

/** For a union, the list option applies if the value is a list. */
function issuesOfUnion(options: readonly z.ZodType[], value: unknown, path: readonly PropertyKey[]): z.core.$ZodIssue[] {
  const found = options.map((option) => listIssues(option, value, path));
  return found.some((issues) => issues.length === 0 && !Array.isArray(value)) ? [] : (found.find((issues) => issues.length > 0) ?? []);
}
