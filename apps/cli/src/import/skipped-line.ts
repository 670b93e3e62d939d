/**
 * The line about skipped data: `Not imported: 2 rows: their step is not a whole number.` `what` and
 * `why` are plural, except for single things without a count: the rest of a file, or an entry of a
 * configuration.
 */
export function skippedLine({ what, why, count }: { readonly what: string; readonly why: string; readonly count: number }): string {
  if (/^(the rest of|configuration) /.test(what)) return `Not imported: ${what}: ${why}.`;
  return count === 1 ? `Not imported: 1 ${oneOf(what)}: ${singular(why)}.` : `Not imported: ${count} ${what}: ${why}.`;
}

/**
 * `lines of console output` becomes `line of console output`, and `tags of runs` becomes `tag of a
 * run`.
 */
function oneOf(what: string): string {
  const [head = '', ...rest] = what.split(' of ');
  return [head.replace(/(\w)s\b/g, '$1'), ...rest.map((owner) => owner.replace(/^(\w+)s$/, 'a $1'))].join(' of ');
}

const pronouns: Readonly<Record<string, string>> = { they: 'it', them: 'it', their: 'its', are: 'is', were: 'was', have: 'has' };

function singular(why: string): string {
  return why.replace(/\bthey (?:are|were|have)\b|\b(?:them|their)\b/g, (words) =>
    words
      .split(' ')
      .map((word) => pronouns[word])
      .join(' '),
  );
}
