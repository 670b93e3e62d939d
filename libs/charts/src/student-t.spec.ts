import { expect, it } from 'vitest';
import { t95 } from './student-t.ts';

it("is scipy's t.ppf(0.975, df)", () => {
  const scipy = { 1: 12.706204736, 3: 3.182446305, 9: 2.262157163, 30: 2.042272456, 31: 2.039513446, 60: 2.000297822, 999: 1.962341461 };
  for (const [freedom, value] of Object.entries(scipy)) expect(t95(Number(freedom))).toBeCloseTo(value, 5);
});
