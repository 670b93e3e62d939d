import { Problem } from '#model';

const maxCharacters = 200;
/**
 * Postgres expands counted repetitions, and its cost per character of a name grows with the
 * expanded length. With optional parts, this cost grows with the square of their number, and so
 * does the cost of compiling the pattern. Without limits, `(a?b?){255}c` took more than five
 * seconds before it was matched against any name. Nested repetitions cost nothing, because nothing
 * here backtracks. `bench access` includes the most expensive pattern found within these limits.
 * The time for a list is also limited (`runFiltered` of #store).
 */
const maxWrittenOut = 200;
const maxOptional = 32;

/** The expanded size: its length, and the number of optional parts. */
interface Size {
  readonly length: number;
  readonly optional: number;
}

/**
 * Validates a regular expression and converts it for Postgres, which matches with automata: no
 * backtracking engine ever runs it. Accepts literals, `.`, classes, `\d \w \s \b` and their
 * opposites, groups, `|`, anchors, greedy and lazy repetition, and `(?i)` at the start.
 * Backreferences and lookaround need backtracking and are rejected.
 */
export function toPostgresRegex(pattern: string): string {
  if (pattern.length > maxCharacters) throw rejected(`it has more than ${maxCharacters} characters`);
  let out = '';
  let at = 0;
  /** The content of each open group so far. */
  const groups: Size[] = [nothing];
  let atom: Size | null = null; // what a repetition would repeat; null if there is nothing
  const settle = (): void => {
    groups.push(sum(groups.pop()!, atom ?? nothing));
    const { length, optional } = groups.reduce(sum);
    if (length > maxWrittenOut) throw rejected(`with its counts expanded, it is longer than ${maxWrittenOut}`);
    if (optional > maxOptional) throw rejected(`with its counts expanded, it has more than ${maxOptional} optional parts`);
  };
  if (pattern.startsWith('(?i)')) {
    out = '(?i)';
    at = 4;
  }
  while (at < pattern.length) {
    const character = pattern[at]!;
    const escape = /^\\(.)/su.exec(pattern.slice(at, at + 3));
    const repetition = /^(?:[*+?]|\{([0-9]{1,3})(,([0-9]{0,3}))?\})\??/.exec(pattern.slice(at));
    if (character === '\\') {
      if (!escape) throw rejected('it ends with a backslash');
      settle();
      out += escapeFor(escape[1]!, false);
      at += escape[0].length;
      atom = 'bB'.includes(escape[1]!) ? emptyOne : one;
    } else if (character === '[') {
      const [text, end] = classAt(pattern, at);
      settle();
      out += text;
      at = end;
      atom = one;
    } else if (character === '(') {
      settle();
      if (pattern[at + 1] === '?' && pattern[at + 2] !== ':') throw rejected('only plain groups and (?:…) are supported');
      out += '(?:';
      at += pattern[at + 1] === '?' ? 3 : 1;
      groups.push(nothing);
      atom = null;
    } else if (character === ')') {
      if (groups.length === 1) throw rejected('a closing parenthesis has no opening parenthesis');
      settle();
      const group = groups.pop()!;
      atom = sum({ ...group, length: Math.max(1, group.length) }, isEmptyBranch(pattern, at) ? emptyOne : nothing);
      out += ')';
      at += 1;
    } else if (repetition) {
      if (atom === null) throw rejected(`"${repetition[0]}" has nothing to repeat`);
      const counts = [repetition[1], repetition[3]].map((count) => Number(count || 0));
      if (Math.max(...counts) > 255) throw rejected('a count cannot be greater than 255');
      if (repetition[3] && counts[1]! < counts[0]!) throw rejected('the minimum of a repetition is greater than its maximum');
      const times = Math.max(1, ...counts);
      const mayBeNone = '*?'.includes(repetition[0][0]!) || (repetition[1] !== undefined && counts[0] === 0);
      atom = { length: atom.length * times, optional: (atom.optional + (mayBeNone ? 1 : 0)) * times };
      settle();
      atom = null; // a repetition cannot be repeated
      out += repetition[0];
      at += repetition[0].length;
    } else {
      settle();
      const literal = String.fromCodePoint(pattern.codePointAt(at)!);
      if (character === '^' || (character === '|' && isEmptyBranch(pattern, at))) groups.push(sum(groups.pop()!, emptyOne));
      atom = character === '^' || character === '|' ? null : character === '$' ? emptyOne : one;
      out += literal === '{' || literal === '}' || literal === ']' ? `\\${literal}` : literal;
      at += literal.length;
    }
  }
  settle();
  if (groups.length > 1) throw rejected('a group is not closed');
  return out;
}

const nothing: Size = { length: 0, optional: 0 };
const one: Size = { length: 1, optional: 0 };
/** An empty alternative matches no character, as if it were optional. */
const emptyOne: Size = { length: 1, optional: 1 };

/** Whether nothing is between the start of an alternative and `at`. */
function isEmptyBranch(pattern: string, at: number): boolean {
  return /(?:^|\||\(|\(\?:)$/.test(pattern.slice(0, at));
}

function sum(a: Size, b: Size): Size {
  return { length: a.length + b.length, optional: a.optional + b.optional };
}

/**
 * Parses a bracket expression starting at `[`. Returns its form for Postgres, and its end. Rejects
 * POSIX classes inside it.
 */
function classAt(pattern: string, start: number): [string, number] {
  let out = pattern[start + 1] === '^' ? '[^' : '[';
  let at = start + out.length;
  const first = at;
  for (;;) {
    const point = pattern.codePointAt(at);
    if (point === undefined) throw rejected('a class is not closed');
    const character = String.fromCodePoint(point);
    if (character === ']') {
      if (at === first) throw rejected('a class is empty');
      return [`${out}]`, at + 1];
    }
    if (character === '\\') {
      const escape = /^\\(.)/su.exec(pattern.slice(at, at + 3));
      if (!escape) throw rejected('it ends with a backslash');
      out += escapeFor(escape[1]!, true);
      at += escape[0].length;
    } else {
      out += character === '[' ? '\\[' : character;
      at += character.length;
    }
  }
}

const shared: Readonly<Record<string, string>> = {
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  s: '\\s',
  S: '\\S',
  n: '\\n',
  t: '\\t',
  r: '\\r',
  f: '\\f',
  v: '\\v',
};
/** Postgres writes word boundaries with y. */
const outside: Readonly<Record<string, string>> = { b: '\\y', B: '\\Y' };

function escapeFor(character: string, inClass: boolean): string {
  const known = shared[character] ?? (inClass ? undefined : outside[character]);
  if (known) return known;
  if (/[A-Za-z0-9]/.test(character)) throw rejected(`\\${character} is not supported`);
  return /[ -~]/.test(character) ? `\\${character}` : character;
}

function rejected(why: string): Problem {
  return new Problem('invalid-filter', `The regular expression cannot be used: ${why}.`);
}
