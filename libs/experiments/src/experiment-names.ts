import { limits, Problem } from '#model';

/**
 * Validates a name or description: rejects what Postgres cannot store, otherwise returns it
 * unchanged. `what` names the text in the problem.
 */
export function checkText(text: string, what: string, maxCharacters: number): string {
  // Lone surrogates have no UTF-8 form, and Postgres' text cannot contain NUL.
  if (!text.isWellFormed() || text.includes('\0'))
    throw new Problem('invalid-name', `The ${what} has characters that cannot be stored (NUL or half of a surrogate pair).`);
  const characters = Array.from(text).length;
  if (characters > maxCharacters)
    throw new Problem('name-too-long', `The ${what} has ${characters} characters; the limit is ${maxCharacters}.`);
  return text;
}

/** Validates the labels of an experiment or a run. Returns them without duplicates, in order. */
export function checkLabels(labels: readonly string[]): string[] {
  const unique = [...new Set(labels.map((label) => checkText(label, 'label', limits.maxExperimentNameCharacters)))];
  if (unique.includes('')) throw new Problem('invalid-name', 'A label cannot be empty.');
  if (unique.length > limits.maxLabels) throw new Problem('bad-request', `There can be at most ${limits.maxLabels} labels.`);
  return unique;
}
