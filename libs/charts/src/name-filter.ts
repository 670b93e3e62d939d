/** A filter for names, and whether it is a valid regular expression. */
export interface NameFilter {
  readonly matches: (name: string) => boolean;
  /**
   * The text that its groups capture, or the whole match if it has no groups; empty if it does not
   * match.
   */
  readonly capture: (name: string) => string;
  /** Whether the text is not a valid regular expression; it is then matched literally. */
  readonly invalid: boolean;
}

/**
 * A filter as typed by the user: a regular expression, case-insensitive; empty matches everything.
 *
 * ```ts
 * const filter = nameFilter('seed(\\d+)');
 * assert.ok(filter.matches('RUN/Seed12'));
 * assert.equal(filter.capture('run/seed12'), '12');
 * assert.ok(nameFilter('loss (').matches('loss (train)')); // not an expression: matched as text
 * ```
 */
export function nameFilter(text: string): NameFilter {
  if (text === '') return { matches: () => true, capture: () => '', invalid: false };
  const pattern = expression(text, 'iu') ?? expression(text, 'i');
  if (pattern) {
    const capture = (name: string): string => {
      const [all = '', ...parts] = pattern.exec(name) ?? [];
      return parts.length === 0 ? all : parts.map((part) => part ?? '').join(' ');
    };
    return { matches: (name) => pattern.test(name), capture, invalid: false };
  }
  const wanted = text.toLowerCase();
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted);
  return { matches, capture: (name) => (matches(name) ? text : ''), invalid: true };
}

/**
 * Returns null if the expression is invalid. Without `u`, a meaningless escape, as in `top\-1`,
 * represents its character.
 */
function expression(text: string, flags: 'iu' | 'i'): RegExp | null {
  try {
    return new RegExp(text, flags);
  } catch {
    return null;
  }
}
