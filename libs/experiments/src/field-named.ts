import type { ListField, ListFields } from '#store';

/** A field, and its argument if the word contains it. */
export interface NamedField {
  readonly name: string;
  readonly field: ListField;
  readonly argument: string | null;
}

/** The field that a word names: `last`, or `config.model.depth` for `config("model.depth")`. */
export function fieldNamed(word: string, fields: ListFields): NamedField | null {
  if (Object.hasOwn(fields, word)) return { name: word, field: fields[word]!, argument: null };
  const [name = '', ...rest] = word.split('.');
  const field = name === 'config' && Object.hasOwn(fields, name) ? fields[name] : undefined;
  const argument = rest.join('.');
  return field && argument !== '' ? { name, field, argument } : null;
}
