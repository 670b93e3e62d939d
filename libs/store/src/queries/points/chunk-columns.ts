/** The cells' array columns, without the prefix of their level (`c64_`, `c512_`). */
export const cellColumns = [
  'first_step',
  'last_step',
  'min_step',
  'max_step',
  'min_at',
  'max_at',
  'wall',
  'first',
  'last',
  'min',
  'max',
  'first8',
  'last8',
  'min8',
  'max8',
] as const;

/** The cell columns of both levels. */
export const rollupColumns = [...cellColumns.map((name) => `c64_${name}`), ...cellColumns.map((name) => `c512_${name}`)];

const summaryColumns = [
  'tenant_id',
  'series_id',
  'file_id',
  'first_ordinal',
  'superseded',
  'after_offset',
  'count',
  'nan_count',
  'first_step',
  'last_step',
  'stride',
  'min_step',
  'max_step',
  'first_wall',
  'last_wall',
  'min_wall',
  'max_wall',
  'first_value',
  'last_value',
  'min_value',
  'max_value',
] as const;

/** All columns of `scalar_chunk`. */
export const chunkColumns = [...summaryColumns, ...rollupColumns, 'body'];
