import { expect, it } from 'vitest';
import { plainView } from './view.ts';
import { addressOf, experimentPathOf, runAddresses, searchWithRun, viewOfAddress } from './view-address.ts';

const experiment = '/prefix/e/AAAAAAAAAAAAAAAAAAAAAA';

it('encodes the run of a page in the path, and parses it', () => {
  const view = { ...plainView, about: 'sweep/lr=0.1', smoothing: 0 };
  expect(addressOf(view)).toBe('/r/sweep/lr%3D0.1?smoothing=0');
  expect(addressOf({ ...plainView, about: 'a' })).toBe('/r/a');
  expect(addressOf(plainView)).toBe('');
  expect(experimentPathOf(`${experiment}/r/sweep/lr%3D0.1`)).toBe(experiment);
  expect(experimentPathOf(experiment)).toBe(experiment);
  expect(searchWithRun(experiment, '?smoothing=0')).toBe('?smoothing=0');
});

it.each([
  'a',
  'a/b',
  '.',
  '..',
  '../..',
  'a/../b',
  'a//b',
  '/a',
  'a/',
  '100%',
  '%2e%2e',
  '?q=1&about=x#h',
  'a\\b',
  '\u0000\n\u202e',
  'prüfung ☃/lr=0.003',
  "<script>alert('x')</script>",
  'e/r/r/x',
  'loss.svg',
  '/e/x/r/y',
])('survives an address as a browser reads it: %j', (about) => {
  const url = new URL(`http://host${experiment}${addressOf({ ...plainView, about, tab: 'images' })}`);
  expect(experimentPathOf(url.pathname)).toBe(experiment);
  expect(viewOfAddress(url.pathname, url.search)).toEqual({ ...plainView, about, tab: 'images' });
  expect(runAddresses({ ...plainView, tab: 'images', about: 'other' })(about)).toBe(addressOf({ ...plainView, about, tab: 'images' }));
});

it('keeps a path that is not a valid encoding', () => {
  expect(viewOfAddress(`${experiment}/r/100%`, '').about).toBe('100%');
  expect(viewOfAddress(`${experiment}/r/a`, '?about=b').about).toBe('a');
});
