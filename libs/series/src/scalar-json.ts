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
  type ScalarAnswer,
  type SeriesAnswer,
  smoothedColumns,
} from './scalar-answer.ts';

/** A frontier as answers show it. */
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

/** The columns of a series that were asked for; null: all. */
export function columnsOf(answer: SeriesAnswer, wanted: readonly ColumnName[] | null): Column[] {
  const { content } = answer;
  const columns = 'buckets' in content ? bucketColumns(content.buckets) : pointColumns(content.points, content.superseded);
  if (answer.notFinite) columns.push(...notFiniteColumns(answer.notFinite));
  if (answer.smoothed) columns.push(...smoothedColumns(answer.smoothed, 'buckets' in content));
  return wanted ? columns.filter((column) => wanted.some((name) => name === column.name)) : columns;
}

/** Writes an answer as JSON text, column by column; refuses more than `limits.maxAnswerBytes`. Gives the pieces of the text. */
export async function scalarsJson(answer: ScalarAnswer, wanted: readonly ColumnName[] | null): Promise<Buffer[]> {
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(answer.frontier))},"series":[`);
  for (const [index, series] of answer.series.entries()) {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},${answer.severalWriters ? `"writer":${series.writer},` : ''}"sampling":"${series.sampling}","exact":${series.exact},"source_points":${jsonInteger(series.sourcePoints)},"columns":{`,
    );
    for (const [n, column] of columnsOf(series, wanted).entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      out.add(`${n > 0 ? ',' : ''}"${column.name}":${columnJson(column)}`);
    }
    out.add('}}');
  }
  out.add(answer.nextPageToken === null ? ']}' : `],"next_page_token":${JSON.stringify(answer.nextPageToken)}}`);
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

/** Text is encoded in pieces of about so many characters: joined first, the text of a large answer would be copied twice and be garbage twice. */
const pieceCharacters = 256 * 1024;

/** Text in the making, refused when it becomes larger than an answer may be. */
export class BoundedText {
  readonly #pieces: Buffer[] = [];
  #open = '';
  #bytes = 0;

  add(text: string): void {
    this.#open += text;
    if (this.#open.length >= pieceCharacters) this.#encode();
  }

  /** The bytes of the text, piece by piece. */
  finish(): Buffer[] {
    this.#encode();
    return this.#pieces;
  }

  #encode(): void {
    const piece = Buffer.from(this.#open);
    this.#open = '';
    this.#bytes += piece.length;
    if (this.#bytes > limits.maxAnswerBytes) throw answerTooManyBytes();
    this.#pieces.push(piece);
  }
}

/** The refusal of an answer that is too long. */
export function answerTooManyBytes(): Problem {
  return new Problem(
    'answer-too-large',
    `The response would have more than ${limits.maxAnswerBytes} bytes. Request fewer runs, tags, points or columns, or a smaller range of steps.`,
    {
      extra: { max_bytes: limits.maxAnswerBytes },
    },
  );
}
