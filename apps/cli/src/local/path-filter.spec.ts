import { describe, expect, it } from 'vitest';
import { pathFilter } from './path-filter.ts';

const accepted = (include: string[], exclude: string[], paths: string[]) =>
  paths.filter((path) => pathFilter(include, exclude).accepts(path));
const paths = ['events.tfevents', 'train/events.tfevents', 'val/events.tfevents', 'a/val/events.tfevents', 'a/.hidden/events.tfevents'];

describe('pathFilter', () => {
  it('wants everything without globs', () => expect(accepted([], [], paths)).toEqual(paths));
  it('takes a name at any depth, with everything below it', () =>
    expect(accepted(['val'], [], paths)).toEqual(['val/events.tfevents', 'a/val/events.tfevents']));
  it('takes a glob with a slash from the log directory on', () =>
    expect(accepted(['a/*'], [], paths)).toEqual(['a/val/events.tfevents', 'a/.hidden/events.tfevents']));
  it('lets an exclusion win', () => expect(accepted(['**'], ['val', '.*'], paths)).toEqual(['events.tfevents', 'train/events.tfevents']));
  it('passes over folders below which nothing can be wanted', () => expect(pathFilter([], ['val']).mayContain('a/val')).toBe(false));
});
