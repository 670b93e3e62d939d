/** What a filter of names lets through, and whether it is a regular expression at all. */
export interface NameFilter {
  readonly matches: (name: string) => boolean;
  /** What its brackets capture, else what it matches; empty where it does not. */
  readonly capture: (name: string) => string;
  /** The text is no regular expression; it is then looked for as it is. */
  readonly invalid: boolean;
}

/** A filter as people type it: a regular expression, in any case; empty lets everything through. */
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

/** Null where it is none. Without `u` an escape that means nothing, as in `top\-1`, stands for its character. */
function expression(text: string, flags: 'iu' | 'i'): RegExp | null {
  try {
    return new RegExp(text, flags);
  } catch {
    return null;
  }
}
