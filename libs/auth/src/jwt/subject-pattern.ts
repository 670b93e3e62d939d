/**
 * A subject, or the beginning of one and `*`. Such a beginning ends with a separator, so that `repo:lab/*` is not also `repo:lab-of-others/…`, and has two at
 * least, so that one word of an issuer that all the world uses (`repo:*`) does not let all the world in.
 */
export function isSubjectPattern(text: string): boolean {
  if (!text.includes('*')) return text.length > 0;
  const beginning = text.slice(0, -1);
  return text.endsWith('*') && !beginning.includes('*') && /[:/]$/.test(beginning) && (beginning.match(/[:/]+/g)?.length ?? 0) >= 2;
}

/** Whether a token's subject is what the pattern says. Upper and lower case are different. */
export function matchesSubject(pattern: string, subject: string): boolean {
  return pattern.endsWith('*') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern;
}
