import type { FieldKind, Filter, FilterOperator, ListField, ListFields } from '#store';
import { limits, Problem } from '#model';
import { fieldNamed, formOf, secondArgument } from './field-named.ts';
import { filterProblem, type Word, wordsOf } from './filter-text.ts';
import { toPostgresRegex } from './regex.ts';

/**
 * Parses a filter:
 *
 *     filter     = and { "OR" and }            and  = not { ["AND"] not }            not = "NOT" not | "(" filter ")" | comparison
 *     comparison = field operator value | value        field = name | name "(" text ")" | "config." key
 *               | name "(" text "," (text | step) ")"
 *     operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | ":" (contains) | "~" | "!~" (regular expression)
 *
 * A value alone means that the name contains it. The result is data (names of known fields,
 * values), never code or SQL. Throws `invalid-filter` with the position and what was expected
 * there.
 *
 * ```ts
 * import { experimentFields as fields } from '#store';
 *
 * assert.deepEqual(parseFilter('name : resnet', fields), parseFilter('resnet', fields));
 * assert.equal(parseFilter('', fields), null); // everything matches
 * assert.throws(() => parseFilter('name = a AND', fields), { code: 'invalid-filter' });
 * ```
 */
export function parseFilter(filter: string, fields: ListFields): Filter | null {
  if (filter.length > limits.maxFilterCharacters)
    throw new Problem('invalid-filter', `A filter can have up to ${limits.maxFilterCharacters} characters.`);
  if (filter.trim() === '') return null;
  return new Parser(wordsOf(filter), fields).parse();
}

const operators: readonly FilterOperator[] = ['=', '!=', '<', '<=', '>', '>=', ':', '~', '!~'];
const operatorsOf: Readonly<Record<FieldKind, readonly FilterOperator[]>> = {
  text: ['=', '!=', ':', '~', '!~'],
  labels: ['=', '!=', ':', '~', '!~'],
  number: ['=', '!=', '<', '<=', '>', '>='],
  time: ['=', '!=', '<', '<=', '>', '>='],
  json: operators,
};
const maxTerms = 64;
const maxDepth = 32;

class Parser {
  readonly #words: readonly Word[];
  readonly #fields: ListFields;
  #at = 0;
  #terms = 0;
  #depth = 0;

  constructor(words: readonly Word[], fields: ListFields) {
    this.#words = words;
    this.#fields = fields;
  }

  parse(): Filter {
    const filter = this.#or();
    if (this.#word.kind !== 'end') throw filterProblem(this.#word.at, 'the filter must end here or continue with AND or OR');
    return filter;
  }

  get #word(): Word {
    return this.#words[this.#at]!;
  }

  #next(): Word {
    const word = this.#word;
    if (word.kind !== 'end') this.#at++; // the end token is always there
    return word;
  }

  #skipKeyword(keyword: string, other: string): boolean {
    const word = this.#word;
    const is = (word.kind === 'name' && word.text.toUpperCase() === keyword) || (word.kind === 'sign' && word.text === other);
    if (is) this.#at++;
    return is;
  }

  #skipSign(sign: string): boolean {
    const is = this.#word.kind === 'sign' && this.#word.text === sign;
    if (is) this.#at++;
    return is;
  }

  #or(): Filter {
    const terms = [this.#and()];
    while (this.#skipKeyword('OR', '||')) terms.push(this.#and());
    return terms.length === 1 ? terms[0]! : { kind: 'or', terms };
  }

  #and(): Filter {
    const terms = [this.#not()];
    for (;;) {
      const word = this.#word;
      if (!this.#skipKeyword('AND', '&&')) {
        const ends =
          word.kind === 'end' || (word.kind === 'sign' && word.text !== '(') || (word.kind === 'name' && word.text.toUpperCase() === 'OR');
        if (ends) break;
      }
      terms.push(this.#not());
    }
    return terms.length === 1 ? terms[0]! : { kind: 'and', terms };
  }

  #not(): Filter {
    if (++this.#depth > maxDepth) throw filterProblem(this.#word.at, `parentheses and NOTs are nested more than ${maxDepth} deep`);
    try {
      if (this.#skipKeyword('NOT', '')) return { kind: 'not', term: this.#not() };
      if (!this.#skipSign('(')) return this.#comparison();
      const inner = this.#or();
      if (!this.#skipSign(')')) throw filterProblem(this.#word.at, 'a closing parenthesis is missing');
      return inner;
    } finally {
      this.#depth--;
    }
  }

  #comparison(): Filter {
    if (++this.#terms > maxTerms) throw filterProblem(this.#word.at, `there are more than ${maxTerms} comparisons`);
    const word = this.#next();
    if (word.kind === 'name' && /^(and|or)$/i.test(word.text))
      throw filterProblem(word.at, `a comparison is missing before or after ${word.text}`);
    const alone = this.#word.kind !== 'sign' || !(operators as readonly string[]).concat('(').includes(this.#word.text);
    if (word.kind === 'text' || word.kind === 'number' || (word.kind === 'name' && alone && !fieldNamed(word.text, this.#fields))) {
      return { kind: 'compare', field: 'name', argument: null, operator: ':', value: word.text };
    }
    if (word.kind !== 'name') throw filterProblem(word.at, `expected a field, a quoted string or "("`);
    const named = fieldNamed(word.text, this.#fields);
    const field = named?.field;
    if (!named || !field) throw filterProblem(word.at, `there is no field "${word.text.slice(0, 40)}"; fields are ${this.#fieldNames()}`);
    const { argument, second } =
      named.argument === null && field.takesArgument && !this.#omitsArgument(field)
        ? this.#arguments(word, field)
        : { argument: named.argument };
    const sign = this.#next();
    const operator = operators.find((candidate) => sign.kind === 'sign' && candidate === sign.text);
    if (!operator) throw filterProblem(sign.at, `expected an operator after ${word.text}`);
    if (!operatorsOf[field.kind].includes(operator))
      throw filterProblem(sign.at, `${word.text} supports the operators ${operatorsOf[field.kind].join(' ')}`);
    return {
      kind: 'compare',
      field: named.name,
      argument,
      ...(second !== undefined && { second }),
      operator,
      value: this.#value(field.kind, operator, word.text),
    };
  }

  #omitsArgument(field: ListField): boolean {
    return field.argumentIsOptional === true && this.#word.text !== '(';
  }

  #arguments(word: Word, field: ListField): { readonly argument: string; readonly second?: string } {
    const example = formOf(word.text, field);
    if (!this.#skipSign('(')) throw filterProblem(this.#word.at, `${word.text} needs a name: ${example}`);
    const argument = this.#next();
    if (argument.kind !== 'text' && argument.kind !== 'name') throw filterProblem(argument.at, `expected a quoted name: ${example}`);
    let second: string | undefined;
    if (field.second !== undefined) {
      if (!this.#skipSign(',')) throw filterProblem(this.#word.at, `${word.text} needs a second argument: ${example}`);
      const other = this.#next();
      second = secondArgument(other, field);
      if (second === undefined)
        throw filterProblem(other.at, `expected ${field.second === 'step' ? 'a step, a whole number' : 'a quoted name'}: ${example}`);
    }
    if (!this.#skipSign(')')) throw filterProblem(this.#word.at, `a closing parenthesis is missing: ${example}`);
    return { argument: argument.text, ...(second !== undefined && { second }) };
  }

  #value(kind: FieldKind, operator: FilterOperator, field: string): string | number | boolean {
    const word = this.#next();
    if (word.kind === 'end' || word.kind === 'sign') throw filterProblem(word.at, `a value for ${field} is missing`);
    const value = literalOf(word);
    if (operator === '~' || operator === '!~') {
      if (typeof value !== 'string') throw filterProblem(word.at, 'expected a quoted regular expression');
      return toPostgresRegex(value);
    }
    if (operator === ':' && typeof value !== 'string') return word.text;
    if (kind === 'text' || kind === 'labels') return word.text;
    if (kind === 'time') return secondsOf(value, word);
    if (kind === 'number' && typeof value !== 'number') throw filterProblem(word.at, `${field} must be compared with a number`);
    if (kind === 'json' && typeof value === 'boolean' && operator !== '=' && operator !== '!=')
      throw filterProblem(word.at, 'true and false support only = and !=');
    return value;
  }

  #fieldNames(): string {
    return Object.entries(this.#fields)
      .map(([name, field]) => formOf(name, field))
      .join(', ');
  }
}

/** Unquoted words that look like numbers or booleans are parsed as such; others are text. */
function literalOf(word: Word): string | number | boolean {
  if (word.kind === 'text') return word.text;
  if (word.kind === 'number') return Number(word.text.replace('inf', 'Infinity').replace('InfinityInfinity', 'Infinity'));
  switch (word.text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'nan':
      return Number.NaN;
    case 'inf':
    case 'infinity':
      return Number.POSITIVE_INFINITY;
    default:
      return word.text;
  }
}

function secondsOf(value: string | number | boolean, word: Word): number {
  const seconds = typeof value === 'number' ? value : Date.parse(String(value)) / 1000;
  if (!Number.isFinite(seconds))
    throw filterProblem(word.at, 'expected a time: "2026-11-21", "2026-11-21T10:00:00Z", or seconds since 1970');
  return seconds;
}
