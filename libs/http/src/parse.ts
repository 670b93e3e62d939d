import type { z } from 'zod';
import { listIssues, maxIssues } from './list-issues.ts';
import { Problem, type ProblemCode, problemCodes } from '#model';

/**
 * Validates outside data against its schema and returns the parsed value. Use `z.strictObject` for
 * bodies and queries: unknown fields are rejected by name (`unknown-field`). A schema can choose
 * the code of its problem: `.refine(f, { params: { code: 'invalid-name' } })`. `what` names the
 * data in the detail: "the body", "the query".
 */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what = 'the body'): z.output<Schema> {
  const given = value === undefined ? {} : value;
  const early = listIssues(schema, given);
  if (early.length > 0) throw problemOf(early, what);
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw problemOf(result.error.issues, what);
}

function problemOf(issues: readonly z.core.$ZodIssue[], what: string): Problem {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.slice(0, maxIssues).map((key) => nameOf([...issue.path, key])) : [],
  );
  if (unknown.length > 0) {
    const names = unknown.slice(0, maxIssues).map(quote).join(', ');
    return new Problem(
      'unknown-field',
      `${capital(what)} has ${unknown.length === 1 ? 'an unknown field' : 'unknown fields'}: ${names}. Check the spelling, or remove ${unknown.length === 1 ? 'it' : 'them'}.`,
      {
        extra: { fields: unknown.slice(0, maxIssues).map(short) },
      },
    );
  }
  const errors = issues.slice(0, maxIssues).map((issue) => ({ field: short(nameOf(issue.path)), message: issue.message }));
  const sentences = errors.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  return new Problem(codeOf(issues), `${capital(what)} is invalid: ${sentences}.`, { extra: { errors } });
}

function codeOf(issues: readonly z.core.$ZodIssue[]): ProblemCode {
  for (const issue of issues) {
    if (issue.code !== 'custom') continue;
    const code = problemCodes.find((candidate) => candidate === issue.params?.code);
    if (code) return code;
  }
  return 'bad-request';
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
}

/** Names come from the request; a response repeats at most this much of a name. */
function short(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

function quote(name: string): string {
  return JSON.stringify(short(name));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
