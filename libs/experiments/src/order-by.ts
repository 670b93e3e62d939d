import { Problem } from '#model';
import type { ListFields, OrderKey } from '#store';
import { fieldNamed, formOf, secondArgument } from './field-named.ts';
import { wordsOf } from './filter-text.ts';

const maxKeys = 4;

/** By id, which no two experiments share, so every order of an experiment list ends with it. */
export const byId: OrderKey = { field: 'id', argument: null, descending: false };

/** The default order of experiments. */
export const newestFirst: readonly OrderKey[] = [{ field: 'created', argument: null, descending: true }, byId];

/**
 * Parses an order: `name`, `created desc`, `last("val/acc") desc, name`. Rows without a value come
 * last. `last` is a unique key, which is added at the end.
 */
export function parseOrderBy(text: string, fields: ListFields, last: OrderKey): OrderKey[] {
  const keys = readKeys(text, fields);
  return keys.some((key) => key.field === last.field) ? keys : [...keys, last];
}

/**
 * Parses the order of an experiment list. Ties are sorted in the direction of the last field, so
 * that one index by that field serves both directions.
 */
export function parseExperimentOrder(text: string, fields: ListFields): OrderKey[] {
  return parseOrderBy(text, fields, { ...byId, descending: readKeys(text, fields).at(-1)!.descending });
}

function readKeys(text: string, fields: ListFields): OrderKey[] {
  const keys = splitAtCommas(text).map((part) => readKey(part, fields));
  if (keys.length > maxKeys) throw new Problem('invalid-filter', `A list can be sorted by at most ${maxKeys} fields.`);
  return keys;
}

/**
 * Parses the fields whose values a list includes, one per string: `duration`, `last("val/acc")`.
 * Throws `invalid-filter` for fields that are neither numbers nor text.
 */
export function parseFields(texts: readonly string[], fields: ListFields): Pick<OrderKey, 'field' | 'argument' | 'second'>[] {
  return texts.map((text) => {
    const { descending, ...ref } = readKey(text, fields, 'value');
    if (descending || fields[ref.field]!.kind === 'time') throw cannotOrder(text, fields, 'value');
    return ref;
  });
}

function readKey(text: string, fields: ListFields, what = 'order_by'): OrderKey {
  const [field, ...rest] = wordsOf(text, what);
  const named = field?.kind === 'name' ? fieldNamed(field.text, fields) : null;
  const known = named?.field;
  if (!named || !known || known.kind === 'labels') throw cannotOrder(text, fields, what);
  let { argument } = named;
  let second: string | undefined;
  if (known.takesArgument && argument === null && !(known.argumentIsOptional && rest[0]?.text !== '(')) {
    const [open, name] = rest.splice(0, 2);
    if (open?.text !== '(' || !name || (name.kind !== 'text' && name.kind !== 'name')) throw cannotOrder(text, fields, what);
    argument = name.text;
    if (known.second !== undefined) {
      const [comma, other] = rest.splice(0, 2);
      second = comma?.text === ',' && other ? secondArgument(other, known) : undefined;
      if (second === undefined) throw cannotOrder(text, fields, what);
    }
    if (rest.shift()?.text !== ')') throw cannotOrder(text, fields, what);
  }
  const [direction, end] = rest;
  const word = direction?.kind === 'name' ? direction.text.toLowerCase() : '';
  if (direction?.kind !== 'end' && !((word === 'asc' || word === 'desc') && end?.kind === 'end')) throw cannotOrder(text, fields, what);
  return { field: named.name, argument, ...(second !== undefined && { second }), descending: word === 'desc' };
}

/** Splits at the commas outside quotes and parentheses. */
function splitAtCommas(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|./gs)) {
    if (piece === '(') depth++;
    else if (piece === ')') depth--;
    if (piece === ',' && depth <= 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

function cannotOrder(text: string, fields: ListFields, what = 'order_by'): Problem {
  const names = Object.entries(fields).flatMap(([name, field]) => (field.kind === 'labels' ? [] : [formOf(name, field)]));
  return new Problem(
    'invalid-filter',
    `${what} cannot be read at ${JSON.stringify(text.trim().slice(0, 80))}: use ${names.join(', ')}${what === 'order_by' ? ', each optionally followed by "desc", separated by commas' : ''}.`,
  );
}
