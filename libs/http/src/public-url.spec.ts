import { expect, it } from 'vitest';
import { PublicUrl } from './public-url.ts';

it.each([
  ['http://127.0.0.1:6100', 'http://127.0.0.1:6100/e/x', ''],
  ['https://Plots.Example/', 'https://plots.example/e/x', ''],
  ['https://plots.example/a/b/', 'https://plots.example/a/b/e/x', '/a/b'],
])('builds addresses below %s', (url, address, path) => {
  expect(new PublicUrl(url).at('/e/x')).toBe(address);
  expect(new PublicUrl(url).path).toBe(path);
});

it('accepts http and https addresses only', () => {
  expect(() => new PublicUrl('javascript:alert(1)')).toThrow(/http/);
  expect(() => new PublicUrl('plots.example')).toThrow('Invalid URL');
});

it.each(['plots.example', 'PLOTS.example', 'localhost', 'localhost:6100', '127.0.0.1:6100', '192.168.1.5:80', '[::1]:6100', '[fe80::1]'])(
  'recognizes %s as this service only',
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

it.each([
  ['https://plots.example', 'plots.example', true],
  ['https://plots.example', '127.0.0.1:6103', true], // a proxy that does not forward the Host header
  ['http://plots.example', 'plots.example', false],
  ['https://plots.example:8443', 'plots.example', false],
  ['https://plots.example.evil.example', 'plots.example', false],
  ['http://localhost:6100', 'localhost:6100', true],
  ['http://127.0.0.1:6100', '127.0.0.1:6100', true],
  ['http://127.0.0.1:6101', '127.0.0.1:6100', false],
  ['https://evil.example', 'evil.example', false],
  ['null', 'plots.example', false],
])('recognizes a page of %s at %s as its own: %s', (origin, host, own) => {
  expect(new PublicUrl('https://plots.example/plotline').isOurOrigin(origin, host)).toBe(own);
});
