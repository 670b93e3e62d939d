import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markSuperseded } from '#chunks';
import { type FileBatch, limits, type SeriesMeta } from '#model';
import { RecordReader } from '#records';
import { frameRecord, frameRecords } from '#records/testing';
import { PointCollector } from './index.ts';
import { doubles, field, floats, message, type MetadataSpec, summaryEvent, tensor, summaryValue } from './testing/event-bytes.ts';

const simple = (number: number) => field(2, number);
const float = (number: number) => field(8, tensor(1n, [], field(5, floats(number))));
const strings = (shape: number[], ...texts: string[]) => field(8, tensor(7n, shape, ...texts.map((text) => field(8, text))));

describe('the first value of a tag determines its series (E.20)', () => {
  it.each<[string, Uint8Array, MetadataSpec | undefined, Partial<SeriesMeta>]>([
    ['a simple value', simple(1), undefined, { dataClass: 'scalar', plugin: 'scalars', displayName: 'a/b', listed: true }],
    [
      'a simple value of a foreign plugin',
      simple(1),
      { plugin: 'other', content: Buffer.from('x'), displayName: 'Shown', description: 'D' },
      { dataClass: 'scalar', plugin: 'scalars', displayName: 'Shown', description: 'D', pluginContent: new Uint8Array(0) },
    ],
    [
      'a class that is given',
      float(1),
      { plugin: 'own', content: Buffer.from('x'), dataClass: 2n },
      { dataClass: 'tensor', plugin: 'own', pluginContent: new Uint8Array(Buffer.from('x')), displayName: '', listed: true },
    ],
    [
      'a class that is given, also beside a simple value',
      simple(1),
      { plugin: 'own', dataClass: 2n },
      { dataClass: 'tensor', plugin: 'own' },
    ],
    [
      'a known plugin',
      float(1),
      { plugin: 'scalars', content: Buffer.from('x') },
      { dataClass: 'scalar', plugin: 'scalars', pluginContent: new Uint8Array(Buffer.from('x')), displayName: '' },
    ],
    ['text', strings([1], 'hello'), { plugin: 'text' }, { dataClass: 'tensor', plugin: 'text' }],
    ['images', strings([3], '1', '2', 'png'), { plugin: 'images' }, { dataClass: 'blob_sequence' }],
    ['an unknown plugin', float(1), { plugin: 'own' }, { dataClass: 'tensor', plugin: 'own', listed: false }],
    ['a class number that nobody knows', float(1), { plugin: 'own', dataClass: 7n }, { dataClass: 'tensor', listed: false }],
    ['no metadata', float(1), undefined, { dataClass: 'tensor', plugin: '', listed: false }],
    [
      'a legacy image',
      field(4, message(field(1, 480n), field(2, 640n), field(4, 'png'))),
      undefined,
      { dataClass: 'blob_sequence', plugin: 'images', pluginContent: Uint8Array.of(0x10, 1), displayName: 'a/b' },
    ],
    [
      'legacy audio',
      field(6, message(field(4, 'wav'))),
      undefined,
      { dataClass: 'blob_sequence', plugin: 'audio', pluginContent: Uint8Array.of(0x10, 11, 0x18, 1) },
    ],
    ['a legacy histogram', field(5, message()), { description: 'D' }, { dataClass: 'tensor', plugin: 'histograms', description: 'D' }],
  ])('%s', (_, data, meta, expected) => {
    const { series, problems } = read(summaryEvent(1n, 2, summaryValue('a/b', data, meta)));
    expect(problems).toEqual([]);
    expect(series).toHaveLength(1);
    expect(series[0]!.meta).toMatchObject({ tag: 'a/b', twin: false, ...expected });
  });

  it('for the whole run, also when an earlier reader saw it', () => {
    const events = [
      summaryEvent(1n, 2, summaryValue('a', float(1), { plugin: 'scalars', description: 'first' })),
      summaryEvent(2n, 3, summaryValue('a', float(2), { plugin: 'text', description: 'second' })),
      summaryEvent(3n, 4, summaryValue('a', float(3))),
    ];
    const expected = { meta: { description: 'first', dataClass: 'scalar' }, scalars: { values: Float64Array.of(1, 2, 3) } };
    expect(read(...events).series).toMatchObject([expected]);
    const known = read(events[0]!).series.map(({ meta }) => meta);
    const later = new PointCollector(known);
    feed(later, events.slice(1));
    expect(later.take().series).toMatchObject([{ meta: known[0], scalars: { values: Float64Array.of(2, 3) } }]);
  });
});

describe('legacy values', () => {
  const histogram = (lists: { limits: number[]; counts: number[] }, [min, max] = [-1.999, 1.999]) =>
    read(
      summaryEvent(
        0n,
        1,
        summaryValue(
          'h',
          field(
            5,
            message(
              field(1, { double: min }),
              field(2, { double: max }),
              field(6, doubles(...lists.limits)),
              field(7, doubles(...lists.counts)),
            ),
          ),
        ),
      ),
    ).series;

  it('histograms lose empty buckets at both ends and get min and max as outer edges (E.18)', () => {
    const [series] = histogram({ limits: [-2, -1, 0, 1, 2, Number.MAX_VALUE], counts: [0, 10, 20, 20, 10, 0] });
    expect(series!.tensors[0]).toMatchObject({
      dtype: 'float64',
      shape: [4, 3],
      data: doubles(-1.999, -1, 10, -1, 0, 20, 0, 1, 20, 1, 1.999, 10),
    });
    expect(histogram({ limits: [5], counts: [3] })[0]!.tensors[0]).toMatchObject({ shape: [1, 3], data: doubles(-1.999, 1.999, 3) });
    const max = Number.MAX_VALUE;
    const extremes = { limits: [-max, -1, 1, max], counts: [0, 1, 0, 1] };
    expect(histogram(extremes, [-max, max])[0]!.tensors[0]).toMatchObject({
      shape: [3, 3],
      data: doubles(-max, -1, 1, -1, 1, 0, 1, max, 1),
    });
  });

  it('empty histograms have no rows (E.18)', () => {
    for (const lists of [
      { limits: [], counts: [] },
      { limits: [1, 2], counts: [0, 0] },
    ]) {
      expect(histogram(lists)[0]!.tensors).toMatchObject([{ dtype: 'float64', shape: [0, 3], data: new Uint8Array(0) }]);
    }
  });

  it('a histogram with too few edges goes unchanged to the twin (E.18)', () => {
    const series = histogram({ limits: [1], counts: [1, 2, 3] });
    expect(series).toMatchObject([
      { meta: { twin: false }, tensors: [], mismatchedPoints: 1 },
      { meta: { twin: true, listed: false }, tensors: [{ dtype: 'undecodable' }] },
    ]);
  });

  it('images become width, height and data, and audio one clip (E.19)', () => {
    const image = field(4, message(field(1, 480n), field(2, 640n), field(4, 'png')));
    const { series } = read(summaryEvent(0n, 1, summaryValue('i', image), summaryValue('a', field(6, message(field(4, 'wav'))))));
    expect(series.map(({ blobSequences }) => textsOf(blobSequences[0]!.blobs))).toEqual([['640', '480', 'png'], ['wav']]);
  });
});

describe('conversion of values to the class of their series', () => {
  it.each<[string, Uint8Array, number]>([
    ['float_val', float(0.5), 0.5],
    ['float_val not packed', field(8, tensor(1n, [], field(5, 0.5))), 0.5],
    ['tensor_content', field(8, tensor(1n, [], field(4, floats(0.5)))), 0.5],
    ['no shape', field(8, tensor(1n, null, field(5, floats(0.5)))), 0.5],
    ['float64', field(8, tensor(2n, [], field(6, doubles(0.1)))), 0.1],
    ['double_val not packed', field(8, tensor(2n, [], Uint8Array.of(0x31, ...doubles(0.1)))), 0.1],
    ['double_val not packed, no shape', field(8, tensor(2n, null, Uint8Array.of(0x31, ...doubles(0.1)))), 0.1],
    ['half', field(8, tensor(19n, [], field(13, Uint8Array.of(0x80, 0x78)))), 1],
    ['int8', field(8, tensor(6n, [], field(7, -3n))), -3],
    ['uint64', field(8, tensor(23n, [], field(17, 2n ** 63n))), 2 ** 63],
    ['int32', field(8, tensor(3n, [], field(7, 5n))), 5],
    ['bool', field(8, tensor(10n, [], field(11, 1n))), 1],
    ['bool that is false', field(8, tensor(10n, [1], field(4, Uint8Array.of(0)))), 0],
    ['bfloat16', field(8, tensor(14n, [], field(13, 0x3fc0n))), 1.5],
    ['bfloat16 of shape [1], packed', field(8, tensor(14n, [1], field(4, Uint8Array.of(0xc0, 0x3f)))), 1.5],
    ['qint8', field(8, tensor(11n, [], field(7, -3n))), -3],
    ['quint8', field(8, tensor(12n, [], field(7, 200n))), 200],
    ['qint32', field(8, tensor(13n, [], field(7, -70_000n))), -70_000],
    ['qint16', field(8, tensor(15n, [], field(7, -300n))), -300],
    ['quint16', field(8, tensor(16n, [1], field(7, 65_535n))), 65_535],
    ['float8_e5m2', field(8, tensor(24n, [], field(18, Uint8Array.of(0x3e)))), 1.5],
    ['float8_e4m3fn', field(8, tensor(25n, [1], field(18, Uint8Array.of(0x3c)))), 1.5],
    ['float8_e4m3fnuz', field(8, tensor(26n, [], field(4, Uint8Array.of(0x44)))), 1.5],
    ['float8_e4m3b11fnuz', field(8, tensor(27n, [], field(18, Uint8Array.of(0x5c)))), 1.5],
    ['float8_e5m2fnuz', field(8, tensor(28n, [], field(18, Uint8Array.of(0x42)))), 1.5],
    ['int4', field(8, tensor(29n, [], field(7, -3n))), -3],
    ['uint4', field(8, tensor(30n, [], field(7, 13n))), 13],
    ['one element of rank 1', field(8, tensor(1n, [1], field(5, floats(7)))), 7],
    ['one element of rank 3', field(8, tensor(1n, [1, 1, 1], field(4, floats(7)))), 7],
    ['a NaN', float(NaN), NaN],
  ])('a scalar from %s, for the first value and later ones (E.17)', (_, data, expected) => {
    const { series } = read(...[1n, 2n].map((step) => summaryEvent(step, 2, summaryValue('s', data, { plugin: 'scalars' }))));
    expect(series).toMatchObject([{ scalars: { values: Float64Array.of(expected, expected) }, mismatchedPoints: 0, roundedPoints: 0 }]);
  });

  it('integers beyond 2^53 become the nearest float64 and are counted', () => {
    const int = (number: bigint) => field(8, tensor(9n, [], field(10, number)));
    const { series } = read(
      ...[2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n)].map((number, i) =>
        summaryEvent(BigInt(i), 1, summaryValue('s', int(number), { plugin: 'scalars' })),
      ),
    );
    expect(series).toMatchObject([{ scalars: { values: Float64Array.of(2 ** 53, 2 ** 53, -(2 ** 63)) }, roundedPoints: 1 }]);
  });

  it.each<[string, Uint8Array, string]>([
    ['several numbers', field(8, tensor(1n, [2], field(5, floats(1, 2)))), 'float32'],
    ['several numbers of rank 2', field(8, tensor(1n, [2, 2], field(4, floats(1, 2, 3, 4)))), 'float32'],
    ['a text', strings([], 'x'), 'string'],
    ['an image', field(4, message(field(4, 'png'))), 'string'],
    ['no number', field(8, tensor(1n, [])), 'undecodable'],
    ['contents too short', field(8, tensor(1n, [], field(4, Uint8Array.of(1, 2)))), 'undecodable'],
    ['contents too long', field(8, tensor(1n, [], field(4, floats(1, 2)))), 'undecodable'],
    ['a default tensor', field(8, message()), 'undecodable'],
  ])('a value that is not a scalar goes to the twin: %s (E.17)', (_, data, dtype) => {
    const batch = read(summaryEvent(1n, 2, summaryValue('s', simple(1))), summaryEvent(2n, 3, summaryValue('s', data)));
    expect(batch.series).toMatchObject([
      { meta: { tag: 's', dataClass: 'scalar' }, scalars: { steps: BigInt64Array.of(1n) }, mismatchedPoints: 1, invalidPoints: 0 },
      { meta: { tag: 's', twin: true, dataClass: 'tensor', listed: false }, tensors: [{ step: 2n, wallTime: 3, dtype }] },
    ]);
    expect(batch.problems).toEqual([]);
  });

  it.each<[string, string, Uint8Array, string[] | null]>([
    ['strings of rank 1', 'images', strings([2], 'a', 'b'), ['a', 'b']],
    ['no strings', 'images', strings([0]), []],
    ['clips', 'audio', strings([3], 'a', 'b', 'c'), ['a', 'b', 'c']],
    ['clips with labels', 'audio', strings([2, 2], 'a', 'A', 'b', 'B'), ['a', 'b']],
    ['three clips with labels', 'audio', strings([3, 2], 'a', 'A', 'b', 'B', 'c', 'C'), ['a', 'b', 'c']],
    ['a Keras model of rank 0', 'graph_keras_model', strings([], 'a'), ['a']],
    ['run metadata of rank 0', 'graph_run_metadata', strings([], 'a'), ['a']],
    ['the graph of run metadata, of rank 0', 'graph_run_metadata_graph', strings([], 'a'), ['a']],
    ['rank 0', 'images', strings([], 'a'), null],
    ['no strings of rank 2', 'images', strings([0, 3]), null],
    ['rank 2', 'images', strings([2, 2], 'a', 'b', 'c', 'd'), null],
    ['numbers', 'images', field(8, tensor(1n, [1], field(5, floats(1)))), null],
    ['a number', 'images', simple(1), null],
  ])('a blob sequence from %s (E.19)', (_, plugin, data, expected) => {
    const known = read(summaryEvent(0n, 1, summaryValue('b', strings([1], 'first'), { plugin }))).series.map(({ meta }) => meta);
    const collector = new PointCollector(known);
    feed(collector, [summaryEvent(1n, 2, summaryValue('b', data))]);
    const [series, twin] = collector.take().series;
    expect(series!.blobSequences.map(({ blobs }) => textsOf(blobs))).toEqual(expected === null ? [] : [expected]);
    expect(series!.mismatchedPoints).toBe(expected === null ? 1 : 0);
    expect(twin?.tensors.length ?? 0).toBe(expected === null ? 1 : 0);
  });

  it('labels of audio are cut at every step (E.20)', () => {
    const clips = [1n, 2n, 3n].map((step) =>
      summaryEvent(step, 2, summaryValue('a', strings([2, 2], 'a', 'A', 'b', 'B'), { plugin: 'audio' })),
    );
    const { series } = read(...clips);
    expect(series.map(({ blobSequences }) => blobSequences.map(({ blobs }) => textsOf(blobs)))).toEqual([clips.map(() => ['a', 'b'])]);
  });

  it('a value without data is a null tensor in a tensor series, or if its metadata has content, and otherwise reported (E.14)', () => {
    const { series, problems } = read(
      summaryEvent(0n, 1, summaryValue('_hparams_/session_start_info', null, { plugin: 'hparams', content: Uint8Array.of(1) })),
      summaryEvent(0n, 1, summaryValue('t', null, { dataClass: 2n })),
      summaryEvent(0n, 1, summaryValue('s', null, { plugin: 'scalars' })),
      summaryEvent(0n, 1, summaryValue('u', null)),
      summaryEvent(0n, 1, summaryValue('m', null, { plugin: 'own', content: Uint8Array.of(7) })),
      summaryEvent(1n, 1, summaryValue('m', null)),
    );
    expect(series.map(({ meta }) => [meta.tag, meta.listed])).toEqual([
      ['_hparams_/session_start_info', true],
      ['t', true],
      ['m', false],
    ]);
    expect(series[2]!.meta.pluginContent).toEqual(Uint8Array.of(7));
    expect(series[2]!.tensors).toHaveLength(2);
    for (const point of series.flatMap(({ tensors }) => tensors))
      expect(point).toMatchObject({ dtype: 'float32', shape: [0], data: new Uint8Array(0) });
    expect(problems.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['value-without-data', 'A value of "s" has no data.'],
      ['value-without-data', 'A value of "u" has no data.'],
    ]);
  });

  it('a value without data in a series of another class is counted and not a point', () => {
    const { series, problems } = read(
      summaryEvent(0n, 1, summaryValue('loss', simple(1)), summaryValue('video', null)),
      summaryEvent(1n, 1, summaryValue('loss', null), summaryValue('video', null)),
      summaryEvent(2n, 1, summaryValue('loss', simple(3)), summaryValue('video', null)),
    );
    expect(series.map(({ meta, scalars, invalidPoints }) => [meta.tag, [...scalars!.steps], invalidPoints])).toEqual([
      ['loss', [0n, 2n], 1],
    ]);
    expect(problems.map(({ detail }) => detail)).toEqual([
      'A value of "video" has no data.',
      'A value of "loss" has no data. And 1 more values in this event for the same reason.',
      'A value of "video" has no data.',
    ]);
  });
});

describe('events without a summary', () => {
  const event = (number: number, content: Uint8Array | string) => message(field(1, { double: 5 }), field(2, 3n), field(number, content));

  it('graphs go to __run_graph__, tagged run metadata to its tag (E.13)', () => {
    const { series, events } = read(
      event(4, 'graph'),
      event(4, 'graph 2'),
      event(8, message(field(1, 'step 3'), field(2, 'metadata'))),
      event(9, 'meta graph'),
      event(3, 'brain.Event:2'),
      event(6, message(field(2, 'log'))),
    );
    expect(
      series.map(({ meta, blobSequences }) => [
        meta.tag,
        meta.plugin,
        ...blobSequences.map(({ step, wallTime, blobs }) => [step, wallTime, ...textsOf(blobs)]),
      ]),
    ).toEqual([
      ['__run_graph__', 'graphs', [3n, 5, 'graph'], [3n, 5, 'graph 2']],
      ['step 3', 'graph_tagged_run_metadata', [3n, 5, 'metadata']],
    ]);
    // These series have only a plugin and a class.
    const bare = { dataClass: 'blob_sequence', pluginContent: new Uint8Array(0), displayName: '', description: '', listed: true };
    for (const { meta } of series) expect(meta).toMatchObject(bare);
    expect(events).toBe(6);
  });

  it('a START records how many points of each series precede it', () => {
    const start = (step: bigint) => message(field(1, { double: 9 }), field(2, step), field(7, field(1, 1n)));
    const checkpoint = message(field(2, 5n), field(7, field(1, 3n)));
    const point = (tag: string) => summaryEvent(1n, 1, summaryValue(tag, simple(1)));
    const { starts, series } = read(
      start(0n),
      point('a'),
      point('a'),
      checkpoint,
      point('b'),
      start(7n),
      start(7n),
      point('c'),
      point('a'),
      start(-1n),
    );
    expect(series.map(({ meta }) => meta.tag)).toEqual(['a', 'b', 'c']);
    expect(starts.map(({ step, pointsBefore }) => [step, ...pointsBefore])).toEqual([[0n], [7n, 2, 1], [7n, 2, 1], [-1n, 3, 1, 1]]);
    expect(starts[0]).toMatchObject({ offset: 0, wallTime: 9 });
  });

  it('wall times of all events count for the start of the run (E.11)', () => {
    const at = (wallTime: number) => message(field(1, { double: wallTime }));
    expect(read(at(0), at(-5), at(NaN), at(Infinity), at(40), at(30), message())).toMatchObject({
      startWallTime: 30,
      lastWallTime: 40,
      events: 7,
    });
    const version = message(field(1, { double: 1_234 }), field(3, 'brain.Event:2'));
    expect(read(version, summaryEvent(0n, 1_235, summaryValue('a', simple(1))))).toMatchObject({ startWallTime: 1_234 });
    expect(read(at(-5))).toMatchObject({ startWallTime: null, lastWallTime: -5 });
    expect(read()).toMatchObject({ startWallTime: null, lastWallTime: null, events: 0 });
  });
});

describe('values that cannot be stored', () => {
  const good = summaryValue('good', simple(1));

  it.each<[string, Uint8Array, string]>([
    ['a tag above the limit', summaryValue('x'.repeat(limits.maxTagBytes + 1), simple(1)), 'tag-too-long'],
    ['NUL in a tag', summaryValue('a\0b', simple(1)), 'tag-has-nul'],
    ['NUL in a description', summaryValue('n', simple(1), { description: 'a\0' }), 'metadata-has-nul'],
    ['metadata above the limit', summaryValue('m', simple(1), { description: 'x'.repeat(limits.maxMetadataBytes) }), 'metadata-too-large'],
  ])('%s: only that value is skipped and reported', (_, bad, reason) => {
    const { series, problems, events } = read(summaryEvent(1n, 1, good, bad, bad, summaryValue('also good', simple(2))));
    expect(series.map(({ meta }) => meta.tag)).toEqual(['good', 'also good']);
    expect(problems).toMatchObject([{ offset: 0, bytes: 0, reason, endsFile: false }]);
    expect(problems[0]!.detail).toContain('1 more value');
    expect(events).toBe(1);
  });

  it('a tag of exactly the limit is kept', () => {
    const tag = 'ü'.repeat(limits.maxTagBytes / 2);
    expect(read(summaryEvent(1n, 1, summaryValue(tag, simple(1)))).series).toMatchObject([{ meta: { tag } }]);
  });

  it.each<[string, Uint8Array]>([
    ['received', field(8, tensor(4n, [limits.maxTensorBytes + 1], field(4, new Uint8Array(limits.maxTensorBytes + 1))))],
    ['one element that stands for many', field(8, tensor(1n, [2 ** 40], field(5, floats(1))))],
    ['one text that stands for many', strings([2 ** 30], 'x')],
  ])('a tensor above the limit is counted: %s', (_, data) => {
    const { series, problems } = read(summaryEvent(1n, 1, good, summaryValue('t', data, { plugin: 'text' })));
    expect(series).toMatchObject([{ meta: { tag: 'good' } }, { meta: { tag: 't' }, invalidPoints: 1, tensors: [] }]);
    expect(problems).toMatchObject([{ reason: 'tensor-too-large', bytes: 0 }]);
  });

  it('compact tensors are expanded up to a bound per event', () => {
    const constant = summaryValue('t', field(8, tensor(1n, [2 ** 22], field(5, floats(3)))), { plugin: 'histograms' });
    const { series } = read(summaryEvent(1n, 1, ...Array.from({ length: 10 }, () => constant)));
    const kept = series[0]!.tensors.reduce((sum, { data }) => sum + data.length, 0);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(limits.maxRecordBytes);
    expect(series[0]!.invalidPoints + series[0]!.tensors.length).toBe(10);
    expect(new Set(new Float32Array(series[0]!.tensors[0]!.data.slice().buffer))).toEqual(new Set([3]));
  });

  it.each<[string, Uint8Array[], string]>([
    ['a tag that is not UTF-8', [summaryValue(Uint8Array.of(0x80), simple(1))], 'invalid-utf8'],
    ['a surrogate in a tag', [summaryValue(Uint8Array.of(0xed, 0xa0, 0x80), simple(1))], 'invalid-utf8'],
    [
      'a plugin name that is not UTF-8',
      [message(summaryValue('p', simple(1)), field(9, field(1, field(1, Uint8Array.of(0xff)))))],
      'invalid-utf8',
    ],
    ['a value that is cut', [summaryValue('c', Uint8Array.of(0x15, 0, 0))], 'not-an-event'],
    ['a tensor that is cut', [summaryValue('c', field(8, Uint8Array.of(0x2a, 5, 1)))], 'not-an-event'],
    ['three bytes of packed floats', [summaryValue('c', field(8, tensor(1n, [], field(5, new Uint8Array(3)))))], 'not-an-event'],
  ])('a record with %s contributes nothing', (_, bad, reason) => {
    const before = summaryEvent(0n, 1, summaryValue('known', simple(1)));
    const event = summaryEvent(1n, 2, summaryValue('new', simple(1)), summaryValue('known', simple(2)), ...bad);
    const after = summaryEvent(2n, 3, summaryValue('known', simple(3)));
    const batch = read(before, event, after);
    expect(batch.series).toMatchObject([{ meta: { tag: 'known' }, scalars: { values: Float64Array.of(1, 3) } }]);
    expect(batch.problems).toMatchObject([{ offset: before.length, bytes: event.length + 16, reason, endsFile: false }]);
    expect(batch).toMatchObject({ events: 2, lastWallTime: 3 });
  });

  it('a record with too many values contributes nothing', () => {
    // A value without any field has two bytes. It has no data; this is reported once.
    const empty = Buffer.alloc(2 * limits.maxValuesPerEvent, Uint8Array.of(0x0a, 0));
    const event = (values: Uint8Array) => message(field(5, message(field(1, summaryValue('new', simple(1))), values)));
    expect(read(event(empty))).toMatchObject({ series: [], events: 0, problems: [{ reason: 'too-many-values' }] });
    expect(read(event(empty.subarray(2)))).toMatchObject({
      series: [{ meta: { tag: 'new' } }],
      events: 1,
      problems: [{ reason: 'value-without-data' }],
    });
  });

  it('reports many problems as a count', () => {
    const collector = new PointCollector();
    for (let i = 0; i < 5000; i++) collector.event(Uint8Array.of(0), 0, 1, i * 17);
    const { problems } = collector.take();
    expect(problems.length).toBeLessThanOrEqual(1001);
    expect(problems.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(5000 * 17);
    expect(problems.at(-1)).toMatchObject({ reason: 'more-problems', offset: 1000 * 17 });
    expect(collector.take().problems).toEqual([]);
  });

  it('merges problems of the record reader in file order (E.6)', () => {
    const collector = new PointCollector();
    collector.event(Uint8Array.of(0), 0, 1, 100);
    const problem = (offset: number, endsFile: boolean) => ({ offset, bytes: 20, reason: 'data-checksum' as const, detail: 'x', endsFile });
    const batch = collector.take({ records: 7, problems: [problem(50, false), problem(150, true)] });
    expect(batch.records).toBe(7);
    expect(batch.problems.map(({ offset }) => offset)).toEqual([50, 100, 150]);
  });
});

describe('a damaged file', () => {
  const value = (wallTime: number) => summaryEvent(0n, wallTime, summaryValue('a', simple(1)));
  const spoilt = (data: Uint8Array): Uint8Array => {
    const record = frameRecord(data);
    record[record.length - 1]! ^= 1;
    return record;
  };

  it('keeps good records, reports bad ones, and waits at a truncation (E.6)', () => {
    const good = value(1_234.5);
    const noEvent = Buffer.from('invalid protocol buffer');
    const records = [
      frameRecord(good),
      frameRecord(value(NaN)),
      frameRecord(noEvent),
      spoilt(noEvent),
      spoilt(good),
      frameRecord(good).subarray(0, -1),
    ];
    const file = Buffer.concat(records);
    const collector = new PointCollector();
    const reader = new RecordReader();
    reader.push(file, (buf, start, end, offset) => collector.event(buf, start, end, offset));
    const offsets = records.map((_, i) => Buffer.concat(records.slice(0, i)).length);
    const batch = collector.take({ records: reader.records, problems: reader.takeProblems() });
    expect(batch).toMatchObject({ events: 2, lastWallTime: 1_234.5, startWallTime: 1_234.5 });
    // A NaN wall time is kept with its point.
    expect(batch.series).toMatchObject([{ scalars: { wallTimes: Float64Array.of(1_234.5, NaN) } }]);
    expect(batch.problems.map(({ offset, reason, endsFile }) => [offset, reason, endsFile])).toEqual([
      [offsets[2], 'not-an-event', false],
      [offsets[3], 'data-checksum', false],
      [offsets[4], 'data-checksum', false],
    ]);
    expect([reader.offset, reader.ended]).toEqual([offsets[5], null]);
  });

  it('has one stream of points over the files of a run, superseded when training goes back (E.12)', () => {
    const event = (step: number, number: number) => summaryEvent(BigInt(step), 1, summaryValue('loss', simple(number)));
    const files = [[0, 1, 2, 3].map((step) => event(step, step)), [2, 3, 4].map((step) => event(step, 10 + step))];
    let known: SeriesMeta[] = [];
    const points = files.flatMap((events) => {
      const collector = new PointCollector(known);
      new RecordReader().push(frameRecords(events), (buf, start, end, offset) => collector.event(buf, start, end, offset));
      const [series] = collector.take().series;
      known = [series!.meta];
      return [...series!.scalars!.steps].map((step, i) => ({ step, value: series!.scalars!.values[i] }));
    });
    const { superseded } = markSuperseded(
      BigInt64Array.from(points, ({ step }) => step),
      [],
      null,
    );
    expect(points.filter((_, i) => superseded[i] === 0).map(({ value: kept }) => kept)).toEqual([0, 1, 12, 13, 14]);
  });
});

/**
 * Values as the legacy oneof and as tensors, several per event, many tags: the subject of the
 * properties below.
 */
const eventSpec = fc.record({
  step: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  wallTime: fc.double(),
  values: fc.array(
    fc.record({ tag: fc.constantFrom('', 'a', 'b', 'loss/train', 'ü'), number: fc.float(), form: fc.nat(2), described: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
});
type EventSpec = { step: bigint; wallTime: number; values: { tag: string; number: number; form: number; described: boolean }[] };

function encode({ step, wallTime, values }: EventSpec, order: 'usual' | 'turned' = 'usual'): Uint8Array {
  const fields = [
    field(1, { double: wallTime }),
    field(2, step),
    field(
      5,
      message(
        ...values.map(({ tag, number, form, described }) => {
          const parts = [field(1, tag), [simple(number), float(number), field(8, tensor(1n, null, field(4, floats(number))))][form]!];
          if (described) parts.push(field(9, field(1, field(1, 'scalars'))));
          return field(1, message(...(order === 'usual' ? parts : parts.reverse())));
        }),
      ),
    ),
  ];
  return message(...(order === 'usual' ? fields : fields.reverse()));
}

describe('take', () => {
  it('returns what was collected so far and nothing later', () => {
    const collector = new PointCollector();
    feed(collector, [summaryEvent(1n, 1, summaryValue('b', strings([1], 'x'), { plugin: 'images' }))]);
    collector.take();
    feed(collector, [summaryEvent(2n, 1, summaryValue('b', simple(1)))]);
    const mismatched = collector.take();
    feed(collector, [summaryEvent(3n, 1, summaryValue('b', strings([1], 'y')))]);
    expect(mismatched.series).toMatchObject([{ mismatchedPoints: 1, blobSequences: [] }, { tensors: [{ step: 2n }] }]);
    expect(collector.take().series).toMatchObject([{ mismatchedPoints: 0, blobSequences: [{ step: 3n }] }]);
    expect(collector.take()).toEqual({
      series: [],
      starts: [],
      records: 0,
      events: 0,
      firstWallTime: null,
      startWallTime: null,
      lastWallTime: null,
      run: null,
      problems: [],
    });
  });

  it('resets the counts of pending points and bytes', () => {
    const collector = new PointCollector();
    expect(collector).toMatchObject({ pendingPoints: 0, pendingBytes: 0 });
    feed(collector, [
      summaryEvent(1n, 1, summaryValue('s', simple(1))),
      summaryEvent(1n, 1, summaryValue('g', strings([1], 'x'.repeat(10_000)), { plugin: 'images' })),
    ]);
    expect(collector.pendingPoints).toBe(2);
    expect(collector.pendingBytes).toBeGreaterThan(10_000);
    collector.take();
    expect(collector).toMatchObject({ pendingPoints: 0, pendingBytes: 0 });
  });
});

describe('properties', () => {
  it('any split into batches gives the same points', () => {
    fc.assert(
      fc.property(fc.array(eventSpec, { maxLength: 30 }), fc.array(fc.nat(30)), (specs, takes) => {
        const events = specs.map((spec) => encode(spec));
        const collector = new PointCollector();
        const batches: FileBatch[] = [];
        events.forEach((bytes, i) => {
          collector.event(bytes, 0, bytes.length, i);
          if (takes.includes(i)) batches.push(collector.take());
        });
        batches.push(collector.take());
        expect(pointsOf(batches)).toEqual(pointsOf([read(...events)]));
      }),
    );
  });

  it('the fast path and the general path give the same points', () => {
    fc.assert(
      fc.property(fc.array(eventSpec, { maxLength: 30 }), (specs) => {
        expect(pointsOf([read(...specs.map((spec) => encode(spec, 'usual')))])).toEqual(
          pointsOf([read(...specs.map((spec) => encode(spec, 'turned')))]),
        );
      }),
    );
  });

  it('steps, wall times and values are kept bit for bit', () => {
    fc.assert(
      fc.property(fc.array(eventSpec, { maxLength: 30 }), (specs) => {
        const expected = specs.flatMap(({ step, wallTime, values }) => values.map(({ number }) => [step, wallTime, number]));
        const all = specs.map((spec) => encode({ ...spec, values: spec.values.map((one) => ({ ...one, tag: 'a', form: 0 })) }));
        const scalars = read(...all).series[0]?.scalars;
        expect(Array.from(scalars?.steps ?? [], (step, i) => [step, scalars!.wallTimes[i], scalars!.values[i]])).toEqual(expected);
      }),
    );
  });

  it('a cut or flipped bit at most rejects the event', () => {
    fc.assert(
      fc.property(eventSpec, fc.nat(), fc.nat(), (spec, cut, bit) => {
        const bytes = Buffer.from(encode(spec));
        bytes[bit % bytes.length]! ^= 1 << (cut % 8);
        const collector = new PointCollector();
        collector.event(bytes, 0, cut % (bytes.length + 1), 0);
        const { events, problems, series } = collector.take();
        expect(events + problems.filter((problem) => problem.bytes > 0).length).toBe(1);
        if (events === 0) expect(series).toEqual([]);
      }),
    );
  });
});

function read(...events: Uint8Array[]): FileBatch {
  const collector = new PointCollector();
  feed(collector, events);
  return collector.take();
}

function feed(collector: PointCollector, events: Uint8Array[]): void {
  let offset = 0;
  for (const bytes of events) {
    // Inside a larger buffer, like records in a file.
    const buf = Buffer.concat([Buffer.alloc(3, 0xff), bytes, Buffer.alloc(3, 0xff)]);
    collector.event(buf, 3, 3 + bytes.length, offset);
    offset += bytes.length;
  }
}

function pointsOf(batches: FileBatch[]) {
  const points = new Map<string, unknown[]>();
  for (const { meta, scalars, tensors } of batches.flatMap(({ series }) => series)) {
    const name = `${meta.tag} ${meta.twin} ${meta.dataClass} ${meta.plugin}`;
    const list = points.get(name) ?? [];
    points.set(name, list);
    scalars?.steps.forEach((step, i) => list.push([step, scalars.wallTimes[i], scalars.values[i]]));
    list.push(...tensors.map(({ step, wallTime, data }) => [step, wallTime, Buffer.from(data).toString('hex')]));
  }
  return points;
}

function textsOf(blobs: readonly Uint8Array[]): string[] {
  return blobs.map((blob) => Buffer.from(blob).toString());
}
