import { expect, it } from 'vitest';
import { changesOf } from './written.ts';

it('sends only what was changed', () => {
  const before = { name: 'a', description: '', labels: ['x', 'y'], notes: 'n' };
  expect(changesOf(before, { ...before, labels: ['x', 'y'] })).toEqual({});
  expect(changesOf(before, { ...before, description: 'd' })).toEqual({ description: 'd' });
  expect(changesOf(before, { ...before, labels: ['x'], notes: '' })).toEqual({ labels: ['x'], notes: '' });
  expect(changesOf({ labels: [], notes: '' }, { labels: [], notes: 'n' })).toEqual({ notes: 'n' });
});
