import pg from 'pg';

/*
 * Completes statements from libs/store/sql, which write a parameter as `$n`, and a parameter list
 * as `$n, …`.
 */

/** The maximum number of elements that a list may have had after its first one. */
const longestList = 40;

/** A statement prepared on a connection. */
export interface PreparedStatement {
  /** How many parameters each shortened list got after its first one. */
  readonly lengths: readonly number[];
  /** The type of each parameter, as Postgres inferred it. */
  readonly types: readonly string[];
}

/**
 * Prepares a statement from libs/store/sql. If parameter lists were shortened, uses the first
 * lengths that Postgres accepts. If Postgres accepts none, throws its error.
 */
export async function prepareCommitted(client: pg.Client, name: string, sql: string): Promise<PreparedStatement> {
  let fault: unknown;
  for (const lengths of lengthsOf([...withoutRows(sql).matchAll(/…/g)].length)) {
    try {
      const text = completeCommitted(
        sql,
        lengths,
        Array.from({ length: 1000 }, (_, index) => `$${index + 1}`),
      );
      await client.query(`prepare ${pg.escapeIdentifier(name)} as ${text}`);
    } catch (error) {
      fault ??= error;
      continue;
    }
    const { rows } = await client.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [name],
    );
    return { lengths, types: rows[0]!.types };
  }
  throw fault;
}

/**
 * The statement with these parameters. `lengths` is the number of additional parameters for each
 * shortened list.
 */
export function completeCommitted(sql: string, lengths: readonly number[], parameters: readonly string[]): string {
  let parameter = 0;
  let list = 0;
  const next = () => parameters[parameter++]!;
  return withoutRows(sql).replaceAll(/\$n|…/g, (found) =>
    found === '$n' ? next() : Array.from({ length: lengths[list++]! }, next).join(', '),
  );
}

/** The statement without the mark for additional rows in VALUES. */
function withoutRows(sql: string): string {
  return sql.replaceAll(/\)\s*,\s*…/g, ')');
}

/** Combinations of lengths, starting with short lengths. */
function* lengthsOf(lists: number): Generator<number[]> {
  if (lists === 0) yield [];
  else if (lists === 1) for (let length = 1; length <= longestList; length++) yield [length];
  else
    for (let sum = lists; sum <= longestList; sum++)
      for (let first = 1; first <= sum - lists + 1; first++)
        for (const others of lengthsOf(lists - 1)) if (others.reduce((a, b) => a + b, first) === sum) yield [first, ...others];
}

/** A literal for each type. Every uuid is the tenant. */
export function literals(types: readonly string[], tenant: string): string[] {
  return types.map((type) => {
    const literal = pg.escapeLiteral(sampleText(type.replace(/\[\]$/, ''), tenant));
    return type.endsWith('[]') ? `array[${literal}]::${type}` : `${literal}::${type}`;
  });
}

function sampleText(type: string, tenant: string): string {
  switch (type) {
    case 'uuid':
      return tenant;
    case 'json':
    case 'jsonb':
      return '{}';
    case 'boolean':
      return 'true';
    case 'bytea':
      return String.raw`\x01`;
    case 'date':
    case 'timestamp with time zone':
      return '2026-01-01';
    case 'interval':
      return '1 day';
    default:
      return '11'; // also of an even number of hexadecimal digits
  }
}
