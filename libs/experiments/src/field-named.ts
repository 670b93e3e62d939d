import type { ListField, ListFields } from '#store';
import type { Word } from './filter-text.ts';

/** A field, and its argument if the word contains it. */
export interface NamedField {
  readonly name: string;
  readonly field: ListField;
  readonly argument: string | null;
}

/** The text of a field: `value_at("…", 1000)`. */
export function formOf(name: string, { takesArgument, second }: ListField): string {
  if (!takesArgument) return name;
  return `${name}("…"${second === 'step' ? ', 1000' : second === 'text' ? ', "…"' : ''})`;
}

/** The second argument of a field; undefined if the word is not such a field. */
export function secondArgument(word: Word, { second }: ListField): string | undefined {
  if (second === 'text') return word.kind === 'text' || word.kind === 'name' ? word.text : undefined;
  if (word.kind !== 'number' || !/^[+-]?[0-9]{1,19}$/.test(word.text)) return undefined;
  const step = BigInt(word.text);
  return step === BigInt.asIntN(64, step) ? String(step) : undefined;
}

/** The field that a word names: `last`, or `config.model.depth` for `config("model.depth")`. */
export function fieldNamed(word: string, fields: ListFields): NamedField | null {
  if (Object.hasOwn(fields, word)) return { name: word, field: fields[word]!, argument: null };
  const [name = '', ...rest] = word.split('.');
  const field = name === 'config' && Object.hasOwn(fields, name) ? fields[name] : undefined;
  const argument = rest.join('.');
  return field && argument !== '' ? { name, field, argument } : null;
}
