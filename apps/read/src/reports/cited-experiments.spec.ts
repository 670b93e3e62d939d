import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { expect, it } from 'vitest';
import { citedExperiments } from './cited-experiments.ts';

const [a, b, c] = ['A1b2C3d4E5f6G7h8I9j0K1', 'B1b2C3d4E5f6G7h8I9j0K1', 'C1b2C3d4E5f6G7h8I9j0K1'] as const;
const site = { origin: 'https://plots.example', base: '' };
const read = (text: string) => citedExperiments(text, site);
const fence = '```';
const block = (address: string) => `${fence}plotline\n${address}\n${fence}`;

it('finds the experiments of blocks once each, with those that they compare', () => {
  expect(read(`# Title\n\n${block(`/e/${a}?card=loss`)}\n\ntext\n\n${block(`https://plots.example/e/${b}`)}\n${block(`/e/${a}`)}`)).toEqual(
    [a, b],
  );
  expect(read(block(`/e/${a}?compare=${b}&compare=${c}&compare=x`))).toEqual([a, b, c]);
  expect(read(`~~~ plotline\r\n\r\n  /e/${a}/r/run%2F1\r\nA caption with /e/${b}\r\n~~~`)).toEqual([a]);
});

it('finds blocks in quotes and lists', () => {
  for (const text of [
    `> ${fence}plotline\n> /e/${a}\n> ${fence}`,
    `- ${fence}plotline\n  /e/${a}\n  ${fence}`,
    `1. - ${fence}plotline\n     /e/${a}\n     ${fence}`,
    `> - > \`\`\`\`plotline\n>   > /e/${a}\n`,
  ])
    expect([text, read(text)]).toEqual([text, [a]]);
});

it('finds nothing elsewhere', () => {
  for (const text of [
    '',
    `/e/${a}`,
    `[link](/e/${a})`,
    `${fence}\n/e/${a}\n${fence}`,
    `${fence}python\n/e/${a}\n${fence}`,
    `${fence}plotlines\n/e/${a}\n${fence}`,
    `${fence}plotline\nno address\n/e/${a}\n${fence}`,
    block(`https://elsewhere.example/e/${a}`),
    block('/e/short'),
    block(`/api/v1/experiments/${a}`),
  ])
    expect([text, read(text)]).toEqual([text, []]);
});

it('misses no block that the page shows', () => {
  const nesting = fc.array(fc.constantFrom('> ', '>', '- ', '* ', '1. ', '12) ', '- [ ] ', '  ', '    ', '\t'), { maxLength: 3 });
  const addresses = [`/e/${a}`, `/e/${b}?card=x`];
  const openings = [`${fence}plotline`, `${fence}plotline`, `${fence} plotline `, `~~~plotline`, '````plotline\u00a0'];
  const others = [fence, '````', '~~~', '', '', ' ', 'text', '<!--', '-->', '<div>', '# x', '---', '`x', '\\'];
  const ending = fc.constantFrom(...addresses, ...openings, ...others);
  const lines = fc.array(fc.tuple(nesting, ending), { maxLength: 12 });
  const tokensOf = (text: string): readonly Token[] => {
    try {
      return new Lexer({ gfm: true }).lex(text);
    } catch {
      return []; // the page shows such texts without blocks
    }
  };
  const blocksOf = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token) => {
      if (token.type === 'code') return (token.lang ?? '').trim() === 'plotline' ? [String(token.text)] : [];
      const inner: Token[] = [
        ...('tokens' in token ? (token.tokens ?? []) : []),
        ...(token.type === 'list' ? (token.items as Token[]) : []),
      ];
      return blocksOf(inner);
    });
  const seen = new Set<number>();
  fc.assert(
    fc.property(lines, fc.constantFrom('\n', '\r\n', '\r'), (parts, end) => {
      const text = parts.map(([before, after]) => before.join('') + after).join(end);
      const shown = blocksOf(tokensOf(text)).flatMap((content) => read(block(content.trim())));
      seen.add(Math.min(2, shown.length));
      const found = read(text);
      for (const id of shown) expect(found).toContain(id);
    }),
    { numRuns: 10_000 },
  );
  expect([...seen]).toContain(1); // some texts have blocks
});

it('takes linear time for any text', () => {
  // Quadratic time would take minutes.
  for (const unit of ['> ', '- ', '`', '~', '1. ', `${fence}plotline\n`, ' ', '\t', '\n', 'a', '1'])
    for (const [before, after] of [
      ['', ''],
      ['', ' a b'],
      [fence, ' a b'],
      [`${fence} `, ' b'],
    ] as const)
      expect(read(before + unit.repeat(512 * 1024) + after)).toEqual([]);
});
