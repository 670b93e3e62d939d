import { nameFilter, type View } from '#charts';
import { type Cell, readChoices, readConditions } from '../runs/conditions.ts';
import { pointField } from './point-columns.ts';
import { quoted } from './quoted.ts';

/** The filter that selects this view's runs, as the API expects it. Empty for all runs. */
export function filterOf({
  runFilter,
  where,
  archived,
  stalledAfter,
}: Pick<View, 'runFilter' | 'where' | 'archived' | 'stalledAfter'>): string {
  const terms = [...readConditions(where)].flatMap(([key, text]) => conditionOf(key, text, stalledAfter) ?? []);
  if (!archived) terms.push('archived = false');
  if (runFilter !== '') terms.push(nameFilter(runFilter).invalid ? `name : ${quoted(runFilter)}` : `name ~ ${quoted(`(?i)${runFilter}`)}`);
  return terms.join(' AND ');
}

/** A condition that no run meets, because names are never empty. */
const nothing = 'name = ""';

function conditionOf(key: string, text: string, stalledAfter: number): string | null {
  const condition = text.trim();
  if (/^[<>]?=?$/.test(condition)) return null; // incomplete
  const name = key.slice(key.indexOf(':') + 1);
  const choices = readChoices(condition);
  if (choices && key === 'status') return oneOf([`state("${stalledAfter}")`, 'status'], choices);
  if (key === 'status') return contains(`state("${stalledAfter}")`, condition, `status`);
  if (key === 'label') return condition.startsWith('=') ? `label = ${quoted(condition.slice(1).trim())}` : `label : ${quoted(condition)}`;
  if (key.startsWith('h:')) {
    const field = `hparam(${quoted(name)})`;
    return choices ? oneOf([field], choices) : ofValue(field, condition, true);
  }
  const [, summary] = /^(m|min|max|min_step|max_step):/.exec(key) ?? [];
  if (summary !== undefined) {
    const field = `${summary === 'm' ? 'last' : summary}(${quoted(name)})`;
    return ofNumber(field, condition, choices);
  }
  const point = pointField(key);
  if (point !== null) return ofNumber(point, condition, choices);
  return key === 'duration' ? ofValue('duration', condition, false) : nothing;
}

function ofNumber(field: string, condition: string, choices: readonly NonNullable<Cell>[] | null): string {
  const numbers = choices?.filter((value) => typeof value === 'number') ?? [];
  return numbers.length > 0 ? oneOf([field], numbers) : ofValue(field, condition, false);
}

/** Matches if any of these fields has any of these values. */
function oneOf(fields: readonly string[], values: readonly NonNullable<Cell>[]): string {
  const terms = values.flatMap((value) => fields.map((field) => `${field} = ${typeof value === 'string' ? quoted(value) : value}`));
  return `(${terms.join(' OR ')})`;
}

/** Older URLs contain the logged status. */
function contains(state: string, condition: string, status: string): string {
  const text = quoted(condition.replace(/^=\s*/, ''));
  return `(${state} : ${text} OR ${status} : ${text})`;
}

/** `hasText`: whether the value may be a string or a boolean. */
function ofValue(field: string, condition: string, hasText: boolean): string {
  const [, low, high] = /^(-?[\d.e+-]+)\.\.(-?[\d.e+-]+)$/i.exec(condition) ?? [];
  if (isNumber(low) && isNumber(high)) return `(${field} >= ${literal(low)} AND ${field} <= ${literal(high)})`;
  const [, operator, bound] = /^(<=|>=|<|>)\s*(\S.*)$/.exec(condition) ?? [];
  if (operator !== undefined && isNumber(bound)) return `${field} ${operator} ${literal(bound)}`;
  const text = condition.replace(/^=\s*/, '');
  const terms = [
    ...(isNumber(text) || /^nan$/i.test(text) ? [`${field} = ${literal(text)}`] : []),
    ...(hasText && /^(true|false)$/i.test(text) ? [`${field} = ${text.toLowerCase()}`] : []),
    ...(hasText ? [`${field} : ${quoted(text)}`] : []),
  ];
  return terms.length === 0 ? nothing : `(${terms.join(' OR ')})`;
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '' && !Number.isNaN(Number(text.replace('−', '-')));
}

function literal(text: string): string {
  return String(Number(text.replace('−', '-')));
}
