import { expect, it } from 'vitest';
import { groupTags, splitTag } from './tag-groups.ts';

it('groups tags by their first segment, in natural order, those without a slash first', () => {
  expect(groupTags(['val/loss', 'layer10/w', 'loss', 'layer2/w', 'val/acc', 'layer2/b', 'lr', '/odd', 'end/'])).toEqual([
    { name: '', tags: ['/odd', 'end/', 'loss', 'lr'] },
    { name: 'layer2', tags: ['layer2/b', 'layer2/w'] },
    { name: 'layer10', tags: ['layer10/w'] },
    { name: 'val', tags: ['val/acc', 'val/loss'] },
  ]);
  expect(groupTags([])).toEqual([]);
});

it('splits a tag at its first slash', () => {
  expect(splitTag('train/loss/total')).toEqual({ group: 'train/', rest: 'loss/total' });
  expect(splitTag('loss')).toEqual({ group: '', rest: 'loss' });
  expect(splitTag('')).toEqual({ group: '', rest: '' });
});
