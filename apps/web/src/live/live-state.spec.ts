import { expect, it } from 'vitest';
import type { FrontierJson } from '../api/types.ts';
import { liveText, unheard, withFrontier } from './live-state.ts';

const frontier = (bytes: number, visible = true): FrontierJson => ({
  epoch: bytes,
  acknowledged_epoch: bytes,
  acknowledged_bytes: bytes,
  visible_bytes: bytes,
  visible,
});

it('shows nothing for an experiment without new data', () => {
  expect(liveText(withFrontier(unheard, frontier(5), 1000), 2000)).toBeNull();
});

it('shows live while data arrives, and for a minute after', () => {
  const grown = withFrontier(withFrontier(unheard, frontier(5), 1000), frontier(9), 3000);
  expect(liveText(grown, 4000)).toEqual({ text: 'live', live: true });
  expect(liveText(grown, 70_000)).toBeNull();
});

it('shows the delay of pending data', () => {
  const waiting = withFrontier(withFrontier(unheard, frontier(5, false), 1000), frontier(5, false), 2000);
  expect(liveText(waiting, 1500)?.text).toBe('live');
  expect(liveText(waiting, 3300)?.text).toBe('live, 2.3 s behind');
  expect(liveText(waiting, 61_000)?.text).toBe('live, 60 s behind');
  expect(liveText({ ...waiting, deleted: true }, 0)).toEqual({ text: 'deleted', live: false });
});

it('shows that the page is not connected, after a while', () => {
  expect(liveText({ ...unheard, missing: true }, 0)).toEqual({ text: 'not live; reload the page', live: false });
  const lost = { ...withFrontier(unheard, frontier(5), 1000), lostAt: 10_000 };
  expect(liveText(lost, 11_000)).toBeNull();
  expect(liveText(lost, 12_000)).toEqual({ text: 'not connected', live: false });
  expect(liveText(withFrontier(lost, frontier(5), 13_000), 13_000)).toBeNull();
  expect(liveText({ ...lost, rejected: true }, 0)?.text).toBe('access lost');
});
