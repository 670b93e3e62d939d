/** Reads tensors and blob sequences from series, selecting a few of each on the server. */
import type { DtypeName, FileId, SeriesId } from '#model';
import { arrayParameter, queryText, readBytes, type Statement, type TextRow } from '../../text-result.ts';
import type { Snapshot } from '../../scope.ts';

/** Selects values from series. Steps include both ends. */
export interface ValueRequest {
  readonly seriesIds: readonly SeriesId[];
  readonly from: bigint;
  readonly to: bigint;
  /** Maximum number of values per series. */
  readonly points: number;
  /**
   * `even` selects the first value, the last value, and evenly spaced values between them (if only
   * one, the last). `tail` selects the values with the largest steps.
   */
  readonly pick: 'even' | 'tail';
  /**
   * Whether to include superseded values. If so, all values are in log order, not in step order.
   */
  readonly superseded: boolean;
}

/** A value's position and time, and the number of values that it was selected from. */
export interface PickedValue {
  /** Index in `seriesIds`. */
  readonly series: number;
  readonly total: number;
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly superseded: boolean;
}

export interface PickedTensor extends PickedValue {
  readonly dtype: DtypeName;
  readonly shape: readonly number[];
  readonly bytes: number;
  /** Null if the bytes are in the blob store, under `objectKey`. */
  readonly body: Buffer | null;
  readonly objectKey: string | null;
}

export interface PickedBlobSequence extends PickedValue {
  /** SHA-256 of each blob, in hexadecimal. Null for a hole. */
  readonly sha256: readonly (string | null)[];
  readonly bytes: readonly number[];
}

/** The selected tensors, ordered by series and then as requested. */
export async function readTensors(snapshot: Snapshot, request: ValueRequest): Promise<PickedTensor[]> {
  const rows = await run(snapshot, tensorStatements, request);
  return rows.map((row) => ({
    ...placeOf(row),
    dtype: row[7] as DtypeName,
    shape: row[8] === '{}' ? [] : (JSON.parse(`[${row[8]!.slice(1, -1)}]`) as number[]),
    bytes: Number(row[9]),
    body: row[10] ? readBytes(row[10]) : null,
    objectKey: row[11]!,
  }));
}

/**
 * The number of bytes that {@link readTensors} would read from rows and the blob store, without
 * reading them.
 */
export async function countTensorBytes(snapshot: Snapshot, request: ValueRequest): Promise<{ values: number; bytes: number }> {
  const rows = await run(snapshot, tensorCounts, request);
  return { values: Number(rows[0]![0]), bytes: Number(rows[0]![1]) };
}

/** The selected blob sequences, ordered by series and then as requested. */
export async function readBlobSequences(snapshot: Snapshot, request: ValueRequest): Promise<PickedBlobSequence[]> {
  const rows = await run(snapshot, blobStatements, request);
  return rows.map((row) => ({
    ...placeOf(row),
    sha256: row[7]!.match(/[0-9a-f]{64}|NULL/g)?.map((hash) => (hash === 'NULL' ? null : hash)) ?? [],
    bytes:
      row[8] === '{}'
        ? []
        : row[8]!
            .slice(1, -1)
            .split(',')
            .map((bytes) => (bytes === 'NULL' ? 0 : Number(bytes))),
  }));
}

type ValueRow = readonly [series: string, total: string, fileId: FileId, ...TextRow];

function placeOf(row: ValueRow): PickedValue {
  return {
    series: Number(row[0]) - 1,
    total: Number(row[1]),
    fileId: row[2],
    ordinal: Number(row[3]),
    step: BigInt(row[4]!),
    wallTime: Number(row[5]),
    superseded: row[6] === 't',
  };
}

type Statements = Readonly<Record<'effective' | 'all', Statement>>;

function run({ client, tenantId }: Snapshot, statements: Statements, request: ValueRequest): Promise<ValueRow[]> {
  return queryText<ValueRow>(client, statements[request.superseded ? 'all' : 'effective'], [
    tenantId,
    arrayParameter(request.seriesIds),
    request.from.toString(),
    request.to.toString(),
    request.points,
    request.pick === 'tail',
  ]);
}

/**
 * Rank `p.rank` of `p.total` is selected if it is the last rank or one of the evenly spaced ranks
 * floor(j · (total − 1) / (points − 1)).
 */
const picked = `
  case when p.total <= $5 then true when $6 then p.rank >= p.total - $5 when $5 = 1 then p.rank = p.total - 1
    else ((p.rank * ($5 - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($5 - 1) = p.rank end`;

function statementsFor(name: string, table: string, columns: string, output: string, order: string): Statements {
  const text = (rank: string, from: string, where: string): string => `
select ${output}
from unnest($2::int8[]) with ordinality q(series_id, no),
lateral (
  select v.file_id, v.ordinal, v.step, v.wall_time, v.superseded, ${columns}, ${rank} - 1 as rank, count(*) over () as total
  from ${from}
  where v.tenant_id = $1 and v.series_id = q.series_id and v.step between $3::int8 and $4::int8 ${where}
) p
where ($5::int8 is not null and $6::boolean is not null) and ${picked}
${order}`;
  return {
    effective: { name: `${name}-effective`, text: text('row_number() over (order by v.step)', `${table} v`, 'and not v.superseded') },
    all: {
      name: `${name}-all`,
      text: text(
        `row_number() over (order by coalesce(g.first_wall_time, '-infinity'), f.name collate "C", f.version, v.ordinal)`,
        `${table} v join event_file f on f.tenant_id = $1 and f.file_id = v.file_id left join file_progress g on g.tenant_id = $1 and g.file_id = v.file_id`,
        '',
      ),
    },
  };
}

const place = 'q.no, p.total, p.file_id, p.ordinal, p.step, p.wall_time, p.superseded';
const byRank = 'order by q.no, p.rank';
const tensorColumns = 'v.dtype, v.shape, v.bytes, v.body, v.object_key';
const tensorStatements = statementsFor(
  'read-tensors',
  'tensor_value',
  tensorColumns,
  `${place}, p.dtype, p.shape, p.bytes, p.body, p.object_key`,
  byRank,
);
const tensorCounts = statementsFor('count-tensor-bytes', 'tensor_value', 'v.bytes', 'count(*), coalesce(sum(p.bytes), 0)', '');
const blobStatements = statementsFor(
  'read-blob-sequences',
  'blob_sequence_value',
  'v.blob_sha256, v.blob_bytes',
  `${place}, p.blob_sha256, p.blob_bytes`,
  byRank,
);
