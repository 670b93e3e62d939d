import { expect, it } from 'vitest';
import { parseReportBlock, reportBlock } from './report-block.ts';
import { parseView } from './view.ts';

const id = 'A1b2C3d4E5f6G7h8I9j0K1';
const site = { origin: 'https://plots.example', base: '' };
const read = (text: string, at = site) => parseReportBlock(text, at);
const viewOf = (text: string) => {
  const block = read(text);
  if ('fault' in block) throw new Error(block.fault);
  return parseView(new URLSearchParams(block.search));
};

it('reads relative and absolute addresses of views, with a caption', () => {
  expect(read(`/e/${id}?smoothing=0.5`)).toMatchObject({ experimentId: id, caption: '' });
  expect(read(`  https://plots.example/e/${id}  \n\n Both *curves* \nfall `)).toMatchObject({
    experimentId: id,
    caption: 'Both *curves* \nfall',
  });
  expect(viewOf(`/e/${id}?smoothing=0.5&card=loss`)).toMatchObject({ smoothing: 0.5, card: 'loss', embed: true });
  const proxied = { origin: 'https://lab.example', base: '/plots' };
  for (const address of [`/e/${id}`, `/plots/e/${id}`, `https://lab.example/plots/e/${id}/`])
    expect(read(address, proxied)).toMatchObject({ experimentId: id });
});

it('shows only the run of the page of a run, and only the tag and run of an image', () => {
  expect(viewOf(`/e/${id}/r/sweep/lr%3D0.1?hiddenRuns=x`)).toMatchObject({ about: null, onlyRuns: ['sweep/lr=0.1'], hiddenRuns: [] });
  const image = new URLSearchParams({ tab: 'images' }).toString();
  expect(viewOf(`/e/${id}?${image}`)).toMatchObject({ tab: 'images', onlyRuns: null, tagFilter: '' });
});

it('explains what it does not show', () => {
  const faults = [
    ['', 'empty'],
    [' \n ', 'empty'],
    ['https://', 'not an address'],
    [`https://elsewhere.example/e/${id}`, 'another site'],
    [`//elsewhere.example/e/${id}`, 'another site'],
    ['javascript:alert(1)', 'another site'],
    [`data:text/html,/e/${id}`, 'another site'],
    ['/tokens', 'not the address of an experiment'],
    ['/e/short', 'not the address of an experiment'],
    [`/e/${id}/loss.svg`, 'not the address of an experiment'],
    [`/api/v1/experiments/${id}`, 'not the address of an experiment'],
    [`/e/../e/${id}/../../tokens`, 'not the address of an experiment'],
  ];
  for (const [text, fault] of faults) expect([text, read(text!)]).toEqual([text, { fault: expect.stringContaining(fault!) }]);
});

it('writes the block that it reads', () => {
  expect(reportBlock(`/e/${id}`)).toBe(`\`\`\`plotline\n/e/${id}\n\`\`\``);
});
