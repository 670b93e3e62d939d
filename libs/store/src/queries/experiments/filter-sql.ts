import { type Kysely, type RawBuilder, sql } from 'kysely';
import { currentShare, FairQueue, type Permit } from '#admission';
import { Problem } from '#model';
import type { Database } from '../../database.ts';
import { mapFilterError } from '../../store-error.ts';

export type FilterOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':' | '~' | '!~';

/**
 * A parsed filter. Field names, arguments and values are data, and are only ever used as
 * parameters.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly argument: string | null;
      readonly second?: string;
      readonly operator: FilterOperator;
      readonly value: string | number | boolean;
    };

/** One key in a sort order. */
export interface OrderKey {
  readonly field: string;
  readonly argument: string | null;
  /** Only for fields with two arguments. */
  readonly second?: string;
  readonly descending: boolean;
}

/** A field with its arguments. */
export type FieldRef = Pick<OrderKey, 'field' | 'argument' | 'second'>;

/** Whether two fields have the same name and arguments. */
export function sameField(a: FieldRef, b: FieldRef): boolean {
  return a.field === b.field && a.argument === b.argument && a.second === b.second;
}

/**
 * A field's type, which determines how it is compared: `text` (`~` accepts an advanced regular
 * expression in Postgres syntax, and `:` means contains), `number` (float64), `time` (timestamptz;
 * values are seconds since the epoch), `json` (a jsonb scalar, compared only with values of its own
 * type), or `labels` (text[]; a comparison is true if any label matches).
 */
export type FieldKind = 'text' | 'number' | 'time' | 'json' | 'labels';

/** A field that a list can be filtered or ordered by. */
export interface ListField {
  readonly kind: FieldKind;
  /** Whether the field takes an argument: `last("val/acc")` does, `name` does not. */
  readonly takesArgument: boolean;
  readonly argumentIsOptional?: true;
  /**
   * Whether the field takes a second argument, as in `value_at("loss", 1000)`. A step is an int64,
   * without leading zeros or `+`.
   */
  readonly second?: 'step' | 'text';
  /** Set if every row has a value, so that an index can order and bound rows by it. */
  readonly notNull?: true;
  /** The field's value for the row `b`. */
  value(argument: string | null, second?: string): RawBuilder<unknown>;
}

export type ListFields = Readonly<Record<string, ListField>>;

/**
 * The condition of a filter. Comparing with a missing value, or comparing sizes with NaN, is false.
 * `!=` and `!~` are true where `=` and `~` are not.
 */
export function filterSql(filter: Filter, fields: ListFields): RawBuilder<boolean> {
  if (filter.kind === 'not') return sql<boolean>`(not ${filterSql(filter.term, fields)})`;
  if (filter.kind !== 'compare') {
    const terms = filter.terms.map((term) => filterSql(term, fields));
    return sql<boolean>`(${sql.join(terms, filter.kind === 'and' ? sql` and ` : sql` or `)})`;
  }
  const field = fieldOf(fields, filter.field);
  const positive = positives[filter.operator] ?? filter.operator;
  const condition = comparisons[field.kind](field.value(filter.argument, filter.second), positive, filter.value);
  return positive === filter.operator ? sql<boolean>`coalesce(${condition}, false)` : sql<boolean>`(not coalesce(${condition}, false))`;
}

const positives: Readonly<Partial<Record<FilterOperator, FilterOperator>>> = { '!=': '=', '!~': '~' };

/**
 * The value that rows are sorted by. NaN and infinities count as missing, and missing values always
 * come last.
 */
export function orderSql(key: OrderKey, fields: ListFields): RawBuilder<unknown> {
  const field = fieldOf(fields, key.field);
  const value = field.value(key.argument, key.second);
  // nullif evaluates its argument only once, which matters if the argument is slow.
  if (field.kind === 'number') return notFinite.reduce((found, text) => sql`nullif(${found}, ${sql.lit(text)}::float8)`, value);
  // JSON lacks these numbers, so hyperparameters contain them as strings.
  if (field.kind === 'json') return notFinite.reduce((found, text) => sql`nullif(${found}, to_jsonb(${sql.lit(text)}::text))`, value);
  return field.kind === 'text' ? sql`${value} collate "C"` : value;
}

const notFinite = ['NaN', 'Infinity', '-Infinity'] as const;

/**
 * The condition for rows after the previous page's last row. Each of the `keys` has a column k0, k1
 * … in the row `b` and in that last row, `a`.
 */
export function afterSql(keys: readonly OrderKey[]): RawBuilder<boolean> {
  return beyondSql(keys, (index) => sql.ref(`a.k${index}`));
}

/**
 * Like {@link afterSql}, but in a form that bounds an index scan if `fields` states that keys are
 * never missing. `lastKey` returns the last row's value of a key, as an expression without columns.
 */
export function afterKeysSql(
  keys: readonly OrderKey[],
  fields: ListFields,
  lastKey: (index: number) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  const all = keys.map((_, index) => index);
  const given = keys.map((key) => fieldOf(fields, key.field).notNull === true);
  const [first] = keys;
  const column = (index: number) => sql.ref(`b.k${index}`);
  const side = sql.raw(first!.descending ? '<' : '>');
  if (given.every(Boolean) && keys.every((key) => key.descending === first!.descending))
    return sql<boolean>`((${sql.join(all.map(column))}) ${side} (${sql.join(all.map(lastKey))}))`;
  const beyond = beyondSql(keys, lastKey);
  return given[0] ? sql<boolean>`(${column(0)} ${side}= ${lastKey(0)} and ${beyond})` : beyond;
}

function beyondSql(keys: readonly OrderKey[], lastKey: (index: number) => RawBuilder<unknown>): RawBuilder<boolean> {
  const alternatives = keys.map((key, index) => {
    const column = (at: number) => sql.ref(`b.k${at}`);
    const same = keys.slice(0, index).map((_, at) => sql`${column(at)} is not distinct from ${lastKey(at)}`);
    const beyond = key.descending ? sql`${column(index)} < ${lastKey(index)}` : sql`${column(index)} > ${lastKey(index)}`;
    return sql`(${sql.join([...same, sql`${lastKey(index)} is not null and (${beyond} or ${column(index)} is null)`], sql` and `)})`;
  });
  return sql<boolean>`(${sql.join(alternatives, sql` or `)})`;
}

/**
 * The ORDER BY list over columns k0, k1 … of the row `b`. For keys that are never missing, nulls
 * are placed as in the table's indexes (`experiment_by_name`), read in either direction.
 */
export function orderList(keys: readonly OrderKey[], fields: ListFields = {}): RawBuilder<unknown> {
  const nulls = ({ field, descending }: OrderKey, index: number): string =>
    fields[field]?.notNull && descending !== (index === 0) ? 'first' : 'last';
  return sql.join(
    keys.map((key, index) => {
      const direction = `${key.descending ? 'desc' : 'asc'} nulls ${nulls(key, index)}`;
      return sql`${sql.ref(`b.k${index}`)} ${sql.raw(direction)}`;
    }),
  );
}

/**
 * Maximum time that Postgres may spend on a list with a filter: many terms over many rows may need
 * more time than one workspace should get. Real queries need far less. The cost of regular
 * expressions is checked beforehand (`toPostgresRegex` in #experiments).
 */
const filterTimeoutMs = 2_000;

/**
 * Runs a list query. Throws `invalid-filter` if a filter takes too long or Postgres cannot parse a
 * regular expression.
 */
export async function runFiltered<T>(trx: Kysely<Database>, filter: Filter | null, query: () => Promise<T>): Promise<T> {
  if (filter === null) return query();
  const permit = hasPattern(filter) ? await takePattern() : null;
  try {
    return await runBounded(trx, query);
  } finally {
    permit?.release();
  }
}

/**
 * At most two list queries with regular expressions run at a time, one per caller. This leaves
 * Postgres processors for other requests.
 */
const patterns = new FairQueue('patterns', 2);

function hasPattern(filter: Filter): boolean {
  if (filter.kind === 'compare') return filter.operator === '~' || filter.operator === '!~';
  return filter.kind === 'not' ? hasPattern(filter.term) : filter.terms.some(hasPattern);
}

function takePattern(): Promise<Permit> {
  return patterns
    .take(currentShare(), 1, () => AbortSignal.timeout(filterTimeoutMs))
    .catch((error: unknown) => {
      throw new Problem('rate-limited', 'Too many of your filters with regular expressions run at once. Try again in a moment.', {
        cause: error,
      });
    });
}

async function runBounded<T>(trx: Kysely<Database>, query: () => Promise<T>): Promise<T> {
  await sql`/* bound-filter */ select set_config('statement_timeout', ${String(filterTimeoutMs)}, true)`.execute(trx);
  try {
    const result = await query();
    await sql`/* unbound-filter */ select set_config('statement_timeout', '0', true)`.execute(trx);
    return result;
  } catch (error) {
    throw mapFilterError(error);
  }
}

type Value = string | number | boolean;
type Comparison = (field: RawBuilder<unknown>, operator: FilterOperator, value: Value) => RawBuilder<unknown>;

const comparisons: Readonly<Record<FieldKind, Comparison>> = {
  text: compareText,
  number: compareNumber,
  time: (field, operator, value) => compareNumber(sql`extract(epoch from ${field})::float8`, operator, value),
  json: compareJson,
  labels: (field, operator, value) =>
    sql`exists (select from unnest(${field}) as one(label) where ${compareText(sql`one.label`, operator, value)})`,
};

function compareText(field: RawBuilder<unknown>, operator: FilterOperator, value: Value): RawBuilder<unknown> {
  const text = sql`${String(value)}::text`;
  if (operator === '~') return sql`${field} ~ ${text}`;
  if (operator === ':') return sql`position(lower(${text}) in lower(${field})) > 0`;
  return sql`${field} ${sizeOperator(operator)} ${text}`;
}

/** Postgres sorts NaN above everything. Here, NaN is neither larger nor smaller than any value. */
function compareNumber(field: RawBuilder<unknown>, operator: FilterOperator, value: Value): RawBuilder<unknown> {
  const number = sql`${String(value)}::float8`;
  if (operator === '=') return sql`${field} = ${number}`;
  return sql`nullif(${field}, 'NaN'::float8) ${sizeOperator(operator)} nullif(${number}, 'NaN'::float8)`;
}

function compareJson(field: RawBuilder<unknown>, operator: FilterOperator, value: Value): RawBuilder<unknown> {
  const is = (type: string) => sql`jsonb_typeof(${field}) = ${sql.lit(type)}`;
  const text = sql`(${field} #>> '{}')`;
  if (typeof value === 'string') return sql`case when ${is('string')} then ${compareText(text, operator, value)} end`;
  if (typeof value === 'boolean') return sql`case when ${is('boolean')} then ${text} = ${String(value)} end`;
  // JSON has no NaN or infinities, so they are stored as these strings.
  return sql`case when ${is('number')} or ${text} in ('NaN', 'Infinity', '-Infinity') then ${compareNumber(sql`${text}::float8`, operator, value)} end`;
}

function sizeOperator(operator: FilterOperator): RawBuilder<unknown> {
  if (!['=', '<', '<=', '>', '>='].includes(operator)) throw new Error(`no such comparison: ${operator}`);
  return sql.raw(operator);
}

function fieldOf(fields: ListFields, name: string): ListField {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) throw new Error(`no such field: ${name}`);
  return field;
}
