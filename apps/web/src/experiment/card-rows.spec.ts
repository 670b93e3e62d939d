import { expect, it } from 'vitest';
import type { TagJson } from '../api/types.ts';
import { cardRows, columnsIn, scalarTags } from './card-rows.ts';

const tag = (name: string, dataClass: TagJson['data_class'] = 'scalar', plugin = 'scalars'): TagJson => ({
  tag: name,
  data_class: dataClass,
  plugin,
  runs: 1,
  display_name: '',
  description: '',
  superseded_points: 0,
});

it('puts cards into lines by group, pinned ones first', () => {
  const rows = cardRows(['lr', 'train/a', 'train/b', 'train/c', 'val/a'], { pinned: ['val/a', 'gone'], folded: [] }, 2);
  expect(rows.map((row) => (row.kind === 'head' ? `# ${row.title} ${row.count}` : row.tags.join(' ')))).toEqual([
    '# Pinned 1',
    'val/a',
    '#  1',
    'lr',
    '# train 3',
    'train/a train/b',
    'train/c',
    '# val 1',
    'val/a',
  ]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

it('leaves the cards of a folded group out', () => {
  expect(cardRows(['train/a', 'val/a'], { pinned: [], folded: ['train'] }, 2).map(({ kind }) => kind)).toEqual(['head', 'head', 'cards']);
});

it('counts columns as CSS does', () => {
  expect([100, 340, 691, 692, 1300].map(columnsIn)).toEqual([1, 1, 1, 2, 3]);
});

it('knows scalars from the rest', () => {
  const tags = [tag('loss'), tag('loss', 'tensor', 'histograms'), tag('w', 'tensor', 'histograms'), tag('img', 'blob_sequence', 'images')];
  expect(scalarTags(tags, '')).toEqual(['loss']);
  expect(scalarTags(tags, 'acc')).toEqual([]);
});
