import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints, failpoint } from './failpoint.ts';

const logged: string[] = [];
const arm = (settings: string): void => armFailpoints(settings, (line) => void logged.push(line));

afterEach(() => {
  armFailpoints(undefined);
  logged.length = 0;
});

describe('failpoints', () => {
  it('do nothing synchronously unless they are armed', () => {
    expect(failpoint('after-claim')).toBeUndefined();
    arm('');
    expect(failpoint('after-claim')).toBeUndefined();
    expect(logged).toEqual([]);
  });

  it('throw like a store that is down', () => {
    arm('before-ledger-commit=throw');
    expect(() => failpoint('before-ledger-commit')).toThrow(expect.objectContaining({ code: 'store-unavailable' }));
    expect(failpoint('after-ledger-commit')).toBeUndefined();
    expect(logged.slice(1)).toEqual(['failpoint before-ledger-commit: throw\n']);
  });

  it('strike at random, reproducibly for a seed', () => {
    const strikes = (seed: number): boolean[] => {
      arm(`seed=${seed},after-claim=throw:0.3`);
      return Array.from({ length: 200 }, () => {
        try {
          return failpoint('after-claim') !== undefined;
        } catch {
          return true;
        }
      });
    };
    const first = strikes(1);
    expect(strikes(1)).toEqual(first);
    expect(strikes(2)).not.toEqual(first);
    expect(first.filter(Boolean).length).toBeGreaterThan(30);
    expect(first.filter(Boolean).length).toBeLessThan(90);
  });

  it('wait', async () => {
    arm('after-object-put=sleep:1');
    await expect(failpoint('after-object-put')).resolves.toBeUndefined();
  });

  it('announce at once that they are armed, and with what', () => {
    arm('after-claim=kill:0.1,seed=3');
    expect(logged).toEqual([expect.stringMatching(/^FAILPOINTS ARMED: .*PLOTLINE_FAILPOINTS=after-claim=kill:0\.1,seed=3\b.*\n$/)]);
  });

  it.each([
    'nowhere=kill:1',
    'after-claim=burn',
    'after-claim=throw:often',
    'after-claim=skip',
    'sweep=skip',
    'sweep=kill',
    'after-claim',
    'seed=x',
  ])('reject %s', (settings) => {
    expect(() => arm(settings)).toThrow('PLOTLINE_FAILPOINTS');
  });
});
