import { describe, expect, it } from 'vitest';
import { readSeries } from '#charts';
import type { ScalarLoader, ScalarWish } from '../api/scalar-loader.ts';
import type { RunJson, TagJson } from '../api/types.ts';
import { comparedOf, type ComparedParts, namesIn, runText, withComparedRuns, withComparedTags } from './compared-run.ts';
import { ComparingLoader } from './comparing-loader.ts';

const compared = comparedOf(
  [
    { id: 'aaaaa', name: 'first' },
    { id: 'bbbbb', name: 'https://x' },
    { id: 'ccccc', name: 'first' },
  ],
  ({ name }) => name,
);

describe('experiments beside one another', () => {
  it('have different names', () => {
    expect(compared.map(({ prefix }) => prefix)).toEqual(['first aaaa//', 'https://x//', 'first cccc//']);
  });

  it('have runs that are never taken for those of another', () => {
    const runs = ['x/a', 'first aaaa//x/a', 'https://x//a', 'https://b'];
    expect(namesIn('', runs)).toEqual(['x/a']);
    expect(namesIn('first aaaa//', runs)).toEqual(['x/a']);
    expect(namesIn('https://x//', runs)).toEqual(['a']);
    expect(namesIn('https://', ['https://x//a'])).toEqual([]);
    expect(runText('https://x//b/a')).toBe('https://x: b/a');
  });

  it('have their runs and scalars together', () => {
    const run = (name: string): RunJson => ({
      run: name,
      start_time: 1,
      last_time: 2,
      events: 1,
      status: '',
      hparams: {},
      labels: [],
      notes: '',
      archived: false,
    });
    const tag = (name: string, dataClass: TagJson['data_class'] = 'scalar', plugin = ''): TagJson => ({
      tag: name,
      plugin,
      data_class: dataClass,
      runs: 1,
      display_name: '',
      description: '',
      superseded_points: 0,
    });
    const parts = {
      runs: [run('a')],
      tags: [tag('loss'), tag('acc'), tag('w', 'tensor'), tag('note', 'tensor', 'text')],
    } as unknown as ComparedParts;
    expect(withComparedRuns([run('a')], compared.slice(1, 2), [parts]).map((one) => one.run)).toEqual(['a', 'https://x//a']);
    expect(withComparedTags([tag('loss')], [parts, parts]).map((one) => one.tag)).toEqual(['loss', 'acc', 'note']);
  });

  it('are asked each for its own', async () => {
    const asked: [string, readonly string[] | null][] = [];
    const loader = (id: string) =>
      ({
        load: (wish: ScalarWish) => {
          asked.push([id, wish.runs]);
          return Promise.resolve([readSeries({ run: 'a', tag: wish.tag, sampling: 'raw', source_points: 0, columns: {} })]);
        },
      }) as unknown as ScalarLoader;
    const both = new ComparingLoader(loader('own'), loader);
    const wish = { tag: 't', steps: null, points: 1, compared: compared.slice(0, 2) };
    expect((await both.load({ ...wish, runs: null })).map(({ run }) => run)).toEqual(['a', 'first aaaa//a', 'https://x//a']);
    await both.load({ ...wish, runs: ['a', 'https://x//b'] });
    expect(asked).toEqual([
      ['own', null],
      ['aaaaa', null],
      ['bbbbb', null],
      ['own', ['a']],
      ['bbbbb', ['b']],
    ]);
  });
});
