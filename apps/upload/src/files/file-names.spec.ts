import { expect, it } from 'vitest';
import { limits } from '#model';
import { checkFileName, checkRunName } from './file-names.ts';

const tooLong = expect.objectContaining({ code: 'name-too-long' }) as Error;

it('limits the UTF-8 bytes of a name', () => {
  const runs = ['x'.repeat(limits.maxRunNameBytes), 'ü'.repeat(limits.maxRunNameBytes / 2)];
  for (const run of runs) {
    expect(checkRunName(run)).toBe(run);
    expect(() => checkRunName(`${run}x`)).toThrow(tooLong);
  }
  const ending = '.tfevents';
  const file = 'x'.repeat(limits.maxFileNameBytes - ending.length) + ending;
  expect(checkFileName(file)).toBe(file);
  expect(() => checkFileName(`x${file}`)).toThrow(tooLong);
});

it('rejects an empty name', () => {
  expect(checkRunName('.')).toBe('.');
  expect(() => checkRunName('')).toThrow(expect.objectContaining({ code: 'invalid-name' }) as Error);
});
