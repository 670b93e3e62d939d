import { afterEach, describe, expect, it } from 'vitest';
import { armFailpoints, failpoint } from './failpoint.ts';

const said: string[] = [];
const arm = (settings: string): void => armFailpoints(settings, (line) => void said.push(line));

afterEach(() => {
  armFailpoints(undefined);
  said.length = 0;
});

describe('failpoints', () => {
  it('do nothing, and give nothing to wait for, unless they are armed', () => {
    expect(failpoint('after-claim')).toBeUndefined();
    arm('');
    expect(failpoint('after-claim')).toBeUndefined();
    expect(said).toEqual([]);
  });

  it('throw as a store that is away', () => {
    arm('before-ledger-commit=throw');
    expect(() => failpoint('before-ledger-commit')).toThrow(expect.objectContaining({ code: 'store-unavailable' }));
    expect(failpoint('after-ledger-commit')).toBeUndefined();
    expect(said.slice(1)).toEqual(['failpoint before-ledger-commit: throw\n']);
  });

  it('strike by chance, in the same way for the same seed', () => {
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

  it('say at once that they are armed, and with what', () => {
    arm('after-claim=kill:0.1,seed=3');
    expect(said).toEqual([expect.stringMatching(/^FAILPOINTS ARMED: .*PLOTLINE_FAILPOINTS=after-claim=kill:0\.1,seed=3\b.*\n$/)]);
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
  ])('refuse %s', (settings) => {
    expect(() => arm(settings)).toThrow('PLOTLINE_FAILPOINTS');
  });
});
