import { describe, expect, it } from 'vitest';
import { MeasuredLanes } from './lanes.ts';

/** Sends through a link with these maximum rates, per connection and in total (bytes/ms). */
function sendThrough(
  link: { each: number; all: number },
  { ms, bodyBytes = 1_000_000 }: { ms: number; bodyBytes?: number },
  lanes?: MeasuredLanes,
) {
  const clock = { ms: 0 };
  const measured = lanes ?? new MeasuredLanes(() => clock.ms);
  const used: number[] = [];
  let acknowledged = 0;
  // Each active connection sends one body; the body with the fewest bytes left finishes next
  let underWay = Array.from({ length: measured.now }, (_, i) => bodyBytes * ((i + 1) / measured.now));
  while (clock.ms < ms) {
    const rate = Math.min(link.each, link.all / underWay.length);
    const left = Math.min(...underWay);
    clock.ms += left / rate;
    underWay = underWay.map((bytes) => bytes - left);
    underWay.splice(
      underWay.findIndex((bytes) => bytes <= 1e-6),
      1,
    );
    acknowledged += bodyBytes;
    measured.acknowledged(bodyBytes);
    while (underWay.length < measured.now) underWay.push(bodyBytes);
    used.push(underWay.length);
  }
  return { measured, used, rate: acknowledged / clock.ms };
}

describe('MeasuredLanes', () => {
  it('uses eight connections where each gets a seventh of the link, and then nearly all of it', () => {
    const { measured, rate } = sendThrough({ each: 10_000, all: 70_000 }, { ms: 60_000 });
    expect(measured.now).toBe(8);
    expect(rate).toBeGreaterThan(0.9 * 70_000);
  });

  it('mostly uses four where four fill the link, and tries more occasionally', () => {
    const { used } = sendThrough({ each: 70_000, all: 70_000 }, { ms: 600_000 });
    expect(used.filter((lanes) => lanes === 4).length / used.length).toBeGreaterThan(0.85);
    expect(Math.max(...used)).toBe(8);
  });

  it('uses eight where six fill the link', () => {
    const { used } = sendThrough({ each: 10_000, all: 60_000 }, { ms: 600_000 });
    expect(used.filter((lanes) => lanes === 8).length / used.length).toBeGreaterThan(0.85);
  });

  it('does not measure while connections have nothing to send', () => {
    const clock = { ms: 0 };
    const lanes = new MeasuredLanes(() => clock.ms);
    for (let i = 0; i < 1000; i++) {
      clock.ms += 100;
      lanes.acknowledged(1000);
      lanes.idle();
    }
    expect(lanes.now).toBe(4);
  });
});
