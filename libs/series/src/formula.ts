import { Problem, type TagName } from '#model';

/** Limits of a formula: far above what people type, and cheap to evaluate. */
export const maxFormulaLength = 500;
const maxTags = 8;
const maxNodes = 100;
const maxDepth = 32;

type Unary = 'neg' | keyof typeof unaryFunctions;
type Node =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'tag'; readonly index: number }
  | { readonly kind: 'unary'; readonly of: Unary; readonly argument: Node }
  | { readonly kind: 'binary'; readonly of: keyof typeof binaries; readonly left: Node; readonly right: Node };

const unaryFunctions = { log: Math.log, log2: Math.log2, log10: Math.log10, exp: Math.exp, sqrt: Math.sqrt, abs: Math.abs } as const;
const binaries = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '^': (a: number, b: number) => a ** b,
  min: (a: number, b: number) => Math.min(a, b),
  max: (a: number, b: number) => Math.max(a, b),
} as const;

/** An expression over tags, e.g. `val/loss - train/loss` or `log("a tag")`. */
export class Formula {
  /** The tags, each once. */
  readonly tags: readonly TagName[];
  readonly #root: Node;

  private constructor(tags: readonly TagName[], root: Node) {
    this.tags = tags;
    this.#root = root;
  }

  /** Throws `bad-request` for an invalid formula. */
  static parse(text: string): Formula {
    const parser = new Parser(text);
    const root = parser.whole();
    return new Formula(parser.tags, root);
  }

  /** The values for columns of equal length, one for each tag, in the order of `tags`. */
  evaluate(columns: readonly Float64Array[]): Float64Array {
    const length = columns[0]?.length ?? 0;
    const compute = (node: Node): Float64Array | number => {
      if (node.kind === 'number') return node.value;
      if (node.kind === 'tag') return columns[node.index]!;
      if (node.kind === 'unary') {
        const argument = compute(node.argument);
        const apply = node.of === 'neg' ? (value: number) => -value : unaryFunctions[node.of];
        return typeof argument === 'number' ? apply(argument) : argument.map((value) => apply(value));
      }
      const [left, right] = [compute(node.left), compute(node.right)];
      const apply = binaries[node.of];
      if (typeof left === 'number' && typeof right === 'number') return apply(left, right);
      const out = new Float64Array(length);
      for (let i = 0; i < length; i++)
        out[i] = apply(typeof left === 'number' ? left : left[i]!, typeof right === 'number' ? right : right[i]!);
      return out;
    };
    const result = compute(this.#root);
    return typeof result === 'number' ? new Float64Array(length).fill(result) : result;
  }
}

interface Token {
  readonly kind: 'number' | 'name' | 'quoted' | 'sign' | 'end';
  readonly text: string;
  /** Characters before it. */
  readonly at: number;
}

/**
 * Matches numbers, tags (letters, digits and `_ . :`, with `/` and `-` between them, or anything
 * else in quotes) and signs.
 */
const token =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\p{N}_.:]*(?:[/-]+[\p{L}\p{N}_.:]+)*)|"(?<quoted>(?:[^"\\]|\\.)*)"|(?<sign>[-+*/^(),])|(?<end>$))/suy;

class Parser {
  readonly tags: TagName[] = [];
  readonly #tokens: readonly Token[];
  #next = 0;
  #nodes = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > maxFormulaLength) throw wrong(`has more than ${maxFormulaLength} characters`);
    this.#tokens = [...tokensOf(text)];
  }

  whole(): Node {
    const root = this.#sum();
    if (this.#peek.kind !== 'end') throw unexpected(this.#peek);
    if (this.tags.length === 0) throw wrong('names no tag');
    return root;
  }

  get #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #take(...signs: readonly string[]): string | null {
    const { kind, text } = this.#peek;
    if (kind !== 'sign' || !signs.includes(text)) return null;
    this.#next++;
    return text;
  }

  #need(sign: string): void {
    if (this.#take(sign) === null) throw unexpected(this.#peek, `“${sign}”`);
  }

  #made(node: Node): Node {
    if (++this.#nodes > maxNodes) throw wrong(`has more than ${maxNodes} parts`);
    return node;
  }

  #sum(): Node {
    if (++this.#depth > maxDepth) throw wrong(`is nested more than ${maxDepth} deep`);
    let left = this.#product();
    for (let of = this.#take('+', '-'); of !== null; of = this.#take('+', '-'))
      left = this.#made({ kind: 'binary', of: of as '+' | '-', left, right: this.#product() });
    this.#depth--;
    return left;
  }

  #product(): Node {
    let left = this.#signed();
    for (let of = this.#take('*', '/'); of !== null; of = this.#take('*', '/'))
      left = this.#made({ kind: 'binary', of: of as '*' | '/', left, right: this.#signed() });
    return left;
  }

  #signed(): Node {
    if (this.#take('-') === null) return this.#power();
    if (++this.#depth > maxDepth) throw wrong(`is nested more than ${maxDepth} deep`);
    const argument = this.#signed();
    this.#depth--;
    return this.#made({ kind: 'unary', of: 'neg', argument });
  }

  /** Right-associative: `2 ^ 3 ^ 2` is `2 ^ (3 ^ 2)`. */
  #power(): Node {
    const left = this.#operand();
    if (this.#take('^') === null) return left;
    if (++this.#depth > maxDepth) throw wrong(`is nested more than ${maxDepth} deep`);
    const right = this.#signed();
    this.#depth--;
    return this.#made({ kind: 'binary', of: '^', left, right });
  }

  #operand(): Node {
    const one = this.#peek;
    if (this.#take('(') !== null) {
      const inner = this.#sum();
      this.#need(')');
      return inner;
    }
    if (one.kind === 'end' || one.kind === 'sign') throw unexpected(one, 'a tag or a number');
    this.#next++;
    if (one.kind === 'number') return this.#made({ kind: 'number', value: Number(one.text) });
    if (one.kind === 'name' && this.#take('(') !== null) return this.#call(one);
    return this.#made({ kind: 'tag', index: this.#tag(one.text) });
  }

  #call({ text, at }: Token): Node {
    const list = [this.#sum()];
    while (this.#take(',') !== null) list.push(this.#sum());
    this.#need(')');
    const [first, ...others] = list;
    if (Object.hasOwn(unaryFunctions, text)) {
      if (others.length > 0) throw wrong(`gives ${text} more than one value`);
      return this.#made({ kind: 'unary', of: text as keyof typeof unaryFunctions, argument: first! });
    }
    if (text !== 'min' && text !== 'max')
      throw wrong(`has an unknown function at character ${at + 1}: ${[...Object.keys(unaryFunctions), 'min', 'max'].join(', ')} exist`);
    return others.reduce((left, right) => this.#made({ kind: 'binary', of: text, left, right }), first!);
  }

  #tag(name: string): number {
    const known = this.tags.indexOf(name);
    if (known >= 0) return known;
    if (this.tags.length === maxTags) throw wrong(`has more than ${maxTags} tags`);
    return this.tags.push(name) - 1;
  }
}

function* tokensOf(text: string): Generator<Token> {
  const pattern = new RegExp(token);
  for (;;) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw wrong(`cannot be read at character ${from + text.slice(from).search(/\S/) + 1}`);
    const groups = match.groups!;
    const kind = (['number', 'name', 'quoted', 'sign', 'end'] as const).find((one) => groups[one] !== undefined)!;
    const raw = groups[kind]!;
    yield { kind, text: kind === 'quoted' ? raw.replace(/\\(.)/gsu, '$1') : raw, at: pattern.lastIndex - raw.length };
    if (kind === 'end') return;
  }
}

function unexpected({ kind, text, at }: Token, wanted = 'an operator'): Problem {
  return wrong(kind === 'end' ? `ends where ${wanted} is missing` : `has “${text}” at character ${at + 1}, where ${wanted} is missing`);
}

function wrong(what: string): Problem {
  return new Problem(
    'bad-request',
    `The formula ${what}. For example, write val/loss - train/loss, with spaces around - and /. Put tags with other characters in "quotes".`,
  );
}
