import ts from 'typescript';
import type { ResultColumn } from '#testing';

/** The JavaScript type that node-postgres returns for a column; null: any JSON value. */
const parsed: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | null>> = {
  boolean: 'boolean',
  bytea: 'Buffer',
  bigint: 'string',
  numeric: 'string',
  text: 'string',
  uuid: 'string',
  pg_lsn: 'string',
  name: 'string',
  void: 'string',
  smallint: 'number',
  integer: 'number',
  oid: 'number',
  float8: 'number',
  date: 'Date',
  timestamp: 'Date',
  timestamptz: 'Date',
  json: null,
  jsonb: null,
};

/**
 * Returns the differences between a row's declared type and the columns that Postgres describes:
 * missing columns, columns that the type lacks, and columns of another type. Postgres does not
 * report which columns may be null.
 */
export function rowFaults(row: ts.Type, columns: readonly ResultColumn[], checker: ts.TypeChecker): string[] {
  const declared = new Map(checker.getPropertiesOfType(row).map((property) => [property.name, checker.getTypeOfSymbol(property)]));
  const isOpen = checker.getIndexInfosOfType(row).length > 0; // with any columns
  const missing = [...declared.keys()].filter((name) => !columns.some((column) => column.name === name));
  return [
    ...missing.map((name) => `the result has no column ${name}`),
    ...columns.flatMap((column) => {
      const type = declared.get(column.name);
      if (!type && isOpen) return [];
      if (!type) return [`the row type lacks the column ${column.name}`];
      return holds(checker.getNonNullableType(type), column.type, checker)
        ? []
        : [`${column.name} is ${column.type}, not ${checker.typeToString(type)}`];
    }),
  ];
}

function holds(type: ts.Type, column: string, checker: ts.TypeChecker): boolean {
  if (type.flags & ts.TypeFlags.Unknown) return true; // the caller checks it
  if (column.endsWith('[]')) {
    const element = checker.isArrayLikeType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
    return element !== undefined && holds(checker.getNonNullableType(element), column.slice(0, -'[]'.length), checker);
  }
  const wanted = parsed[column];
  if (wanted === undefined) throw new Error(`no such type of a column here: ${column}`);
  if (wanted === null) return true;
  if (wanted === 'Date' || wanted === 'Buffer')
    return type.symbol?.name === wanted || (wanted === 'Buffer' && type.symbol?.name === 'Uint8Array');
  const primitive = { string: checker.getStringType(), number: checker.getNumberType(), boolean: checker.getBooleanType() }[wanted];
  return checker.isTypeAssignableTo(type, primitive);
}
