import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ExperimentId,
  type FileId,
  isExperimentId,
  isFileId,
  isRunId,
  isSeriesId,
  isTenantId,
  parseExperimentId,
  parseFileId,
  parseRunId,
  parseSeriesId,
  parseTenantId,
  type RunId,
  type SeriesId,
  type TenantId,
} from './ids.ts';

/*
 * Code that the compiler must reject. `npm run check:types` fails if one of the marked lines
 * compiles. The functions are not called.
 */

const inTenant = (id: TenantId): TenantId => id;
const ofExperiment = (id: ExperimentId): ExperimentId => id;
const ofRun = (id: RunId): RunId => id;
const ofFile = (id: FileId): FileId => id;
const ofSeries = (id: SeriesId): SeriesId => id;

const rejected = {
  'text that nobody checked names no workspace': (text: string) =>
    // @ts-expect-error -- not parsed
    inTenant(text),
  'an experiment is no workspace': (id: ExperimentId) =>
    // @ts-expect-error -- another kind
    inTenant(id),
  'text that nobody checked names no experiment': (text: string) =>
    // @ts-expect-error -- not parsed
    ofExperiment(text),
  'a workspace is no experiment': (id: TenantId) =>
    // @ts-expect-error -- another kind
    ofExperiment(id),
  'text that nobody checked names no run': (text: string) =>
    // @ts-expect-error -- not parsed
    ofRun(text),
  'a file is no run': (id: FileId) =>
    // @ts-expect-error -- another kind
    ofRun(id),
  'text that nobody checked names no file': (text: string) =>
    // @ts-expect-error -- not parsed
    ofFile(text),
  'a series is no file': (id: SeriesId) =>
    // @ts-expect-error -- another kind
    ofFile(id),
  'text that nobody checked names no series': (text: string) =>
    // @ts-expect-error -- not parsed
    ofSeries(text),
  'a run is no series': (id: RunId) =>
    // @ts-expect-error -- another kind
    ofSeries(id),
};
void rejected;

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';
const base62 = '1Ab0f8fad5bd9cb469fa1Z';
const maxBigint = '9223372036854775807';
const serialsOfNothing = ['0', '-1', '007', '+7', '7.0', '1e3', '9223372036854775808', uuid];

describe.each([
  { kind: 'a workspace', id: uuid, is: isTenantId, parse: parseTenantId, wrong: [uuid.toUpperCase(), uuid.replaceAll('-', ''), base62] },
  {
    kind: 'an experiment',
    id: base62,
    is: isExperimentId,
    parse: parseExperimentId,
    wrong: [base62.slice(1), `${base62.slice(1)}-`, uuid],
  },
  { kind: 'a run', id: maxBigint, is: isRunId, parse: parseRunId, wrong: serialsOfNothing },
  { kind: 'an event file', id: maxBigint, is: isFileId, parse: parseFileId, wrong: serialsOfNothing },
  { kind: 'a series', id: maxBigint, is: isSeriesId, parse: parseSeriesId, wrong: serialsOfNothing },
])('an id of $kind', ({ id, is, parse, wrong }) => {
  it('has one form', () => {
    expect(is(id)).toBe(true);
    expect(parse(id)).toBe(id);
    for (const text of ['', ` ${id}`, `${id}\n`, `${id}0`, ...wrong]) {
      expect(is(text)).toBe(false);
      expect(() => parse(text)).toThrow(RangeError);
    }
  });
});

it('a series may have any positive bigint', () => {
  fc.assert(fc.property(fc.bigInt({ min: 1n, max: BigInt(maxBigint) }), (id) => isSeriesId(String(id))));
});
