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

it('says nothing of an experiment to which nothing comes', () => {
  expect(liveText(withFrontier(unheard, frontier(5), 1000), 2000)).toBeNull();
});

it('is live while data come, and for a minute', () => {
  const grown = withFrontier(withFrontier(unheard, frontier(5), 1000), frontier(9), 3000);
  expect(liveText(grown, 4000)).toEqual({ text: 'live', live: true });
  expect(liveText(grown, 70_000)).toBeNull();
});

it('says how long something waits', () => {
  const waiting = withFrontier(withFrontier(unheard, frontier(5, false), 1000), frontier(5, false), 2000);
  expect(liveText(waiting, 1500)?.text).toBe('live');
  expect(liveText(waiting, 3300)?.text).toBe('live, 2.3 s behind');
  expect(liveText(waiting, 61_000)?.text).toBe('live, 60 s behind');
  expect(liveText({ ...waiting, deleted: true }, 0)).toEqual({ text: 'deleted', live: false });
});

it('says that it hears nothing, when it stays so', () => {
  expect(liveText({ ...unheard, missing: true }, 0)).toEqual({ text: 'not live, reload the page', live: false });
  const lost = { ...withFrontier(unheard, frontier(5), 1000), lostAt: 10_000 };
  expect(liveText(lost, 11_000)).toBeNull();
  expect(liveText(lost, 12_000)).toEqual({ text: 'not connected', live: false });
  expect(liveText(withFrontier(lost, frontier(5), 13_000), 13_000)).toBeNull();
  expect(liveText({ ...lost, refused: true }, 0)?.text).toBe('access lost');
});
