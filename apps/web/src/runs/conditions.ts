import { formatHparam } from '#charts';

/** A run's value: a hyperparameter, a tag's last value, or the run's state. */
export type Cell = string | number | boolean | null;

/**
 * Whether a value meets a typed condition: `> 0.1`, `<= 3`, `0.1..1`, `["adam","sgd"]` (one of
 * these), or part of the text. Every value meets an empty or incomplete condition (`>`); a missing
 * value meets no other condition.
 */
export function meets(value: Cell | undefined, condition: string): boolean {
  const text = condition.trim();
  if (/^[<>]?=?$/.test(text)) return true;
  if (value === null || value === undefined) return false;
  const choices = readChoices(text);
  if (choices) return choices.includes(value);
  const [, operator, bound] = /^(<=|>=|<|>|=)\s*(\S.*)$/.exec(text) ?? [];
  const [, low, high] = /^(-?[\d.e+-]+)\.\.(-?[\d.e+-]+)$/i.exec(text) ?? [];
  const number = Number(value);
  if (typeof value === 'number' && low !== undefined) return number >= Number(low) && number <= Number(high);
  if (operator !== undefined && typeof value === 'number' && Number.isFinite(Number(bound))) {
    const limit = Number(bound);
    if (operator === '<') return number < limit;
    if (operator === '>') return number > limit;
    if (operator === '<=') return number <= limit;
    if (operator === '>=') return number >= limit;
    return number === limit;
  }
  return textOf(value).toLowerCase().includes(text.replace(/^=\s*/, '').toLowerCase());
}

/** The values that a condition lists, `["adam","sgd"]`. Null for any other condition. */
export function readChoices(condition: string): NonNullable<Cell>[] | null {
  if (!condition.startsWith('[')) return null;
  try {
    const found: unknown = JSON.parse(condition);
    return Array.isArray(found) && found.length > 0 && found.every(isValue) ? found : null;
  } catch {
    return null; // incomplete, or part of the text
  }
}

function isValue(value: unknown): value is NonNullable<Cell> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** A value as displayed in tables, but with an ASCII minus. */
function textOf(value: NonNullable<Cell>): string {
  return typeof value === 'number' ? formatHparam(value).replace('−', '-') : String(value);
}

/**
 * Whether one of the run's labels equals the text after `=`. Without `=`, whether any label
 * contains the text.
 */
export function meetsLabel(labels: readonly string[], condition: string): boolean {
  const text = condition.trim();
  if (text === '' || text === '=') return true;
  const [, exact] = /^=\s*(.+)$/s.exec(text) ?? [];
  return labels.some((label) => (exact === undefined ? label.toLowerCase().includes(text.toLowerCase()) : label === exact));
}

/**
 * Conditions in a URL: the column key, a space, the condition. Keys are URL-encoded, so they
 * contain no spaces.
 */
export function readConditions(where: readonly string[]): Map<string, string> {
  return new Map(
    where.flatMap((one) => {
      const blank = one.indexOf(' ');
      try {
        return blank > 0 ? [[decodeURIComponent(one.slice(0, blank)), one.slice(blank + 1)] as const] : [];
      } catch {
        return [];
      }
    }),
  );
}

/** The conditions for the URL. Omits empty ones. */
export function writeConditions(conditions: ReadonlyMap<string, string>): string[] {
  return [...conditions].filter(([, text]) => text.trim() !== '').map(([key, text]) => `${encodeURIComponent(key)} ${text}`);
}
