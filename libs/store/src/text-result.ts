/**
 * Reads results in Postgres' text format without the driver's parsers, which take 660 ns an array element; this takes 50 a float64 and 25
 * an integer. (The driver's binary mode is no way out: it decodes every field as UTF-8, so bytes do not survive.)
 */
import type pg from 'pg';

/** A row as it came: text, null for null. */
export type TextRow = readonly (string | null)[];

/** A prepared statement. The name makes the server keep its plan: one name, one text. Without one it is planned for its values. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

const asText: pg.CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/** Runs a prepared statement and gives back its rows undecoded. */
export async function queryText(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly (string | number | boolean | null)[],
): Promise<TextRow[]> {
  const { rows } = await client.query<(string | null)[]>({ ...statement, values: [...values], rowMode: 'array', types: asText });
  return rows;
}

/**
 * An array parameter of a statement whose plan should be made once. Without the subselect the planner looks into each array, finds the
 * plan for just these values cheaper, and plans again at every call (1 ms for the large statements).
 */
export function parameter(number: number, type: 'int4' | 'int8' | 'text' | 'boolean'): string {
  return `(select $${number}::${type}[])`;
}

/** An array of numbers as a parameter. */
export function arrayParameter(values: ArrayLike<number | bigint | string>): string {
  return `{${Array.prototype.join.call(values, ',')}}`;
}

/** `string_agg(int8send(x), '')`: the bytes of many int8. */
export function readInt64s(field: string): BigInt64Array {
  const bytes = hostOrder(field);
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
}

/** `string_agg(float8send(x), '')`: the bytes of many float8. */
export function readFloat64s(field: string): Float64Array {
  const bytes = hostOrder(field);
  return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
}

function hostOrder(field: string): Buffer {
  const bytes = Buffer.alloc((field.length - 2) / 2); // of its own, so that it is aligned
  bytes.write(field.slice(2), 'hex');
  return bytes.swap64();
}

/** bytea in its hexadecimal form. */
export function readBytes(field: string): Buffer {
  return Buffer.from(field.slice(2), 'hex');
}
