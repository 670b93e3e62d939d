import { expect, it } from 'vitest';
import { describeWith } from '#testing';
import { runCampaign, scheduleHash } from './campaign.ts';
import { seed } from './short-set.ts';

describeWith(['postgres', 'redis', 's3'], `a campaign of faults (seed ${seed})`, () => {
  it('has the same schedule for the same seed', () => {
    expect(scheduleHash(seed)).toBe(scheduleHash(seed));
    expect(scheduleHash(seed)).not.toBe(scheduleHash(seed + 1));
  });

  it('loses no acknowledged data and duplicates none', async () => {
    const { total, check, report } = await runCampaign({ seed, faults: 200, minutes: 2, timeFactor: 5, say: () => undefined });
    expect(check.violations, report).toEqual([]);
    expect(total, report).toBeGreaterThanOrEqual(50);
    expect(check.media, report).toBeGreaterThan(0);
  });
});
