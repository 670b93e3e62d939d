import { expect, it } from 'vitest';
import type { RunJson, TagJson } from '../api/types.ts';
import { tabsOf } from './tabs.ts';

const tag = (plugin: string, data_class: TagJson['data_class']): TagJson => ({
  tag: plugin,
  plugin,
  data_class,
  runs: 1,
  display_name: '',
  description: '',
  superseded_points: 0,
});

it('an experiment has tabs for its data, and the scalars tab while it has none', () => {
  expect(tabsOf([], [])).toEqual(['scalars']);
  expect(tabsOf([tag('images', 'blob_sequence'), tag('text', 'tensor')], [])).toEqual(['images', 'text']);
  expect(tabsOf([tag('text', 'tensor'), tag('scalars', 'scalar')], [])).toEqual(['scalars', 'text']);
  const run = { run: 'a', hparams: {} } as RunJson;
  expect(tabsOf([tag('scalars', 'scalar'), { ...tag('scalars', 'scalar'), tag: 'system/cpu' }], [run])).toEqual(['scalars', 'system']);
  expect(tabsOf([tag('text', 'tensor')], [run], true)).toEqual(['text', 'logs']);
  expect(tabsOf([tag('text', 'tensor')], [run])).toEqual(['text']);
  expect(tabsOf([tag('text', 'tensor')], [run, { ...run, run: 'b' }])).toEqual(['runs', 'text']);
});
