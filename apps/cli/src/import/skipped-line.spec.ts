import { expect, it } from 'vitest';
import { skippedLine } from './skipped-line.ts';

it.each([
  ['rows', 'their step is not a whole number', '1 row: its step is not a whole number'],
  ['superseded rows', 'they were replaced', '1 superseded row: it was replaced'],
  ['rows', 'they have no run or no tag', '1 row: it has no run or no tag'],
  ['file records', 'files are not imported', '1 file record: files are not imported'],
  ['lines of console output', 'they are not imported', '1 line of console output: it is not imported'],
  ['TensorBoard folders', 'upload them: they have event files', '1 TensorBoard folder: upload it: it has event files'],
  ['values of the type images', 'they are not imported', '1 value of the type images: it is not imported'],
  ['tags of runs', 'label the runs on the page', '1 tag of a run: label the runs on the page'],
  ['history records', 'no run record precedes them', '1 history record: no run record precedes it'],
  ['lists or empty values', 'only numbers and text are imported', '1 list or empty value: only numbers and text are imported'],
])('counts one of the %s', (what, why, line) => {
  expect(skippedLine({ what, why, count: 1 })).toBe(`Not imported: ${line}.`);
  expect(skippedLine({ what, why, count: 2 })).toBe(`Not imported: 2 ${what}: ${why}.`);
});

it.each(['the rest of /logs/runs', 'configuration layers'])('does not count %s', (what) => {
  expect(skippedLine({ what, why: 'it has no value', count: 1 })).toBe(`Not imported: ${what}: it has no value.`);
});
