import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { scalarsKey } from './scalars-key.ts';
import { standIn } from './stand-in.ts';

it('the finest loaded data that contains the range stands in for pending data', () => {
  const client = new QueryClient();
  const know = (name: string, steps: { from: number; to: number | null } | null, points = 400, tag = 't'): void => {
    const series = [{ run: name }];
    client.setQueryData(scalarsKey('e', { tag, runs: null, points, compared: [], smoothing: 0, spacing: 'linear', steps }), series);
  };
  const found = (steps: { from: number; to: number | null } | null, tag = 't') => standIn(client, 'e', { tag, steps })?.[0]?.run;
  expect(found(null)).toBeUndefined();
  know('card', null);
  know('large', null, 1200);
  know('part', { from: 0, to: 1000 });
  know('finer', { from: 100, to: 500 });
  know('end', { from: 900, to: null });
  know('other', null, 400, 'u');
  expect(found(null)).toBe('large');
  expect(found({ from: 200, to: 300 })).toBe('finer');
  expect(found({ from: 50, to: 300 })).toBe('part');
  expect(found({ from: 950, to: 5000 })).toBe('end');
  expect(found({ from: 800, to: 1100 })).toBeUndefined();
  expect(found(null, 'u')).toBe('other');
});
