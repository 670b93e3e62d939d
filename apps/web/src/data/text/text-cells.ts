import type { TensorJson } from '../values.ts';

/** Maximum texts drawn for one value: a hostile value can have millions. */
const maxCells = 1_000;

/**
 * An element of a string tensor, as text. Bytes that are not text are decoded as far as possible.
 */
export function textOf(element: TensorJson['data'][number] | undefined): string {
  if (element === undefined) return '';
  if (typeof element !== 'object') return String(element);
  const bytes = Uint8Array.from(atob(element.base64), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/**
 * Whether the value is a single text, not a table. A single text has one element, regardless of
 * rank: writers log it with the shape [], [1] or [1, 1].
 */
export function isOneText({ shape, data }: Pick<TensorJson, 'shape' | 'data'>): boolean {
  return shape.every((size) => size === 1) && data.length === 1;
}

/**
 * Texts as rows. If there are more than two dimensions, keeps only the first position in each
 * further dimension, like TensorBoard. `left`: the number of texts that are omitted.
 */
export function rowsOf({ shape, data }: TensorJson): { readonly rows: string[][]; readonly left: number } {
  const [rows = 1, columns = 1, ...inner] = shape;
  const stride = inner.reduce((product, size) => product * size, 1);
  const shownColumns = Math.min(columns, maxCells);
  const shownRows = shownColumns === 0 ? 0 : Math.min(rows, Math.ceil(maxCells / shownColumns));
  const cells = Array.from({ length: shownRows }, (_, row) =>
    Array.from({ length: shownColumns }, (__, column) => textOf(data[(row * columns + column) * stride])),
  );
  return { rows: cells, left: data.length - shownRows * shownColumns };
}

/** The texts of a value, combined into one text. */
export interface PlainText {
  readonly text: string;
  /** Number of texts in the value. */
  readonly count: number;
  /** Number of omitted texts. */
  readonly left: number;
}

/** The texts of a value, combined into one text: rows become lines, with tabs between columns. */
export function plainTextOf(value: TensorJson): PlainText {
  if (isOneText(value)) return { text: textOf(value.data[0]), count: 1, left: 0 };
  const { rows, left } = rowsOf(value);
  return { text: rows.map((row) => row.join('\t')).join('\n'), count: value.data.length - left, left };
}
