const atoms = [
  '(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '(a*)*b',
  '(.*a){11}',
  '(a?){25}a{25}',
  '([a-zA-Z]+)*$',
  '(\\w+\\s?)*$',
  '(([a-z])+.)+[A-Z]([a-z])+',
  '(x+x+)+y',
];

/**
 * Reliability test 52: fifty patterns that make a backtracking engine run forever on names that
 * nearly match.
 */
export const hostilePatterns: readonly string[] = [
  ...atoms,
  ...atoms.map((atom) => `^${atom.replace(/^\^|\$$/g, '')}$`),
  ...atoms.map((atom) => `(${atom.replace(/[\^$]/g, '')})+!`),
  ...atoms.map((atom) => `(?i)${atom.replace(/^\^/, '')}`),
  ...atoms.map((atom) => `${atom.replace(/[\^$]/g, '')}|${'b?'.repeat(20)}${'b'.repeat(20)}`),
];
