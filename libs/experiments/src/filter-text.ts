import { Problem } from '#model';

/**
 * A token of a filter: a name or keyword, a quoted string, a number, or a symbol. `at`: its
 * position, for messages.
 */
export interface Word {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

const space = /\s+/y;
const name = /[A-Za-z_][A-Za-z0-9_./-]*/y;
const number = /[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-](?:Infinity|inf)(?![A-Za-z0-9_])/y;
const sign = /!=|!~|<=|>=|==|&&|\|\||[()=<>~:,]/y;
const quoted = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/sy;

/**
 * Splits a filter (or an order, depending on `what`) into tokens. Linear in its length; throws
 * `invalid-filter` with the position of what it cannot read.
 */
export function wordsOf(filter: string, what = 'filter'): Word[] {
  const words: Word[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(filter);
    if (match) at += match[0].length;
    return match;
  };
  while (at < filter.length) {
    if (take(space)) continue;
    const start = at;
    const push = (kind: Word['kind'], text: string): void => void words.push({ kind, text, at: start });
    let match: RegExpExecArray | null;
    if ((match = take(quoted))) push('text', unescape(match[1] ?? match[2] ?? '', start, what));
    else if ((match = take(number))) push('number', match[0]);
    else if ((match = take(name))) push('name', match[0]);
    else if ((match = take(sign))) push('sign', match[0] === '==' ? '=' : match[0]);
    else
      throw filterProblem(
        start,
        filter[at] === '"' || filter[at] === "'" ? 'the text that starts here has no closing quote' : 'unexpected character',
        what,
      );
  }
  words.push({ kind: 'end', text: '', at: filter.length });
  return words;
}

/** An error with a position in the filter, counted from 1. */
export function filterProblem(at: number, why: string, what = 'filter'): Problem {
  return new Problem('invalid-filter', `The ${what} cannot be read: at character ${at + 1}, ${why}.`, { extra: { position: at + 1 } });
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * `\"`, `\'`, `\\`, `\n`, `\t`, `\r`; any other backslash is kept, so that regular expressions need
 * no doubled backslashes.
 */
function unescape(text: string, at: number, what: string): string {
  const plain = text.replace(/\\(["'\\ntr])/g, (_, character: string) => escapes[character] ?? character);
  if (plain.includes('\0') || !plain.isWellFormed()) throw filterProblem(at, 'the text has characters that are not allowed in names', what);
  return plain;
}
