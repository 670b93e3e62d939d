import { expect, it } from 'vitest';
import { isSummaryMetadata, isTensorProto } from './well-formed.ts';

it.each([
  ['', true],
  ['080712070a050a0301', false],
  ['08071200420161', true],
  ['0807ff', false],
  ['08011200220400', false],
  ['080112002a0400', false],
])('a tensor of the bytes %s: %s', (hex, expected) => {
  expect(isTensorProto(Buffer.from(hex, 'hex'))).toBe(expected);
});

it.each([
  ['', true],
  ['0a060a0474657874', true],
  ['0a060a0574657874', false],
  ['0a030a01ff', false],
  ['ff', false],
  ['2001', true],
])('metadata of the bytes %s: %s', (hex, expected) => {
  expect(isSummaryMetadata(Buffer.from(hex, 'hex'))).toBe(expected);
});
