import { createHash, randomUUID } from 'node:crypto';
import type { SeriesId } from '#model';
import { fingerprintOf } from '#snapshots';
import { haveOtherWriters, listSeries, readFrontier, type SeriesListRequest, type SeriesSummary, type TenantScope } from '#store';
import { surveyOriginals } from './original-files.ts';
import { type ExportSelection, formatVersion, viewOf } from './export-selection.ts';

/** What an export would contain, as seen in one transaction. */
export interface ExportSurvey {
  /** Covers everything that determines the bytes of the export. */
  readonly fingerprint: string;
  /** Everything acknowledged up to this epoch is in the export. */
  readonly frontier: number;
  /** Effective points of listed scalars, excluding those in the tails of live runs. */
  readonly points: number;
  /**
   * Whether listed scalars from several writers share a run and tag. If so, tables need a writer
   * column.
   */
  readonly severalWriters: boolean;
  /** Total bytes of the files. 0 unless the format is `raw`. */
  readonly bytes: number;
  /** How many files can and cannot be exported. 0 unless the format is `raw`. */
  readonly files: number;
  readonly leftOut: number;
}

const seriesAtOnce = 1_000;

/**
 * Surveys an export. Two surveys with the same fingerprint see the same values: it covers the
 * frontier, the acknowledged bytes, and the counts and bounds of every series, which change with
 * any addition or deletion. While anything is acknowledged but not visible, each survey has its own
 * fingerprint, because parts of that data may be readable. For event files as uploaded, the durable
 * bytes alone determine the fingerprint. Returns null if the experiment does not exist.
 */
export async function surveyExport(scope: TenantScope, selection: ExportSelection): Promise<ExportSurvey | null> {
  const { experimentId, format, runs, tags } = selection;
  const frontier = await readFrontier(scope, experimentId);
  if (!frontier) return null;
  const hash = createHash('sha256');
  const about = { experiment: experimentId, format, version: formatVersion, runs, tags, frontier: frontier.epoch };
  if (format === 'raw') {
    const originals = await surveyOriginals(scope, { experimentId, runs }, hash);
    const fingerprint = fingerprintOf({ ...about, originals: hash.digest('hex') });
    return { fingerprint, frontier: frontier.epoch, points: 0, severalWriters: false, ...originals };
  }
  let points = 0;
  let severalWriters = false;
  for (let after: SeriesId | null = null; ;) {
    const request: SeriesListRequest = {
      experimentId,
      runs: null,
      tags: null,
      plugins: null,
      unlisted: true,
      limit: seriesAtOnce,
      after,
      view: viewOf(selection),
    };
    const page: SeriesSummary[] = (await listSeries(scope, request)) ?? [];
    const ofLaterWriters: SeriesId[] = [];
    for (const series of page) {
      const { seriesId, runId, dataClass, listed, writer, firstStep, lastStep, lastWallTime, min, max, last } = series;
      const counts = [series.points, series.supersededPoints, series.invalidPoints, series.mismatchedPoints, series.nanCount];
      const names = [
        series.run,
        series.tag,
        series.plugin,
        series.pluginContent.toString('base64'),
        series.displayName,
        series.description,
      ];
      const facts = [...names, seriesId, runId, dataClass, listed, writer, ...counts, lastWallTime, min, max, last].map(String);
      hash.update(`${JSON.stringify([...facts, String(firstStep), String(lastStep)])}\n`);
      if (dataClass !== 'scalar' || !listed) continue;
      points += series.points - series.supersededPoints;
      if (writer > 0) ofLaterWriters.push(seriesId);
    }
    severalWriters ||= await haveOtherWriters(scope, ofLaterWriters);
    if (page.length < seriesAtOnce) break;
    after = page.at(-1)!.seriesId;
  }
  const isSettled = frontier.epoch === frontier.acknowledgedEpoch && frontier.visibleBytes === frontier.acknowledgedBytes;
  const fingerprint = fingerprintOf({
    ...about,
    bytes: frontier.acknowledgedBytes,
    series: hash.digest('hex'),
    ...(isSettled ? {} : { survey: randomUUID() }),
  });
  return { fingerprint, frontier: frontier.epoch, points, severalWriters, bytes: 0, files: 0, leftOut: 0 };
}
