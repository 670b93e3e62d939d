import { describe, expect, it } from 'vitest';
import { paletteItems } from './palette-items.ts';

const tag = (name: string) => ({
  tag: name,
  plugin: 'scalars',
  data_class: 'scalar' as const,
  runs: 1,
  display_name: '',
  description: '',
  superseded_points: 0,
});
const run = (name: string) => ({ run: name, start_time: 1, last_time: 2, status: '', hparams: {}, labels: [], notes: '', archived: false });
const contents = { tags: [tag('train/loss'), tag('val/loss')], runs: [run('lr=1'), run('lossless')] };

describe('the palette', () => {
  it('finds charts, runs and things to do by their words', () => {
    expect(paletteItems(contents, 'loss').map(({ name }) => name)).toEqual(['lossless', 'train/loss', 'val/loss']);
    expect(paletteItems(contents, 'chart val').map(({ change }) => change)).toEqual([{ tab: 'scalars', card: 'val/loss' }]);
    expect(paletteItems(contents, 'zoom').map(({ change }) => change)).toEqual([{ range: null }]);
    expect(paletteItems(contents, 'no such thing')).toEqual([]);
  });

  it('is never longer than one can read', () => {
    const many = { tags: Array.from({ length: 5000 }, (_, i) => tag(`t${i}`)), runs: [] };
    expect(paletteItems(many, '')).toHaveLength(50);
  });
});
