import { expect } from 'vitest';
import type { LogDirectoryName, Oracle, OracleTag } from './log-directories.ts';
import { type ParsedSeries, pointsOf } from './parse-run.ts';
import { blobSequencesHash, scalarsHash, sha256, tensorsHash } from './point-hash.ts';

/* Properties that must be equal in an oracle and in our run; each exception names its data rule. */

/** Compares the constant properties of a series. */
export function compareMetadata(series: ParsedSeries, expected: OracleTag, where: string): void {
  const { meta } = series;
  expect(meta.plugin, where).toBe(expected.plugin ?? '');
  expect(meta.displayName, where).toBe(expected.display_name);
  expect(meta.description, where).toBe(expected.description);
  expect(meta.listed, where).toBe(expected.listed_by_data_provider);
  // Rule 11: a series without a class is an unlisted tensor series.
  expect(meta.dataClass, where).toBe(expected.data_class === 'unknown' ? 'tensor' : expected.data_class);
  if (expected.plugin_content_sha256 !== undefined) expect(sha256(meta.pluginContent), where).toBe(expected.plugin_content_sha256);
}

/** Compares every point of a series, in log order. */
export function comparePoints(
  name: LogDirectoryName,
  run: string,
  tag: string,
  series: ParsedSeries,
  expected: OracleTag,
  oracle: Oracle,
): void {
  const where = `${run} ${tag}`;
  const purged = oracle.purged_by_restart[run]?.[tag];
  // Rule 1: before purging, all points are present; rule 2(b): without the purged points, they are
  // the library's points.
  if (purged !== undefined) expect(pointsOf(series), where).toHaveLength(purged.without_purge);
  const kept = <P>(points: readonly P[]) => points.filter((_, i) => !series.purged[i]);
  // Rule 8: the library stops at a wrong data checksum; our series starts with the library's
  // points.
  const readsOn = name === 'damaged' && run.startsWith('b ');
  const comparable = <P>(points: readonly P[]) => (readsOn ? points.slice(0, expected.count) : kept(points));

  if (expected.undecodable !== undefined) return compareUndecodable(series, expected, where);
  if (expected.data_class === 'scalar') {
    const points = comparable(series.scalars);
    expect(points, where).toHaveLength(expected.count);
    expect(scalarsHash(points), where).toBe(expected.points_sha256);
    const shown = points.map(({ step, wallTime, value }) => [Number(step), wallTime, Number.isFinite(value) ? value : String(value)]);
    expect(shown.slice(0, 3), where).toEqual(expected.first);
    expect(shown.slice(-3), where).toEqual(expected.last);
  } else if (expected.data_class === 'blob_sequence') {
    const points = comparable(series.blobSequences);
    expect(points, where).toHaveLength(expected.count);
    const withLabels = isAudioWithLabels(name, run, tag);
    const shown = points.map(({ step, wallTime, blobs }) => ({
      step: Number(step),
      wall_time: wallTime,
      blobs: blobs.map((blob) => ({ bytes: blob.length, sha256: sha256(blob) })),
    }));
    const steps = expected.steps!.map(({ step, wall_time, blobs }, i) => ({
      step,
      wall_time,
      // Rule 7: there are only clips, also in the second file.
      blobs: withLabels && blobs.length === 2 * shown[i]!.blobs.length ? blobs.filter((_, at) => at % 2 === 0) : blobs,
    }));
    expect(shown, where).toEqual(steps);
    if (!withLabels) expect(blobSequencesHash(points), where).toBe(expected.points_sha256);
  } else {
    const points = comparable(series.tensors).map((point) => (isLegacyHistogram(series, expected) ? rounded(point) : point));
    expect(points, where).toHaveLength(expected.count);
    expect(tensorsHash(points), where).toBe(expected.points_sha256);
    const shown = points.map(({ step, wallTime, dtype, shape, data }) => ({
      step: Number(step),
      wall_time: wallTime,
      // numpy has no name for qint8.
      dtype: dtype === 'qint8' ? 'void8' : dtype,
      shape,
      bytes: data.length,
      sha256: sha256(data),
    }));
    expect(shown.slice(0, 3), where).toEqual(expected.first);
    expect(shown.slice(-1), where).toEqual(expected.last?.slice(-1));
  }
}

/** Compares values with number types that the library cannot decode: their bytes are kept. */
function compareUndecodable(series: ParsedSeries, expected: OracleTag, where: string): void {
  const shown = series.tensors.map(({ step, wallTime, dtype, shape, data }) => ({
    step: Number(step),
    wall_time: wallTime,
    dtype: `DT_${dtype.toUpperCase()}`,
    shape,
    tensor_content_bytes: data.length,
    tensor_content_sha256: sha256(data),
  }));
  expect(shown, where).toEqual(expected.undecodable);
}

/** Rule 6: our values remain float64. */
function isLegacyHistogram(series: ParsedSeries, expected: OracleTag): boolean {
  const isFloat32 = JSON.stringify(expected.first).includes('"float32"');
  return series.meta.plugin === 'histograms' && isFloat32 && series.tensors.every(({ dtype }) => dtype === 'float64');
}

/** Rule 6: rounded to float32, our values equal the oracle's. */
function rounded<P extends { data: Uint8Array }>(point: P): P & { dtype: string } {
  const rows = new Float64Array(new Uint8Array(point.data).buffer);
  return { ...point, dtype: 'float32', data: new Uint8Array(Float32Array.from(rows).buffer) };
}

/** Rule 7. */
function isAudioWithLabels(name: LogDirectoryName, run: string, tag: string): boolean {
  return name === 'tf1_legacy' && run === 'v1 plugin ops' && tag.includes('audio');
}
