import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The directories below `test/data/logs`, each with its oracle. */
export const logDirectoryNames = [
  'damaged',
  'frameworks',
  'keras',
  'keras_hparams',
  'long_scalars',
  'tensorboardx',
  'tf1_legacy',
  'tf2_summaries',
  'torch',
] as const;

/** One of {@link logDirectoryNames}. */
export type LogDirectoryName = (typeof logDirectoryNames)[number];

const root = join(import.meta.dirname, '../data/logs');
const unpacked = new Map<string, Promise<string>>();

/**
 * Returns the path of a log directory. The compressed directory is unpacked into a temporary
 * folder, once per process.
 */
export function logDirectory(name: LogDirectoryName): Promise<string> {
  if (name !== 'long_scalars') return Promise.resolve(join(root, name));
  let path = unpacked.get(name);
  if (path === undefined) unpacked.set(name, (path = unpack(join(root, `${name}.gz`), name)));
  return path;
}

/**
 * Reads the data that stock TensorBoard reads from the directory; `test/data/README.md` explains
 * the fields.
 */
export async function oracleOf(name: LogDirectoryName): Promise<Oracle> {
  return JSON.parse(await readFile(join(root, `${name}.oracle.json`), 'utf8')) as Oracle;
}

async function unpack(from: string, name: string): Promise<string> {
  const to = join(await mkdtemp(join(tmpdir(), 'plotline-logs-')), name);
  for (const path of await readdir(from, { recursive: true })) {
    if (!path.endsWith('.gz')) continue;
    const file = join(to, path.slice(0, -'.gz'.length));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, gunzipSync(await readFile(join(from, path))));
  }
  return to;
}

/**
 * A point of a scalar tag: step, wall time, value; non-finite numbers are the strings `NaN`,
 * `Infinity`, `-Infinity`.
 */
export type OraclePoint = [step: number, wallTime: number | string, value: number | string];

export interface OracleTensor {
  step: number;
  wall_time: number;
  dtype: string;
  shape: number[];
  bytes: number;
  sha256: string;
}

export interface OracleTag {
  plugin: string | null;
  data_class: 'scalar' | 'tensor' | 'blob_sequence' | 'unknown';
  listed_by_data_provider: boolean;
  display_name: string;
  description: string;
  plugin_content_sha256?: string;
  count: number;
  points_sha256: string;
  first?: (OraclePoint | OracleTensor)[];
  last?: (OraclePoint | OracleTensor)[];
  min?: number | string;
  max?: number | string;
  steps?: { step: number; wall_time: number; blobs: { bytes: number; sha256: string }[] }[];
  undecodable?: { step: number; wall_time: number; dtype: string; shape: number[]; tensor_content_sha256: string }[];
}

export interface Oracle {
  run_names: string[];
  runs: Record<string, { first_event_wall_time: number | null; reload_error?: string; tags: Record<string, OracleTag> }>;
  files: Record<
    string,
    { bytes: number; sha256: string; counts_as_event_file: boolean; events_read?: number; session_logs?: [string, number][] }
  >;
  purged_by_restart: Record<string, Record<string, { kept: number; without_purge: number }>>;
}
