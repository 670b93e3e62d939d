import { quoted } from './quoted.ts';
import type { RunColumn } from './run-column.ts';

/** A position in a run: a step, or the step of a tag's smallest or largest value. */
export type Place = { readonly step: string } | { readonly extreme: 'min' | 'max'; readonly tag: string };

/**
 * The column with a tag's values at a position: the value logged there, or else the last value
 * before it.
 */
export function pointColumn(tag: string, place: Place): RunColumn {
  const key = 'step' in place ? `at:${place.step}:${tag}` : `at_${place.extreme}:${JSON.stringify([tag, place.tag])}`;
  return { key, name: `${tag} (${placeName(place)})`, kind: 'metric', of: 'at', where: key, field: fieldAt('value', tag, place) };
}

/** The column with the steps at which these values were logged. */
export function pointStepColumn({ key, name }: RunColumn): RunColumn | null {
  const point = readKey(key);
  if (!point) return null;
  return { key: `step_${key}`, name: `${name}, step`, kind: 'count', of: 'at', field: fieldAt('step', point.tag, point.place) };
}

/** The column for a key. Null if the key is of another kind, or if its tags are not among these. */
export function pointColumnOf(key: string, tags: ReadonlySet<string>): RunColumn | null {
  const point = readKey(key);
  if (!point || !tags.has(point.tag) || ('tag' in point.place && !tags.has(point.place.tag))) return null;
  return pointColumn(point.tag, point.place);
}

/** The API field for a key. Null if the key is of another kind. */
export function pointField(key: string): string | null {
  const point = readKey(key);
  return point && fieldAt('value', point.tag, point.place);
}

/** The column name for a key. Null if the key is of another kind. */
export function pointName(key: string): string | null {
  const point = readKey(key);
  return point && pointColumn(point.tag, point.place).name;
}

/** A typed step without thousands separators. Null if it is not an int64. */
export function readStep(text: string): string | null {
  const digits = text.replace(/[\s,_\u202f]/g, '').replace('−', '-');
  if (!/^-?[0-9]{1,19}$/.test(digits)) return null;
  const step = BigInt(digits);
  return step === BigInt.asIntN(64, step) ? String(step) : null;
}

function placeName(place: Place): string {
  return 'step' in place ? `at step ${place.step}` : `at ${place.extreme} of ${place.tag}`;
}

function fieldAt(what: 'value' | 'step', tag: string, place: Place): string {
  if ('step' in place) return `${what}_at(${quoted(tag)}, ${place.step})`;
  return `${what}_at_${place.extreme}(${quoted(tag)}, ${quoted(place.tag)})`;
}

function readKey(key: string): { readonly tag: string; readonly place: Place } | null {
  const [, digits, tag] = /^at:(-?[0-9]+):(.*)$/s.exec(key) ?? [];
  const step = digits === undefined ? null : readStep(digits);
  if (step !== null) return { tag: tag!, place: { step } };
  const [, extreme, json] = /^at_(min|max):(\[.*\])$/s.exec(key) ?? [];
  if (extreme === undefined) return null;
  try {
    const tags: unknown = JSON.parse(json!);
    if (!Array.isArray(tags) || tags.length !== 2 || !tags.every((one) => typeof one === 'string')) return null;
    return { tag: tags[0]!, place: { extreme: extreme as 'min' | 'max', tag: tags[1]! } };
  } catch {
    return null;
  }
}
