import { limits, Problem } from '#model';
import type { SeenFrontier } from './admit.ts';
import { integerValue, jsonFloats, jsonInteger, jsonIntegers } from './json-numbers.ts';
import { bucketColumns, type Column, type ColumnName, pointColumns, type ScalarAnswer, type SeriesAnswer } from './scalar-answer.ts';

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
  return wanted ? columns.filter((column) => wanted.some((name) => name === column.name)) : columns;
}

/** Writes an answer as JSON text, column by column; refuses more than `limits.maxAnswerBytes`. */
export function scalarsJson(answer: ScalarAnswer, wanted: readonly ColumnName[] | null): Buffer {
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(answer.frontier))},"series":[`);
  answer.series.forEach((series, index) => {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},"sampling":"${series.sampling}","exact":${series.exact},"source_points":${jsonInteger(series.sourcePoints)},"columns":{`,
    );
    columnsOf(series, wanted).forEach((column, n) => out.add(`${n > 0 ? ',' : ''}"${column.name}":${columnJson(column)}`));
    out.add('}}');
  });
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

/** Text in the making, refused when it becomes larger than an answer may be. */
export class BoundedText {
  readonly #pieces: string[] = [];
  #characters = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#characters += piece.length;
    if (this.#characters > limits.maxAnswerBytes) throw answerTooManyBytes();
  }

  finish(): Buffer {
    const length = this.#pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    if (length > limits.maxAnswerBytes) throw answerTooManyBytes();
    // Piece by piece: joined first, the text of a large answer would be copied twice and be garbage twice.
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    for (const piece of this.#pieces) at += bytes.write(piece, at);
    return bytes;
  }
}

/** The refusal of an answer that is too long. */
export function answerTooManyBytes(): Problem {
  return new Problem(
    'answer-too-large',
    `The answer would have more than ${limits.maxAnswerBytes} bytes. Ask for fewer runs, tags, points or columns, or for a smaller range of steps.`,
    {
      extra: { max_bytes: limits.maxAnswerBytes },
    },
  );
}
