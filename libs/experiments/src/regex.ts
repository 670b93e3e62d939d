import { Problem } from '#model';

const maxCharacters = 200;
/** Postgres unrolls counted repetitions, so their product is what a pattern costs. */
const maxRepetitions = 1000;

/**
 * Checks a regular expression and writes it for Postgres, which matches with automata: nothing here is ever run by an engine that backtracks.
 * Taken are literals, `.`, classes, `\d \w \s \b` and their opposites, groups, `|`, anchors, greedy and lazy repetition, and `(?i)` at the start.
 * References to groups and looking around need backtracking and are refused.
 */
export function toPostgresRegex(pattern: string): string {
  if (pattern.length > maxCharacters) throw refused(`it has more than ${maxCharacters} characters`);
  let out = '';
  let at = 0;
  /** Product of the counted repetitions of the atoms in each open group; the largest counts, since one may repeat another. */
  const groups: number[] = [1];
  let atom = 0; // cost of the atom that a repetition would repeat; 0: there is none
  const settle = (): void => {
    groups[groups.length - 1] = Math.max(groups.at(-1)!, atom);
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
      if (!escape) throw refused('it ends with a backslash');
      settle();
      out += escapeFor(escape[1]!, false);
      at += escape[0].length;
      atom = 1;
    } else if (character === '[') {
      const [text, end] = classAt(pattern, at);
      settle();
      out += text;
      at = end;
      atom = 1;
    } else if (character === '(') {
      settle();
      if (pattern[at + 1] === '?' && pattern[at + 2] !== ':') throw refused('only plain groups and (?:…) are taken');
      out += '(?:';
      at += pattern[at + 1] === '?' ? 3 : 1;
      groups.push(1);
      atom = 0;
    } else if (character === ')') {
      if (groups.length === 1) throw refused('a closing parenthesis has no opening one');
      settle();
      atom = groups.pop()!;
      out += ')';
      at += 1;
    } else if (repetition) {
      if (atom === 0) throw refused(`there is nothing that "${repetition[0]}" could repeat`);
      const counts = [repetition[1], repetition[3]].map((count) => Number(count || 0));
      if (Math.max(...counts) > 255) throw refused('a count is at most 255');
      if (repetition[3] && counts[1]! < counts[0]!) throw refused('the counts of a repetition are the wrong way round');
      atom *= Math.max(1, ...counts);
      if (atom > maxRepetitions) throw refused(`its repetitions multiply to more than ${maxRepetitions}`);
      settle();
      atom = 0; // a repetition cannot be repeated
      out += repetition[0];
      at += repetition[0].length;
    } else {
      settle();
      const literal = String.fromCodePoint(pattern.codePointAt(at)!);
      atom = character === '^' || character === '|' ? 0 : 1;
      out += literal === '{' || literal === '}' || literal === ']' ? `\\${literal}` : literal;
      at += literal.length;
    }
  }
  if (groups.length > 1) throw refused('a group is not closed');
  return out;
}

/** A bracket expression from `[` on: its text for Postgres, and where it ends. POSIX forms inside it are not taken. */
function classAt(pattern: string, start: number): [string, number] {
  let out = pattern[start + 1] === '^' ? '[^' : '[';
  let at = start + out.length;
  const first = at;
  for (;;) {
    const point = pattern.codePointAt(at);
    if (point === undefined) throw refused('a class is not closed');
    const character = String.fromCodePoint(point);
    if (character === ']') {
      if (at === first) throw refused('a class is empty');
      return [`${out}]`, at + 1];
    }
    if (character === '\\') {
      const escape = /^\\(.)/su.exec(pattern.slice(at, at + 3));
      if (!escape) throw refused('it ends with a backslash');
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
/** Postgres writes the edges of words with y. */
const outside: Readonly<Record<string, string>> = { b: '\\y', B: '\\Y' };

function escapeFor(character: string, inClass: boolean): string {
  const known = shared[character] ?? (inClass ? undefined : outside[character]);
  if (known) return known;
  if (/[A-Za-z0-9]/.test(character)) throw refused(`\\${character} is not taken`);
  return /[ -~]/.test(character) ? `\\${character}` : character;
}

function refused(why: string): Problem {
  return new Problem('invalid-filter', `The regular expression cannot be used: ${why}.`);
}
