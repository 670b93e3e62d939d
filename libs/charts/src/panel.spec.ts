import { expect, it } from 'vitest';
import { maxPanels, maxPanelTags, type Panel, panelAddress, panelTags, panelText, plainHeatMap, readPanels } from './panel.ts';

const all = ['layers.1/norm', 'layers.2/norm', 'train/loss', 'val/loss'];

it('draws the existing tags that a panel lists or that its filter matches', () => {
  expect(panelTags({ tags: ['val/loss', 'gone', 'train/loss'] }, all)).toEqual(['val/loss', 'train/loss']);
  expect(panelTags({ match: 'layers.*/norm' }, all)).toEqual(['layers.1/norm', 'layers.2/norm']);
  expect(panelTags({ match: '[' }, all)).toEqual([]);
  const many = Array.from({ length: 100 }, (_, i) => `t${i}`);
  expect(panelTags({ match: 't' }, many)).toHaveLength(maxPanelTags);
});

it('parses what it writes, each panel once, and nothing else', () => {
  const panels = [{ tags: ['a', 'b"}'] }, { match: 'x|y' }];
  expect(readPanels([...panels, panels[0]!].map(panelText))).toEqual(panels);
  expect(readPanels(['', '{', '[]', 'null', '{"tags":[]}', '{"tags":"a"}', '{"match":""}', '{"match":1}', '{"tags":[1,null]}'])).toEqual(
    [],
  );
  expect(readPanels(['{"tags":["a","a",2,"b"]}'])).toEqual([{ tags: ['a', 'b'] }]);
});

it('keeps how a panel is drawn in its address, and out of its identity', () => {
  const panels: Panel[] = [
    { match: 'x', heatMap: plainHeatMap },
    { tags: ['a', 'b', 'c'], heatMap: { scale: 'log', value: 'last', run: 'seed "1"' } },
  ];
  expect(panels.map(panelAddress)).toEqual([
    '{"match":"x","heatMap":{}}',
    '{"tags":["a","b","c"],"heatMap":{"scale":"log","value":"last","run":"seed \\"1\\""}}',
  ]);
  expect(readPanels(panels.map(panelAddress))).toEqual(panels);
  expect(panels.map(panelText)).toEqual(['{"match":"x"}', '{"tags":["a","b","c"]}']);
  expect(readPanels(['{"match":"x"}', '{"match":"x","heatMap":{}}'])).toEqual([panels[0]]);
  expect(readPanels(['{"match":"x","heatMap":{"run":"other//a"}}'])).toEqual([panels[0]]);
  expect(readPanels(['{"match":"x","heatMap":{"scale":"x","value":3,"run":[]}}', '{"match":"y","heatMap":1}'])).toEqual([
    panels[0],
    { match: 'y' },
  ]);
});

it('is bounded', () => {
  expect(readPanels(Array.from({ length: 50 }, (_, i) => panelText({ match: `t${i}` })))).toHaveLength(maxPanels);
  expect(readPanels([panelText({ match: 'x'.repeat(501) })])).toEqual([]);
});
