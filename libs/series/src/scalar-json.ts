import { pauseIfLong } from '#admission';
import { limits, Problem } from '#model';
import type { SeenFrontier } from './admit.ts';
import { integerValue, jsonFloats, jsonInteger, jsonIntegers } from './json-numbers.ts';
import {
  bucketColumns,
  type Column,
  type ColumnName,
  notFiniteColumns,
  pointColumns,
  type ScalarResult,
  type SeriesResult,
  smoothedColumns,
  xColumn,
} from './scalar-result.ts';

/** A frontier as shown in responses. */
export function frontierJson(frontier: SeenFrontier): Record<string, number | string | boolean> {
  const { acknowledgedBytes, visibleBytes, incompleteTailBytes, rejectedBytes } = frontier;
  return {
    epoch: integerValue(frontier.epoch),
    acknowledged_epoch: integerValue(frontier.acknowledgedEpoch),
    ...(acknowledgedBytes !== undefined && { acknowledged_bytes: integerValue(acknowledgedBytes) }),
    ...(visibleBytes !== undefined && { visible_bytes: integerValue(visibleBytes) }),
    ...(incompleteTailBytes !== undefined && { incomplete_tail_bytes: integerValue(incompleteTailBytes) }),
    ...(rejectedBytes !== undefined && { rejected_bytes: integerValue(rejectedBytes) }),
    visible: frontier.epoch === frontier.acknowledgedEpoch,
  };
}

/** The requested columns of a series; null for all. */
export function columnsOf(response: SeriesResult, wanted: readonly ColumnName[] | null): Column[] {
  const { content } = response;
  const columns = 'buckets' in content ? bucketColumns(content.buckets) : pointColumns(content.points, content.superseded);
  if (response.notFinite) columns.push(...notFiniteColumns(response.notFinite));
  if (response.smoothed) columns.push(...smoothedColumns(response.smoothed, 'buckets' in content));
  if (response.x) columns.push(xColumn(response.x));
  return wanted ? columns.filter((column) => wanted.some((name) => name === column.name)) : columns;
}

/**
 * Writes a response as JSON text, column by column; rejects more than `limits.maxAnswerBytes`.
 * Returns the text in pieces.
 */
export async function scalarsJson(response: ScalarResult, wanted: readonly ColumnName[] | null): Promise<Buffer[]> {
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(response.frontier))},"series":[`);
  for (const [index, series] of response.series.entries()) {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},${response.severalWriters ? `"writer":${series.writer},` : ''}"sampling":"${series.sampling}","exact":${series.exact},"source_points":${jsonInteger(series.sourcePoints)},"columns":{`,
    );
    for (const [n, column] of columnsOf(series, wanted).entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      out.add(`${n > 0 ? ',' : ''}"${column.name}":${columnJson(column)}`);
    }
    out.add('}}');
  }
  out.add(response.nextPageToken === null ? ']}' : `],"next_page_token":${JSON.stringify(response.nextPageToken)}}`);
  return out.finish();
}

function columnJson(column: Column): string {
  switch (column.kind) {
    case 'integer':
      return jsonIntegers(column.values);
    case 'float':
      return jsonFloats(column.values);
    case 'boolean':
      return `[${Array.from(column.values, (value) => (value ? 'true' : 'false')).join(',')}]`;
  }
}

/** Text is encoded in pieces of about this many characters. */
const pieceCharacters = 256 * 1024;

/** Builds text, and throws when it exceeds the maximum size of a response. */
export class BoundedText {
  readonly #pieces: Buffer[] = [];
  #open: string[] = [];
  #characters = 0;
  #bytes = 0;

  add(text: string): void {
    this.#open.push(text);
    this.#characters += text.length;
    if (this.#characters >= pieceCharacters) this.#encode();
  }

  /** The bytes of the text, in pieces. */
  finish(): Buffer[] {
    this.#encode();
    return this.#pieces;
  }

  /** Encodes each string in place: joining the strings first would copy them twice. */
  #encode(): void {
    const length = this.#open.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    this.#bytes += length;
    if (this.#bytes > limits.maxAnswerBytes) throw responseTooManyBytes();
    const piece = Buffer.allocUnsafe(length);
    let at = 0;
    for (const text of this.#open) at += piece.write(text, at);
    this.#open = [];
    this.#characters = 0;
    this.#pieces.push(piece);
  }
}

/** The error for a response that is too large. */
export function responseTooManyBytes(): Problem {
  return new Problem(
    'answer-too-large',
    `The response would have more than ${limits.maxAnswerBytes} bytes. Request fewer runs, tags, points or columns, or a smaller range of steps.`,
    {
      extra: { max_bytes: limits.maxAnswerBytes },
    },
  );
}
