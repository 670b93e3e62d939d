import { Problem } from '#model';

/** Limits on a body's text. */
export interface JsonBounds {
  /** Total number of values: items of arrays and fields of objects. */
  readonly maxValues: number;
  /** Total number of fields of objects. */
  readonly maxFields: number;
  /** Number of whole numbers that float64 cannot represent. */
  readonly maxWideNumbers: number;
  /** Nesting depth of arrays and objects. */
  readonly maxNesting: number;
}

/**
 * Parses a JSON text (RFC 8259). One pass over its characters checks the limits before anything is
 * built, so the work for a body is linear in its length. Whole numbers that float64 cannot
 * represent become strings of their digits. Throws `bad-request` and `body-too-large`.
 */
export function parseJsonText(text: string, bounds: JsonBounds): unknown {
  const wide = scan(text, bounds);
  try {
    return JSON.parse(quoted(text, wide));
  } catch (error) {
    throw new Problem('bad-request', 'The body is not valid JSON.', { cause: error });
  }
}

/** Checks the limits, and finds whole numbers beyond 2^53: returns alternating starts and ends. */
function scan(text: string, { maxValues, maxFields, maxWideNumbers, maxNesting }: JsonBounds): number[] {
  const wide: number[] = [];
  let open = 0;
  let values = 0;
  let fields = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === quote) i = endOfString(text, i);
    else if (character === openBracket || character === openBrace) {
      if (++open > maxNesting) throw new Problem('bad-request', `The body is nested more than ${maxNesting} deep.`);
      values++;
    } else if (character === closeBracket || character === closeBrace) open--;
    else if (character === colon) fields++;
    else if (character === comma) values++;
    else if (isNumberPart(character)) {
      const start = i;
      while (i + 1 < text.length && isNumberPart(text.charCodeAt(i + 1))) i++;
      if (i - start >= safeDigits && isWide(text, start, i + 1)) wide.push(start, i + 1);
    }
    if (values > maxValues) throw tooMany(maxValues, 'values');
    if (fields > maxFields) throw tooMany(maxFields, 'fields');
    if (wide.length > 2 * maxWideNumbers) throw tooMany(maxWideNumbers, 'whole numbers beyond 2^53');
  }
  return wide;
}

function tooMany(max: number, what: string): Problem {
  return new Problem('body-too-large', `The body has more than ${max} ${what}. Send it as several requests.`);
}

/**
 * The index of the quote that ends the string starting at `start`, or of the text's last character.
 */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === backslash) i++;
    else if (character === quote) return i;
  }
  return text.length - 1;
}

/**
 * Whether a number is whole and beyond 2^53. A number in the position of a name is left unchanged,
 * because such text is not JSON.
 */
function isWide(text: string, start: number, end: number): boolean {
  const digits = text.slice(start, end);
  return /^-?[1-9][0-9]+$/.test(digits) && !Number.isSafeInteger(Number(digits)) && !/^[ \t\r\n]*:/.test(text.slice(end, end + 100));
}

/** The text with quotes around these ranges. */
function quoted(text: string, parts: readonly number[]): string {
  if (parts.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const at of parts) {
    pieces.push(text.slice(done, at));
    done = at;
  }
  pieces.push(text.slice(done));
  return pieces.join('"');
}

/** Digits, signs, the decimal point and the exponent. */
function isNumberPart(character: number): boolean {
  return (
    (character >= 0x30 && character <= 0x39) ||
    character === 0x2d ||
    character === 0x2e ||
    character === 0x2b ||
    character === 0x65 ||
    character === 0x45
  );
}

/** Every whole number with fewer digits is safe. */
const safeDigits = 15;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
