import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import type {
  GetExperimentResponse,
  ListBlobSequencesResponse,
  ListPluginsResponse,
  ListRunsResponse,
  ListScalarsResponse,
  ListTensorsResponse,
  ReadBlobResponse,
  ReadBlobSequencesResponse,
  ReadScalarsResponse,
  ReadTensorsResponse,
} from '#protocols';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const provider = '/tensorboard.data.TensorBoardDataProvider';
const image = (byte: number, length = 10): Uint8Array => new Uint8Array(length).fill(byte);

/** Responses of any list or query. */
interface Entries<Tag> {
  readonly runs: readonly { readonly runName: string; readonly tags: readonly Tag[] }[];
}

/** Names of runs and tags as `run/tag`. */
function namesOf({ runs }: Entries<{ tagName: string }>): string[] {
  return runs.flatMap(({ runName, tags }) => tags.map(({ tagName }) => `${runName}/${tagName}`));
}

describeWith(['postgres'], 'TensorBoardDataProvider', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let port: number;
  let owner: TestTenant;
  let stranger: TestTenant;
  let id: string;
  let otherId: string;
  const clients: GrpcTestClient[] = [];

  const client = (headers: Record<string, string> = { authorization: `Bearer ${owner.token}` }): GrpcTestClient => {
    const made = new GrpcTestClient(port, headers);
    clients.push(made);
    return made;
  };
  const call = <ApiResponse>(method: string, message: object = {}, as = client()): Promise<ApiResponse> =>
    as.call<ApiResponse>(`${provider}/${method}`, { experimentId: id, ...message });
  const plugin = (pluginName: string) => ({ pluginFilter: { pluginName } });
  const names = (...list: string[]) => ({ names: list });
  const all = { downsample: { numPoints: 1000 } };

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    port = (await serveGrpc(service.app, standardGrpc()))!.port;
    owner = await service.tenant();
    stranger = await service.tenant('Others');
    const scalars = (tag: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ step: BigInt(i), values: [{ tag, scalar: Math.fround(Math.sin(i)) }] }));
    id = await logged.make(owner, {
      train: [
        ...scalars('loss', 30),
        {
          step: 30n,
          values: [
            { tag: 'acc', scalar: Number.NaN },
            { tag: 'loss', scalar: 1000 },
          ],
        },
        {
          step: 31n,
          values: [
            { tag: 'loss', scalar: 0.1 },
            { tag: 'weights', tensor: [1, 2.5] },
          ],
        },
        {
          step: 32n,
          values: [
            { tag: 'notes', text: '**hello**' },
            { tag: 'eye', images: [image(1), image(2)] },
          ],
        },
        {
          step: 2n ** 60n,
          values: [
            { tag: 'eye', images: [image(3, 1_500_000)] },
            { tag: 'weights', tensor: [] },
          ],
        },
      ],
      'eval/é "x"': scalars('loss', 3),
    });
    otherId = await logged.make(stranger, { train: [{ step: 1n, values: [{ tag: 'eye', images: [image(9)] }] }] });
  });
  afterAll(async () => {
    for (const made of clients) made.close();
    await logged?.close();
    await service?.close();
  });

  describe('metadata', () => {
    it('returns the location, the name, the description and the creation time (E.26)', async () => {
      await service.call(owner, 'PATCH', `/api/v1/experiments/${id}`, { body: { name: 'Ünique', description: 'Of *it*.' } });
      const response = await call<GetExperimentResponse>('GetExperiment');
      expect(response).toMatchObject({ dataLocation: `http://plots.example/e/${id}`, name: 'Ünique', description: 'Of *it*.' });
      expect(Number(response.creationTime!.seconds)).toBeGreaterThan(1_600_000_000);
    });

    it('lists each plugin once, and none of an experiment without data (E.26)', async () => {
      expect((await call<ListPluginsResponse>('ListPlugins')).plugins.map(({ name }) => name)).toEqual([
        'images',
        'scalars',
        'test',
        'text',
      ]);
      const empty = await logged.world.experiment(owner);
      expect((await call<ListPluginsResponse>('ListPlugins', { experimentId: empty })).plugins).toEqual([]);
      expect((await call<ListRunsResponse>('ListRuns', { experimentId: empty })).runs).toEqual([]);
    });

    it('lists runs by their start, and none without an event (E.26)', async () => {
      const late = await logged.make(owner, { z: [], a: [], m: [] });
      await logged.world.open(owner, late, 'announced', 'events.1');
      await service.sql(
        `update run_state s set start_time = case r.name when 'z' then 1 when 'm' then 3 end
         from run r where r.tenant_id = s.tenant_id and r.run_id = s.run_id and s.experiment_id = $1`,
        [late],
      );
      const { runs } = await call<ListRunsResponse>('ListRuns', { experimentId: late });
      expect(runs.map(({ name, startTime }) => [name, startTime])).toEqual([
        ['a', 0],
        ['z', 1],
        ['m', 3],
      ]);
      expect((await call<ListRunsResponse>('ListRuns')).runs.map(({ startTime }) => startTime)).toEqual([1_700_000_000, 1_700_000_000]);
    });

    it('lists series of one plugin and class, with the largest step and wall time, and metadata with a class (E.27)', async () => {
      const scalars = await call<ListScalarsResponse>('ListScalars', plugin('scalars'));
      expect(namesOf(scalars)).toEqual(['eval/é "x"/loss', 'train/acc', 'train/loss']);
      const { metadata } = scalars.runs[1]!.tags[1]!;
      expect(metadata).toMatchObject({ maxStep: 31n, maxWallTime: 1_700_000_031 });
      // SummaryMetadata{1 plugin_data{1 "scalars"}; 4 data_class = 1}
      expect(Buffer.from(metadata!.summaryMetadata).toString('hex')).toBe(`0a090a07${Buffer.from('scalars').toString('hex')}2001`);
      expect(namesOf(await call<ListScalarsResponse>('ListScalars', plugin('images')))).toEqual([]);
      expect(namesOf(await call<ListTensorsResponse>('ListTensors', plugin('text')))).toEqual(['train/notes']);
      const images = await call<ListBlobSequencesResponse>('ListBlobSequences', plugin('images'));
      expect(images.runs[0]!.tags[0]!.metadata).toMatchObject({ maxStep: 2n ** 60n, maxLength: 4n });
    });
  });

  describe('filters', () => {
    const read = (filter: object | undefined) =>
      call<ReadScalarsResponse>('ReadScalars', { ...plugin('scalars'), ...all, ...(filter && { runTagFilter: filter }) }).then(namesOf);

    it('restrict nothing if absent, and match nothing if empty', async () => {
      const everything = ['eval/é "x"/loss', 'train/acc', 'train/loss'];
      expect(await read(undefined)).toEqual(everything);
      expect(await read({})).toEqual(everything);
      expect(await read({ runs: {} })).toEqual([]);
      expect(await read({ tags: {} })).toEqual([]);
      expect(await read({ runs: names('train'), tags: {} })).toEqual([]);
    });

    it('match runs and tags exactly; unknown names are missing from the response (E.28)', async () => {
      expect(await read({ runs: names('train', 'nonexistent') })).toEqual(['train/acc', 'train/loss']);
      expect(await read({ runs: names('eval/é "x"'), tags: names('loss', 'acc', '') })).toEqual(['eval/é "x"/loss']);
      expect(await read({ runs: names('a\0b', 'train'), tags: names('los') })).toEqual([]);
    });

    it.each(['ListScalars', 'ReadScalars', 'ListTensors', 'ReadTensors', 'ListBlobSequences', 'ReadBlobSequences'])(
      '%s requires a plugin',
      async (method) => {
        await expect(call(method, all)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
        await expect(call(method, { ...all, ...plugin('') })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
        expect(await call(method, { ...all, ...plugin('nobody') })).toEqual({ runs: [] });
      },
    );
  });

  describe('downsampling', () => {
    const loss = async (numPoints: number | bigint) => {
      const request = { ...plugin('scalars'), runTagFilter: { runs: names('train'), tags: names('loss') }, downsample: { numPoints } };
      return (await call<ReadScalarsResponse>('ReadScalars', request)).runs[0]!.tags[0]!.data!;
    };

    it.each(['ReadScalars', 'ReadTensors', 'ReadBlobSequences'])('%s requires a number of points of at least 0 (E.28)', async (method) => {
      await expect(call(method, plugin('scalars'))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
      await expect(call(method, { ...plugin('scalars'), downsample: { numPoints: -1 } })).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
      });
    });

    it('returns a tag with empty columns for 0 points (E.24, E.28)', async () => {
      expect(await loss(0)).toMatchObject({ step: [], wallTime: [], value: [] });
      const texts = await call<ReadTensorsResponse>('ReadTensors', { ...plugin('text'), downsample: {} });
      expect(texts.runs[0]!.tags[0]).toMatchObject({ tagName: 'notes', data: { step: [], wallTime: [], value: [] } });
      const images = await call<ReadBlobSequencesResponse>('ReadBlobSequences', { ...plugin('images'), downsample: { numPoints: 0 } });
      expect(images.runs[0]!.tags[0]!.data).toMatchObject({ step: [], values: [] });
    });

    it('returns all points if fewer than requested, each float32 as it was logged (E.24)', async () => {
      for (const points of [32, 33, 2n ** 63n - 1n]) {
        const { step, wallTime, value } = await loss(points);
        expect(step).toEqual(Array.from({ length: 32 }, (_, i) => BigInt(i)));
        expect(wallTime).toEqual(Array.from({ length: 32 }, (_, i) => 1_700_000_000 + i));
        expect(value).toEqual([...Array.from({ length: 30 }, (_, i) => Math.fround(Math.sin(i))), 1000, Math.fround(0.1)]);
      }
    });

    it('returns exactly the requested number, reproducibly, in order, with the last point and the spike (E.24)', async () => {
      for (const points of [1, 2, 3, 4, 16, 31]) {
        const first = await loss(points);
        expect(first.step).toHaveLength(points);
        expect(first.step.at(-1)).toBe(31n);
        expect([...first.step].sort((a, b) => Number(a - b))).toEqual(first.step);
        if (points > 3) expect(first.value).toContain(1000);
        expect(await loss(points)).toEqual(first);
      }
    });
  });

  describe('tensors and blobs', () => {
    it('returns tensors as they were logged (E.29)', async () => {
      const { runs } = await call<ReadTensorsResponse>('ReadTensors', { ...plugin('test'), ...all });
      const { step, value } = runs[0]!.tags[0]!.data!;
      expect(step).toEqual([31n, 2n ** 60n]);
      // TensorProto{1 dtype = float; 2 shape{2 dim{1 size}}; 4 content}
      const content = Buffer.from(Float32Array.of(1, 2.5).buffer).toString('hex');
      expect(Buffer.from(value[0]!).toString('hex')).toBe(`08011204120208022208${content}`);
      expect(Buffer.from(value[1]!).toString('hex')).toBe('0801120412020800');
      const texts = await call<ReadTensorsResponse>('ReadTensors', { ...plugin('text'), ...all });
      expect(Buffer.from(texts.runs[0]!.tags[0]!.data!.value[0]!).toString('hex')).toBe(
        `08071204120208014209${Buffer.from('**hello**').toString('hex')}`,
      );
    });

    it('returns large tensors from the object store', async () => {
      const large = await logged.make(owner, {
        r: [{ step: 1n, values: [{ tag: 'big', tensor: Array.from({ length: 9_000 }, (_, i) => i) }] }],
      });
      const { runs } = await call<ReadTensorsResponse>('ReadTensors', { experimentId: large, ...plugin('test'), ...all });
      const bytes = Buffer.from(runs[0]!.tags[0]!.data!.value[0]!);
      expect(bytes.subarray(-36_000).equals(Buffer.from(Float32Array.from({ length: 9_000 }, (_, i) => i).buffer))).toBe(true);
    });

    const imageKeys = async (): Promise<readonly (readonly string[])[]> => {
      const { runs } = await call<ReadBlobSequencesResponse>('ReadBlobSequences', { ...plugin('images'), ...all });
      return runs[0]!.tags[0]!.data!.values.map(({ blobRefs }) => blobRefs.map(({ blobKey }) => blobKey));
    };
    const readBlob = async (blobKey: string, as = client()): Promise<Buffer> => {
      const messages = await as.stream<ReadBlobResponse>(`${provider}/ReadBlob`, { blobKey });
      return Buffer.concat(messages.map(({ data }) => data));
    };

    it('returns a key for each blob, which fetches its bytes (E.25, E.29)', async () => {
      const [first, second] = await imageKeys();
      expect(first).toHaveLength(4);
      for (const key of [...first!, ...second!]) expect(key).toMatch(/^[A-Za-z0-9_-]+$/);
      expect((await readBlob(first![0]!)).toString()).toBe('1');
      expect(await readBlob(first![3]!)).toEqual(Buffer.from(image(2)));
      expect((await readBlob(second![2]!)).equals(image(3, 1_500_000))).toBe(true);
      const messages = await client().stream<ReadBlobResponse>(`${provider}/ReadBlob`, { blobKey: second![2]! });
      expect(messages.length).toBeGreaterThan(1); // clients accept at most 4 MiB at a time
    });

    it('rejects keys that are malformed, unknown, or of a foreign experiment (E.25)', async () => {
      const [[key]] = (await imageKeys()) as [[string]];
      const parts = JSON.parse(Buffer.from(key, 'base64url').toString()) as unknown[];
      const changed = (at: number, value: unknown): string => Buffer.from(JSON.stringify(parts.with(at, value))).toString('base64url');
      for (const bad of ['', 'no key', '!!!!', Buffer.from('[1,2]').toString('base64url'), `${key}=`])
        await expect(readBlob(bad)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
      for (const [at, value] of [
        [2, '999999'],
        [3, '999999'],
        [4, 99],
        [5, 99],
      ] as const)
        // prettier-ignore
        await expect(readBlob(changed(at, value))).rejects.toMatchObject({ code: status.NOT_FOUND });
      await expect(readBlob(changed(1, otherId))).rejects.toMatchObject({ code: status.NOT_FOUND });
      await expect(readBlob(key, client({ authorization: `Bearer ${stranger.token}` }))).rejects.toMatchObject({ code: status.NOT_FOUND });
      await expect(readBlob(key, client({}))).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    });
  });

  describe('access', () => {
    const requests: [string, object][] = [
      ['GetExperiment', {}],
      ['ListPlugins', {}],
      ['ListRuns', {}],
      ...['ListScalars', 'ReadScalars', 'ListTensors', 'ReadTensors', 'ListBlobSequences', 'ReadBlobSequences'].map(
        (method): [string, object] => [method, { ...plugin('scalars'), ...all }],
      ),
    ];

    it.each(requests)('%s: denied without credentials, and to other workspaces', async (method, message) => {
      // TensorBoard shows users the text of these two statuses, but not the text of
      // UNAUTHENTICATED.
      await expect(call(method, message, client({}))).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
      await expect(call(method, message, client({ authorization: 'Bearer plt_no' }))).rejects.toMatchObject({
        code: status.PERMISSION_DENIED,
      });
      for (const experimentId of [otherId, 'defaultExperimentId', '', 'x'.repeat(22)])
        await expect(call(method, { ...message, experimentId })).rejects.toMatchObject({ code: status.NOT_FOUND });
    });

    it('lets anyone read a public experiment', async () => {
      const open = await logged.make(owner, { r: [{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }] });
      await service.call(owner, 'PATCH', `/api/v1/experiments/${open}`, { body: { visibility: 'public' } });
      expect(namesOf(await call('ReadScalars', { experimentId: open, ...plugin('scalars'), ...all }, client({})))).toEqual(['r/loss']);
    });

    it('shows a visitor with a link what the link shows, and nothing else', async () => {
      const { json } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/share-links`, {
        body: { runs: ['train'], tags: ['loss', 'eye'] },
      });
      const visitor = client({ 'plotline-share': String(json.url).split('/').at(-1)! });
      expect((await call<ListRunsResponse>('ListRuns', {}, visitor)).runs.map(({ name }) => name)).toEqual(['train']);
      expect((await call<ListPluginsResponse>('ListPlugins', {}, visitor)).plugins.map(({ name }) => name)).toEqual(['images', 'scalars']);
      for (const method of ['ListScalars', 'ReadScalars'])
        expect(namesOf(await call(method, { ...plugin('scalars'), ...all }, visitor))).toEqual(['train/loss']);
      expect(namesOf(await call('ReadScalars', { ...plugin('scalars'), ...all, runTagFilter: { tags: names('acc') } }, visitor))).toEqual(
        [],
      );
      for (const method of ['ListTensors', 'ReadTensors'])
        expect(namesOf(await call(method, { ...plugin('text'), ...all }, visitor))).toEqual([]);
      const images = await call<ReadBlobSequencesResponse>('ReadBlobSequences', { ...plugin('images'), ...all }, visitor);
      const key = images.runs[0]!.tags[0]!.data!.values[0]!.blobRefs[3]!.blobKey;
      expect(await visitor.stream(`${provider}/ReadBlob`, { blobKey: key })).toHaveLength(1);
      const { json: blind } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/share-links`, { body: { tags: ['loss'] } });
      const other = client({ 'plotline-share': String(blind.url).split('/').at(-1)! });
      await expect(other.stream(`${provider}/ReadBlob`, { blobKey: key })).rejects.toMatchObject({ code: status.NOT_FOUND });
      await expect(call('ListRuns', { experimentId: otherId }, visitor)).rejects.toMatchObject({ code: status.NOT_FOUND });
    });
  });

  it('returns no points of a deleted run', async () => {
    const dying = await logged.make(owner, { gone: [{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }], kept: [{ step: 1n, values: [{ tag: 'loss', scalar: 2 }] }] }); // prettier-ignore
    await service.call(owner, 'POST', `/api/v1/experiments/${dying}/deletions`, { body: { runs: ['gone'] } });
    const shown = namesOf(await call('ReadScalars', { experimentId: dying, ...plugin('scalars'), ...all }));
    const listed = (await call<ListRunsResponse>('ListRuns', { experimentId: dying })).runs.map(({ name }) => name);
    expect([shown, listed]).toEqual([['kept/loss'], ['kept']]);
  });
});
