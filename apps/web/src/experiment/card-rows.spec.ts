import { expect, it } from 'vitest';
import type { TagJson } from '../api/types.ts';
import { panelText } from '#charts';
import { type CardRow, cardRows, columnsIn, firstTags, panelsOf, rowHeight, scalarTags, sectionsOf, tagOrder } from './card-rows.ts';

const tag = (name: string, dataClass: TagJson['data_class'] = 'scalar', plugin = 'scalars'): TagJson => ({
  tag: name,
  data_class: dataClass,
  plugin,
  runs: 1,
  display_name: '',
  description: '',
  superseded_points: 0,
});

const plain = { embed: false, pinned: [], panels: [], folded: [], unfolded: [], tagFilter: '', cardOrder: [], wide: [] };

const textOf = (row: CardRow): string => {
  if (row.kind === 'head') return `# ${row.section.title} ${row.section.tags.length}${row.section.folded ? ' folded' : ''}`;
  if (row.kind !== 'shared') return row.kind === 'wide' ? `[${row.tags.join(' ')}]` : row.tags.join(' ');
  return row.sections.map((one) => `# ${one.title} ${one.tags.join(' ')}`).join(' ');
};

it('orders cards by group: pinned, validation, results, the rest, and last, collapsed, minor ones', () => {
  const tags = ['lr', 'epoch', 'train/b', 'train/loss', 'train/epoch', 'layers/w', 'gpu/mem', 'val/acc', 'val/loss', 'val/x'];
  const rows = cardRows(tags, { ...plain, pinned: ['val/acc', 'gone'] }, 2);
  expect(rows.map(textOf)).toEqual([
    '# Pinned 1',
    'val/acc',
    '# val 3',
    'val/acc val/loss',
    'val/x',
    '# train 3',
    'train/loss train/b',
    'train/epoch',
    '# layers 1',
    'layers/w',
    '# General 2 folded',
    '# gpu 1 folded',
  ]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  expect(tagOrder(tags, plain).slice(0, 4)).toEqual(['val/acc', 'val/loss', 'val/x', 'train/loss']);
});

it('orders the cards of a section as chosen, and gives wide ones rows of their own', () => {
  const tags = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/1', 'b/2'];
  const view = { ...plain, cardOrder: ['a/4', 'gone', 'b/2', 'a/1'], wide: ['a/2', 'b/1'] };
  expect(cardRows(tags, view, 2).map(textOf)).toEqual(['# a 5', 'a/4 a/1', '[a/2]', 'a/3 a/5', '# b 2', 'b/2', '[b/1]']);
  expect(rowHeight('wide', 'small')).toBe(rowHeight('cards', 'large'));
  const panels = [{ tags: ['a/1'] }, { match: 'b' }];
  const kinds = cardRows(tags, { ...plain, panels, wide: [panelText(panels[1]!)] }, 2).map(({ kind }) => kind);
  expect(kinds.slice(0, 3)).toEqual(['head', 'cards', 'wide']);
});

it('puts panels on top', () => {
  const panels = [{ tags: ['train/a', 'val/a'] }, { match: 'a' }, { match: 'b' }];
  const rows = cardRows(['train/a', 'val/a'], { ...plain, panels }, 2);
  expect(rows.slice(0, 3).map((row) => (row.kind === 'cards' ? row.panels : row.kind))).toEqual([
    'head',
    panels.slice(0, 2),
    panels.slice(2),
  ]);
  expect(firstTags([tag('train/a')], { ...plain, panels })).toEqual(['train/a']);
});

it('expands groups that match a search, and the only group', () => {
  const folded = (tags: string[], tagFilter = '') => sectionsOf(tags, { ...plain, tagFilter }).filter((one) => one.folded).length;
  expect(sectionsOf(['loss', 'gpu/mem'], { ...plain, embed: true }).some((one) => one.folded)).toBe(false);
  expect([folded(['loss', 'gpu/mem']), folded(['loss', 'gpu/mem'], 'm'), folded(['gpu/mem', 'epoch'])]).toEqual([1, 0, 0]);
});

it('puts as many small sections side by side as fit', () => {
  const tags = ['a/1', 'a/2', 'b/1', 'c/1', 'd/1', 'd/2', 'd/3', 'd/4', 'e/1'];
  expect(cardRows(tags, plain, 3).map(textOf)).toEqual([
    '# a a/1 a/2 # b b/1',
    '# c 1',
    'c/1',
    '# d 4',
    'd/1 d/2 d/3',
    'd/4',
    '# e 1',
    'e/1',
  ]);
  expect(cardRows(tags, plain, 4).map(textOf)[0]).toBe('# a a/1 a/2 # b b/1 # c c/1');
  expect(cardRows(tags, plain, 1).some(({ kind }) => kind === 'shared')).toBe(false);
});

it('leaves out the cards of a collapsed group', () => {
  expect(cardRows(['train/a', 'val/a'], { ...plain, folded: ['train'] }, 2).map(textOf)).toEqual(['# train 1 folded', '# val 1', 'val/a']);
});

it('counts columns like CSS', () => {
  expect([100, 340, 691, 692, 1300].map((width) => columnsIn(width))).toEqual([1, 1, 1, 2, 3]);
});

it('selects scalar tags', () => {
  const tags = [tag('loss'), tag('loss', 'tensor', 'histograms'), tag('w', 'tensor', 'histograms'), tag('img', 'blob_sequence', 'images')];
  expect(scalarTags(tags, '')).toEqual(['loss']);
  expect(scalarTags(tags, 'acc')).toEqual([]);
});

it('groups measurements of the machine by device where there is nothing else', () => {
  const tags = ['disk/used_percent', 'load', 'gpu/10/watts', 'gpu/2/watts', 'gpu/2/percent', 'cpu/percent', 'fan/rpm'].map(
    (name) => `system/${name}`,
  );
  const sections = sectionsOf(tags, { ...plain, folded: ['system/gpu/2'] });
  expect(sections.map(({ title, tags: members, folded }) => [title, members.length, folded])).toEqual([
    ['GPU 2', 2, true],
    ['GPU 10', 1, false],
    ['CPU', 1, false],
    ['Disk', 1, false],
    ['General', 1, false],
    ['fan', 1, false],
  ]);
  expect(sectionsOf(['train/loss', ...tags], plain).map(({ title }) => title)).toEqual(['train', 'system']);
  expect(sectionsOf([], plain)).toEqual([]);
});

it('shows panels where their tags are', () => {
  const [mixed, machine, pattern] = [
    { tags: ['a', 'system/b'] },
    { tags: ['system/gpu/0/watts', 'system/gpu/1/watts'] },
    { match: 'system/.*' },
  ];
  const all = [mixed, machine, pattern];
  expect(panelsOf(all, 'system')).toEqual([machine]);
  expect(panelsOf(all, 'scalars')).toEqual([mixed, pattern]);
  expect(panelsOf(all)).toEqual(all);
});

it('divides a large group by the next parts of its tags, into sections that fold with it', () => {
  const tags = [
    ...Array.from({ length: 12 }, (_, i) => [`layers/${i}/w`, `layers/${i}/b`, `layers/${i}/loss`]).flat(),
    'layers/mean',
    'val/loss',
  ];
  const rows = cardRows(tags, plain, 3).map(textOf);
  expect(rows.slice(0, 6)).toEqual([
    '# val 1',
    'val/loss',
    '# layers 1',
    'layers/mean',
    '# layers/0 3',
    'layers/0/loss layers/0/b layers/0/w',
  ]);
  expect(tagOrder(tags, plain).toSorted()).toEqual(tags.toSorted());
  const folded = cardRows(tags, { ...plain, folded: ['layers', 'layers/3'] }, 3).map(textOf);
  expect(folded).toEqual(['# val 1', 'val/loss', '# layers 1 folded']);
  // An outline in which only sections that were expanded one by one are expanded
  const outline = cardRows(tags, { ...plain, folded: ['/all'], unfolded: ['layers', 'layers/11'] }, 3).map(textOf);
  expect(outline.slice(0, 4)).toEqual(['# val 1 folded', '# layers 1', 'layers/mean', '# layers/0 3 folded']);
  expect(outline.slice(-2)).toEqual(['# layers/11 3', 'layers/11/loss layers/11/b layers/11/w']);
  // Small sections share rows only with sibling sections
  const pairs = cardRows(
    tags.filter((name) => !name.endsWith('/w')),
    plain,
    5,
  ).map(textOf);
  expect(pairs.slice(2, 5)).toEqual([
    '# layers 1',
    'layers/mean',
    '# layers/0 layers/0/loss layers/0/b # layers/1 layers/1/loss layers/1/b',
  ]);
  expect(sectionsOf(tags, { ...plain, embed: true }).map(({ total, depth }) => [total, depth])).toEqual([
    [1, 0],
    [37, 0],
  ]);
});
