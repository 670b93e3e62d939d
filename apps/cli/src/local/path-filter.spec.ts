import { describe, expect, it } from 'vitest';
import { pathFilter } from './path-filter.ts';

const accepted = (include: string[], exclude: string[], paths: string[]) =>
  paths.filter((path) => pathFilter(include, exclude).accepts(path));
const paths = ['events.tfevents', 'train/events.tfevents', 'val/events.tfevents', 'a/val/events.tfevents', 'a/.hidden/events.tfevents'];

describe('pathFilter', () => {
  it('matches everything without globs', () => expect(accepted([], [], paths)).toEqual(paths));
  it('matches a name at any depth, with everything below it', () =>
    expect(accepted(['val'], [], paths)).toEqual(['val/events.tfevents', 'a/val/events.tfevents']));
  it('matches a glob with a slash from the log directory', () =>
    expect(accepted(['a/*'], [], paths)).toEqual(['a/val/events.tfevents', 'a/.hidden/events.tfevents']));
  it('gives exclusions precedence', () =>
    expect(accepted(['**'], ['val', '.*'], paths)).toEqual(['events.tfevents', 'train/events.tfevents']));
  it('skips folders without possible matches', () => expect(pathFilter([], ['val']).mayContain('a/val')).toBe(false));
});
