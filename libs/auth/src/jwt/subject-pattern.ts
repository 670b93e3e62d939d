/**
 * Whether a string is a subject, or a subject prefix followed by `*`. A prefix ends with a
 * separator, so that `repo:lab/*` does not match `repo:lab-of-others/…`. It has at least two
 * separators, so that a single word of a public issuer (`repo:*`) does not admit everyone.
 */
export function isSubjectPattern(text: string): boolean {
  if (!text.includes('*')) return text.length > 0;
  const beginning = text.slice(0, -1);
  return text.endsWith('*') && !beginning.includes('*') && /[:/]$/.test(beginning) && (beginning.match(/[:/]+/g)?.length ?? 0) >= 2;
}

/** Whether a token's subject matches the pattern. Case-sensitive. */
export function matchesSubject(pattern: string, subject: string): boolean {
  return pattern.endsWith('*') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern;
}
