import { describe, expect, it } from 'vitest';
import { readSeries } from '#charts';
import type { ScalarLoader, ScalarRequest } from '../api/scalar-loader.ts';
import { listedRun, listedTag } from '../api/testing/listed.ts';
import {
  comparedOf,
  type ComparedParts,
  fromAddress,
  inAddress,
  namesIn,
  runText,
  withComparedRuns,
  withComparedTags,
} from './compared-run.ts';
import { ComparingLoader } from './comparing-loader.ts';

const compared = comparedOf(
  [
    { id: 'aaaaa', name: 'first' },
    { id: 'bbbbb', name: 'https://x' },
    { id: 'ccccc', name: 'first' },
  ],
  ({ name }) => name,
);

describe('compared experiments', () => {
  it('have different names', () => {
    expect(compared.map(({ prefix }) => prefix)).toEqual(['first aaaa//', 'https://x//', 'first cccc//']);
  });

  it('have runs that are never confused with those of another', () => {
    const runs = ['x/a', 'first aaaa//x/a', 'https://x//a', 'https://b'];
    expect(namesIn('', runs)).toEqual(['x/a']);
    expect(namesIn('first aaaa//', runs)).toEqual(['x/a']);
    expect(namesIn('https://x//', runs)).toEqual(['a']);
    expect(namesIn('https://', ['https://x//a'])).toEqual([]);
    expect(runText('https://x//b/a')).toBe('https://x: b/a');
  });

  it('have names in the address that stay when they are renamed', () => {
    const runs = ['x/a', 'first aaaa//x/a', 'https://x//a'];
    const addressed = inAddress(runs, compared);
    expect(addressed).toEqual(['x/a', 'aaaaa//x/a', 'bbbbb//a']);
    expect(fromAddress(addressed, compared)).toEqual(runs);
    expect(fromAddress(['ddddd//a', 'b'], compared)).toEqual(['ddddd//a', 'b']);
  });

  it('have their runs and tags together, except tags without a tab', () => {
    const parts = {
      runs: [listedRun('a')],
      tags: [
        listedTag('loss'),
        listedTag('acc'),
        listedTag('w', { data_class: 'tensor' }),
        listedTag('note', { plugin: 'text', data_class: 'tensor' }),
        listedTag('head_VERTEX', { plugin: 'mesh', data_class: 'tensor' }),
      ],
    } as unknown as ComparedParts;
    expect(withComparedRuns([listedRun('a')], compared.slice(1, 2), [parts]).map((one) => one.run)).toEqual(['a', 'https://x//a']);
    expect(withComparedTags([listedTag('loss')], [parts, parts]).map((one) => one.tag)).toEqual(['loss', 'acc', 'note', 'head_VERTEX']);
  });

  it('each return only their own runs', async () => {
    const asked: [string, readonly string[] | null][] = [];
    const loader = (id: string) =>
      ({
        load: (request: ScalarRequest) => {
          asked.push([id, request.runs]);
          return Promise.resolve([readSeries({ run: 'a', tag: request.tag, sampling: 'raw', source_points: 0, columns: {} })]);
        },
      }) as unknown as ScalarLoader;
    const both = new ComparingLoader(loader('own'), loader);
    const request = { tag: 't', steps: null, points: 1, smoothing: 0, spacing: 'linear' as const, compared: compared.slice(0, 2) };
    expect((await both.load({ ...request, runs: null })).map(({ run }) => run)).toEqual(['a', 'first aaaa//a', 'https://x//a']);
    await both.load({ ...request, runs: ['a', 'https://x//b'] });
    expect(asked).toEqual([
      ['own', null],
      ['aaaaa', null],
      ['bbbbb', null],
      ['own', ['a']],
      ['bbbbb', ['b']],
    ]);
  });
});
