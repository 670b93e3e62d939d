import { chmodSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import type { GetExperimentResponse, ReadBlobResponse, ReadBlobSequencesResponse, ReadScalarsResponse } from '#protocols';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../../../read/src/testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../../../read/src/testing/read-service.ts';
import { TestHost } from '../testing/test-host.ts';

const provider = '/tensorboard.data.TensorBoardDataProvider';
const scalars = { pluginFilter: { pluginName: 'scalars' }, downsample: { numPoints: 1000 } };

describeWith(['postgres'], 'plotline tensorboard', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let id: string;
  let otherId: string;
  let host: TestHost;
  const clients: GrpcTestClient[] = [];
  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    await serveGrpc(service.app, standardGrpc());
    owner = await service.tenant();
    const image = new Uint8Array(3_000_000).fill(7);
    id = await logged.make(owner, {
      train: [
        { step: 1n, values: [{ tag: 'loss', scalar: 0.5 }, { tag: 'eye', images: [image] }] },
        { step: 2n, values: [{ tag: 'acc', scalar: 0.25 }] },
      ],
    }); // prettier-ignore
    otherId = await logged.make(owner, { secret: [{ step: 1n, values: [{ tag: 'eye', images: [new Uint8Array(3)] }] }] });
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });
  beforeEach(() => {
    host = new TestHost({ PLOTLINE_SERVER: service.base, PLOTLINE_TOKEN: owner.token, PATH: '/usr/bin:/bin' });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    host.remove();
  });

  /** Puts a program where the CLI looks for TensorBoard. */
  function install(script: string): void {
    chmodSync(host.write('bin/tensorboard', `#!/bin/sh\n${script}\n`), 0o755);
    host.env['PATH'] = `${host.folder}/bin:/usr/bin:/bin`;
  }

  /** A TensorBoard that prints how it was started, and waits. */
  const waits = 'echo "started with $*; ${PLOTLINE_TOKEN:-no token}; $no_grpc_proxy" >&2\nexec sleep 60';

  /** Starts the command, and returns a client that calls it like TensorBoard. */
  async function start(...args: string[]): Promise<{ client: GrpcTestClient; ended: ReturnType<TestHost['run']> }> {
    const ended = host.run(['tensorboard', ...args]);
    await Promise.race([host.untilPrinted(/started with .*\n/), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    const client = new GrpcTestClient(Number(/--grpc_data_provider 127\.0\.0\.1:(\d+)/.exec(host.stderr)![1]));
    clients.push(client);
    return { client, ended };
  }

  it('starts TensorBoard with what it needs and no secret, and ends it on Ctrl-C', async () => {
    install(waits);
    const { client, ended } = await start(id, '--port', '0', '--', '--samples_per_plugin', 'images=100');
    expect(host.stderr).toMatch(
      /^started with --grpc_data_provider 127\.0\.0\.1:\d+ --port 0 --samples_per_plugin images=100; no token; 127\.0\.0\.1$/m,
    );
    host.interrupt();
    expect((await ended).exitCode).toBe(0);
    await expect(client.call(`${provider}/ListRuns`, {})).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it("forwards TensorBoard's requests to the one experiment, whatever id they name", async () => {
    install(waits);
    const { client, ended } = await start(id);
    for (const experimentId of ['', 'defaultExperimentId', id]) {
      const { runs } = await client.call<ReadScalarsResponse>(`${provider}/ReadScalars`, { experimentId, ...scalars });
      expect(runs[0]!.tags.map(({ tagName, data }) => [tagName, ...data!.value])).toEqual([
        ['acc', 0.25],
        ['loss', 0.5],
      ]);
    }
    const { dataLocation } = await client.call<GetExperimentResponse>(`${provider}/GetExperiment`, {});
    expect(dataLocation).toBe(`http://plots.example/e/${id}`);
    const images = await client.call<ReadBlobSequencesResponse>(`${provider}/ReadBlobSequences`, {
      ...scalars,
      pluginFilter: { pluginName: 'images' },
    });
    const { blobKey } = images.runs[0]!.tags[0]!.data!.values[0]!.blobRefs[2]!;
    const pieces = await client.stream<ReadBlobResponse>(`${provider}/ReadBlob`, { blobKey });
    expect(Buffer.concat(pieces.map(({ data }) => data)).equals(Buffer.alloc(3_000_000, 7))).toBe(true);
    host.interrupt();
    await ended;
  });

  it('rejects other experiments, even if the token could read them, and forwards rejections with their text', async () => {
    install(waits);
    const { client, ended } = await start(id);
    for (const experimentId of [otherId, 'x', '../secret'])
      await expect(client.call(`${provider}/ReadScalars`, { experimentId, ...scalars })).rejects.toMatchObject({ code: status.NOT_FOUND });
    const key = Buffer.from(JSON.stringify([1, otherId, '1', '1', 0, 2])).toString('base64url');
    for (const blobKey of [key, 'no key', ''])
      await expect(client.stream(`${provider}/ReadBlob`, { blobKey })).rejects.toMatchObject({ code: status.NOT_FOUND });
    await expect(client.call(`${provider}/ReadScalars`, {})).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('plugin'),
    });
    await expect(client.call('/tensorboard.service.TensorBoardWriterService/GetUser', {})).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    });
    host.interrupt();
    await ended;
  });

  it('shows what a link shows, without a token', async () => {
    const { json } = await service.call(owner, 'POST', `/api/v1/experiments/${id}/share-links`, { body: { tags: ['loss'] } });
    host.env['PLOTLINE_TOKEN'] = undefined;
    install(waits);
    const { client, ended } = await start(String(json.url).replace('http://plots.example', service.base));
    const { runs } = await client.call<ReadScalarsResponse>(`${provider}/ReadScalars`, scalars);
    expect(runs[0]!.tags.map(({ tagName }) => tagName)).toEqual(['loss']);
    host.interrupt();
    expect((await ended).exitCode).toBe(0);
    await service.call(owner, 'DELETE', `/api/v1/share-links/${json.id}`);
    const again = await host.run(['tensorboard', `${service.base}/s/${'a'.repeat(30)}`]);
    expect([again.exitCode, again.stderr]).toEqual([4, expect.stringContaining('does not recognize this link')]);
  });

  it('prints how to start TensorBoard if it is not installed, and waits', async () => {
    const ended = host.run(['tensorboard', id, '--port', '7007']);
    await host.untilPrinted(/pip install tensorboard/);
    host.interrupt();
    const { exitCode, stdout } = await ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/: tensorboard --grpc_data_provider 127\.0\.0\.1:\d+ --port 7007\n$/)]);
  });

  it.each([
    ['a missing experiment', ['X'.repeat(22)], 4, 'There is no such experiment'],
    ['an invalid id', ['what'], 4, 'An id consists of 22 letters and digits'],
    ['an invalid port', ['X'.repeat(22), '--port', '70000'], 2, 'from 0'],
  ])('rejects %s', async (_, args, exitCode, words) => {
    const outcome = await host.run(['tensorboard', ...args]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([exitCode, expect.stringContaining(words)]);
  });

  it('reports that the user is not signed in, and that TensorBoard failed', async () => {
    install('echo "No module named tensorboard" >&2\nexit 3');
    const failed = await host.run(['tensorboard', id]);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringMatching(/No module named tensorboard\n[^]*exited: with code 3/)]);
    host.env['PLOTLINE_TOKEN'] = undefined;
    const unknown = await host.run(['tensorboard', id]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([3, expect.stringContaining('Not signed in')]);
  });

  it('reports that a service has no gRPC', async () => {
    const without = await startReadService();
    try {
      const other = await without.tenant();
      const made = await without.call(other, 'POST', '/api/v1/experiments', { body: {} });
      host.env['PLOTLINE_SERVER'] = without.base;
      host.env['PLOTLINE_TOKEN'] = other.token;
      const outcome = await host.run(['tensorboard', made.json.id]);
      expect([outcome.exitCode, outcome.stderr]).toEqual([1, expect.stringContaining('does not serve gRPC')]);
    } finally {
      await without.close();
    }
  });
});
