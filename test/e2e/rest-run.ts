import { type BlobSequenceValue, type DtypeName, float8Names, float8ToNumber, type SeriesMeta, type TensorValue } from '#model';
import type { ParsedSeries, ScalarPoint } from '../logs/parse-run.ts';
import type { Service } from './service.ts';

/**
 * A number in a response: JSON numbers, strings for those that JSON lacks, and int64 beyond 2^53 as
 * strings.
 */
type JsonNumber = number | string;

/** An entry of the series list. */
export interface ListedSeries {
  readonly run: string;
  readonly tag: string;
  readonly data_class: SeriesMeta['dataClass'];
  readonly plugin: string;
  readonly display_name: string;
  readonly description: string;
  readonly listed: boolean;
  readonly points: number;
  readonly superseded_points: number;
  readonly invalid_points: number;
  readonly mismatched_points: number;
  readonly rounded_points: number;
  readonly first_step: JsonNumber | null;
  readonly last_step: JsonNumber | null;
  readonly last_wall_time: JsonNumber | null;
  readonly min: JsonNumber | null;
  readonly max: JsonNumber | null;
  readonly last: JsonNumber | null;
  readonly nan_count: number | null;
  readonly max_length: number | null;
  /** Present if the list has several writers. */
  readonly writer?: number;
}

/**
 * A tag of a run as REST returns it: all points by writer, each writer's points in log order, with
 * their superseded flags.
 */
export interface RestSeries extends ParsedSeries {
  /** The first writer's entry. */
  readonly listed: ListedSeries;
  readonly superseded: boolean[];
  /** The entries of all writers, in order. */
  readonly writers: ListedSeries[];
  /** The writer of each point. */
  readonly writer: number[];
}

/** Returns all pages of the series list, including unlisted series. */
export async function listSeries(service: Service, experimentId: string): Promise<ListedSeries[]> {
  const all: ListedSeries[] = [];
  let token = '';
  do {
    const page = await service.json<{ series: ListedSeries[]; next_page_token?: string }>(
      `/experiments/${experimentId}/series?unlisted=true&page_size=1000${token && `&page_token=${token}`}`,
    );
    all.push(...page.series);
    token = page.next_page_token ?? '';
  } while (token);
  return all;
}

/** Reads every series of an experiment completely: by run, then by tag. */
export async function readExperiment(service: Service, experimentId: string): Promise<Map<string, Map<string, RestSeries>>> {
  const runs = new Map<string, Map<string, RestSeries>>();
  const find = (run: string, tag: string): RestSeries => runs.get(run)!.get(tag)!;
  for (const listed of await listSeries(service, experimentId)) {
    const meta: SeriesMeta = {
      tag: listed.tag,
      twin: false,
      dataClass: listed.data_class,
      listed: listed.listed,
      plugin: listed.plugin,
      pluginContent: new Uint8Array(),
      displayName: listed.display_name,
      description: listed.description,
    };
    const tags = runs.get(listed.run) ?? new Map<string, RestSeries>();
    runs.set(listed.run, tags);
    const known = tags.get(listed.tag);
    if (known) {
      known.writers.push(listed);
      known.invalid += listed.invalid_points;
      known.mismatched += listed.mismatched_points;
      known.rounded += listed.rounded_points;
      continue;
    }
    tags.set(listed.tag, {
      meta,
      listed,
      scalars: [],
      tensors: [],
      blobSequences: [],
      purged: [],
      superseded: [],
      writers: [listed],
      writer: [],
      invalid: listed.invalid_points,
      mismatched: listed.mismatched_points,
      rounded: listed.rounded_points,
    });
  }
  await readScalars(service, experimentId, find);
  for (const [run, tags] of runs) {
    for (const series of tags.values()) {
      if (series.meta.dataClass === 'tensor') await readTensors(service, experimentId, run, series);
      if (series.meta.dataClass === 'blob_sequence') await readBlobs(service, experimentId, run, series);
    }
  }
  return runs;
}

interface Columns {
  readonly step: JsonNumber[];
  readonly wall_time: JsonNumber[];
  readonly superseded: boolean[];
}

async function readScalars(service: Service, experimentId: string, find: (run: string, tag: string) => RestSeries): Promise<void> {
  let token: string | undefined;
  do {
    const page = await service.json<{
      series: { run: string; tag: string; writer?: number; columns: Columns & { value: JsonNumber[] } }[];
      next_page_token?: string;
    }>(`/experiments/${experimentId}/scalars/query`, {
      sampling: 'raw',
      superseded: true,
      page_size: 50_000,
      ...(token && { page_token: token }),
    });
    for (const { run, tag, writer = 0, columns } of page.series) {
      const series = find(run, tag);
      columns.step.forEach((step, i) => {
        const point: ScalarPoint = { step: BigInt(step), wallTime: Number(columns.wall_time[i]), value: Number(columns.value[i]) };
        series.scalars.push(point);
        series.writer.push(writer);
        series.superseded.push(columns.superseded[i]!);
      });
    }
    token = page.next_page_token;
  } while (token);
}

interface JsonTensor {
  readonly dtype: DtypeName;
  readonly shape: number[];
  readonly data: JsonElement[] | { readonly base64: string };
}

type JsonElement = JsonNumber | boolean | readonly JsonNumber[] | { readonly base64: string };

async function readTensors(service: Service, experimentId: string, run: string, series: RestSeries): Promise<void> {
  const response = await service.json<{ series: { writer?: number; columns: Columns & { value: JsonTensor[] } }[] }>(
    `/experiments/${experimentId}/tensors/query`,
    {
      runs: [run],
      tags: [series.meta.tag],
      points: 10_000,
      superseded: true,
      unlisted: true,
    },
  );
  for (const { writer = 0, columns } of response.series) {
    columns.step.forEach((step, i) => {
      const { dtype, shape, data } = columns.value[i]!;
      const value: TensorValue = {
        offset: 0,
        step: BigInt(step),
        wallTime: Number(columns.wall_time[i]),
        dtype,
        shape,
        data: pack(dtype, data),
      };
      series.tensors.push(value);
      series.superseded.push(columns.superseded[i]!);
      series.writer.push(writer);
    });
  }
}

interface JsonBlob {
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

async function readBlobs(service: Service, experimentId: string, run: string, series: RestSeries): Promise<void> {
  const result = await service.json<{
    series: { writer?: number; points: { step: JsonNumber; wall_time: JsonNumber; superseded: boolean; blobs: JsonBlob[] }[] }[];
  }>(`/experiments/${experimentId}/blob-sequences/query`, {
    runs: [run],
    tags: [series.meta.tag],
    points: 10_000,
    superseded: true,
    unlisted: true,
  });
  for (const { writer = 0, point } of result.series.flatMap((one) => one.points.map((each) => ({ writer: one.writer, point: each })))) {
    const blobs: Uint8Array[] = [];
    for (const { url } of point.blobs) {
      const response = await service.fetch(url.replace('/api/v1', ''));
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      blobs.push(await response.bytes());
    }
    const value: BlobSequenceValue = { offset: 0, step: BigInt(point.step), wallTime: Number(point.wall_time), blobs };
    series.blobSequences.push(value);
    series.superseded.push(point.superseded);
    series.writer.push(writer);
  }
}

type Put = (view: DataView, at: number, value: JsonNumber) => void;

const float = (value: JsonNumber): number => Number(value);
const packers: Record<string, [bytes: number, put: Put]> = {
  float32: [4, (view, at, value) => view.setFloat32(at, float(value), true)],
  float64: [8, (view, at, value) => view.setFloat64(at, float(value), true)],
  float16: [2, (view, at, value) => view.setFloat16(at, float(value), true)],
  bfloat16: [2, (view, at, value) => view.setUint16(at, new Uint32Array(Float32Array.of(float(value)).buffer)[0]! >>> 16, true)],
  ...Object.fromEntries(
    float8Names.map((name): [string, [number, Put]] => [name, [1, (view, at, value) => view.setUint8(at, float8(name, float(value)))]]),
  ),
  int4: [1, (view, at, value) => view.setInt8(at, float(value))],
  uint4: [1, (view, at, value) => view.setUint8(at, float(value))],
  int8: [1, (view, at, value) => view.setInt8(at, float(value))],
  uint8: [1, (view, at, value) => view.setUint8(at, float(value))],
  int16: [2, (view, at, value) => view.setInt16(at, float(value), true)],
  uint16: [2, (view, at, value) => view.setUint16(at, float(value), true)],
  int32: [4, (view, at, value) => view.setInt32(at, float(value), true)],
  uint32: [4, (view, at, value) => view.setUint32(at, float(value), true)],
  int64: [8, (view, at, value) => view.setBigInt64(at, BigInt(value), true)],
  uint64: [8, (view, at, value) => view.setBigUint64(at, BigInt(value), true)],
  complex64: [4, (view, at, value) => view.setFloat32(at, float(value), true)],
  complex128: [8, (view, at, value) => view.setFloat64(at, float(value), true)],
};

/** Returns the byte of this type that represents a number. */
function float8(name: string, value: number): number {
  const bits = Array.from({ length: 256 }, (_, byte) => byte).find((byte) => Object.is(float8ToNumber(name, byte), value));
  if (bits === undefined) throw new Error(`${value} is not a ${name}`);
  return bits;
}

/** Returns the packed bytes of a tensor's JSON. */
function pack(dtype: string, data: JsonTensor['data']): Uint8Array {
  if (!Array.isArray(data)) return Buffer.from((data as { base64: string }).base64, 'base64');
  if (dtype === 'string') {
    return Buffer.concat(
      data.flatMap((element) => {
        const bytes = typeof element === 'string' ? Buffer.from(element) : Buffer.from((element as { base64: string }).base64, 'base64');
        const length = Buffer.alloc(4);
        length.writeUInt32BE(bytes.length);
        return [length, bytes];
      }),
    );
  }
  if (dtype === 'bool') return Uint8Array.from(data, (element) => (element === true ? 1 : 0));
  const packer = packers[dtype.replace(/^q/, '')];
  if (!packer) throw new Error(`no packing for ${dtype}`);
  const [bytes, put] = packer;
  const numbers = data.flatMap((element) => (Array.isArray(element) ? (element as JsonNumber[]) : [element as JsonNumber]));
  const packed = new Uint8Array(numbers.length * bytes);
  const view = new DataView(packed.buffer);
  numbers.forEach((value, i) => put(view, i * bytes, value));
  return packed;
}
