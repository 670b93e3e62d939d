import { expect, it } from 'vitest';
import { PublicUrl } from './public-url.ts';

it.each([
  ['http://127.0.0.1:6100', 'http://127.0.0.1:6100/e/x', ''],
  ['https://Plots.Example/', 'https://plots.example/e/x', ''],
  ['https://plots.example/a/b/', 'https://plots.example/a/b/e/x', '/a/b'],
])('makes addresses below %s', (url, address, path) => {
  expect(new PublicUrl(url).at('/e/x')).toBe(address);
  expect(new PublicUrl(url).path).toBe(path);
});

it('takes web addresses only', () => {
  expect(() => new PublicUrl('javascript:alert(1)')).toThrow(/http/);
  expect(() => new PublicUrl('plots.example')).toThrow('Invalid URL');
});

it.each(['plots.example', 'PLOTS.example', 'localhost', 'localhost:6100', '127.0.0.1:6100', '192.168.1.5:80', '[::1]:6100', '[fe80::1]'])(
  'knows that %s can only be this service',
  (host) => {
    expect(new PublicUrl('https://plots.example').isOurHost(host)).toBe(true);
  },
);

it.each([
  undefined,
  '',
  'evil.example',
  'plots.example.evil',
  'plots.example:444',
  'localhost.evil',
  '127.0.0.1.evil',
  '1.2.3',
  '[::1].evil',
  '[evil]',
  '127.0.0.1@evil',
])('does not trust the name %s', (host) => {
  expect(new PublicUrl('https://plots.example').isOurHost(host)).toBe(false);
});
