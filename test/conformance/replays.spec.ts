import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, freePort } from '#testing';
import type { Program } from '../apart/program.ts';
import { readExperiment } from '../e2e/rest-run.ts';
import { Service } from '../e2e/service.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { Stage, whenVisible } from './stage.ts';
import { StockClient, textOf } from './stock-client.ts';
import { type Hooks, WriterProxy } from './writer-proxy.ts';

/** The calls that add data to an experiment. */
const writes = ['GetOrCreateBlobSequence', 'WriteBlob', 'WriteScalar', 'WriteTensor'];

/** Returns everything readable in an experiment, in log order, including superseded points. */
async function readable(service: Service, experimentId: string): Promise<unknown> {
  await whenVisible(service, experimentId);
  const runs = await readExperiment(service, experimentId);
  return [...runs].map(([run, tags]) => [
    run,
    [...tags].map(([tag, { listed, scalars, tensors, blobSequences, superseded }]) => [
      tag,
      listed,
      scalars,
      tensors,
      blobSequences,
      superseded,
    ]),
  ]);
}

/**
 * Uploads two directories, each as one experiment: one with points of all kinds, and one with so
 * many scalars that they need many requests.
 */
async function uploadTwo(client: StockClient, service: Service) {
  const experiments: string[] = [];
  for (const name of ['tensorboardx', 'long_scalars'] as const)
    experiments.push((await client.upload(await logDirectory(name))).experimentId);
  const read = (): Promise<unknown[]> => Promise.all(experiments.map((experimentId) => readable(service, experimentId)));
  const states = await read();
  return { states, expectNothingNew: async () => expect(await read()).toEqual(states) };
}

/** Records the writes of an upload, to send them again later. */
class Recording {
  readonly #calls: { readonly rpc: string; readonly send: (target?: string) => Promise<unknown> }[] = [];
  readonly hooks: Hooks = {
    unary: (rpc, _request, send) => {
      if (writes.includes(rpc)) this.#calls.push({ rpc, send });
      return send();
    },
    blob: (messages, send) => {
      this.#calls.push({ rpc: 'WriteBlob', send: (target) => send(messages, target) });
      return send(messages);
    },
  };

  /** The kinds of recorded calls. */
  get kinds(): string[] {
    return [...new Set(this.#calls.map(({ rpc }) => rpc))].toSorted();
  }

  /** Sends all recorded calls again, in order, to the usual target or to another target. */
  async replay(target?: string): Promise<void> {
    for (const { send } of this.#calls) await send(target);
  }
}

/*
 * Network faults for the stock uploader: a request arrives twice, or its response is lost and the
 * client sends it again.
 */

describeWith(['tensorboard'], 'requests of the stock uploader that arrive more than once', () => {
  let stage: Stage;
  let proxy: WriterProxy;
  let client: StockClient;

  beforeAll(async () => {
    stage = await Stage.start();
    proxy = await WriterProxy.start(stage.service.url, `127.0.0.1:${stage.grpcPort}`);
    client = await StockClient.make(proxy.origin, await stage.service.token());
  });
  afterAll(async () => {
    await client?.dispose();
    await proxy?.stop();
    await stage?.dispose();
  });

  const stateOf = (experimentId: string): Promise<unknown> => readable(stage.service, experimentId);

  it('add no point: WriteScalar, WriteTensor, GetOrCreateBlobSequence and WriteBlob, each sent three times', async () => {
    const logdir = await logDirectory('tensorboardx');
    proxy.hooks = {};
    const once = await stateOf((await client.upload(logdir)).experimentId);
    const sent = new Map<string, number>();
    const thrice = async <T>(rpc: string, send: () => Promise<T>): Promise<T> => {
      sent.set(rpc, (sent.get(rpc) ?? 0) + 1);
      await send();
      await Promise.all([send(), send()]);
      return send();
    };
    proxy.hooks = {
      // Each CreateExperiment creates one
      unary: (rpc, _request, send) => (rpc === 'CreateExperiment' ? send() : thrice(rpc, send)),
      blob: (messages, send) => thrice('WriteBlob', () => send(messages)),
    };
    const { experimentId } = await client.upload(logdir);
    expect([...sent.keys()].toSorted()).toEqual(writes);
    expect(await stateOf(experimentId)).toEqual(once);
  });

  it('add no point if a response is lost and the client sends again', async () => {
    const logdir = await logDirectory('tensorboardx');
    proxy.hooks = {};
    const once = await stateOf((await client.upload(logdir, '--plugins', 'scalars,histograms')).experimentId);
    const lost = new Set<string>();
    proxy.hooks = {
      unary: async (rpc, _request, send) => {
        const response = await send();
        if (!rpc.startsWith('Write') || lost.has(rpc)) return response;
        lost.add(rpc);
        throw Object.assign(new Error('the response is lost'), { code: status.UNAVAILABLE, details: 'the response is lost' });
      },
    };
    const { experimentId, result } = await client.upload(logdir, '--plugins', 'scalars,histograms');
    expect([...lost].toSorted(), textOf(result)).toEqual(['WriteScalar', 'WriteTensor']);
    expect(await stateOf(experimentId)).toEqual(once);
  });

  it('keep equal points that were logged twice', async () => {
    // Lightning logs `epoch` many times at one step; every point is stored, all but the last
    // superseded (data rule 2).
    proxy.hooks = { unary: async (rpc, _request, send) => (rpc === 'WriteScalar' ? send().then(() => send()) : send()) };
    const { experimentId } = await client.upload(await logDirectory('frameworks'), '--plugins', 'scalars');
    await stage.visible(experimentId);
    const { points } = await stage.service.json<{ points: number }>(`/experiments/${experimentId}`);
    expect(points).toBe(340); // The count in its oracle.
  });

  it('add no point when they arrive again after everything is visible and the service has restarted', async () => {
    const recording = new Recording();
    proxy.hooks = recording.hooks;
    const stored = await uploadTwo(client, stage.service);
    expect(recording.kinds).toEqual(writes);
    await recording.replay();
    await stored.expectNothingNew();
    await stage.service.signal('SIGTERM');
    await stage.service.start();
    await recording.replay();
    await stored.expectNothingNew();
  });
});

describeWith(
  ['tensorboard', 'postgres', 'redis', 's3'],
  'requests of the stock uploader that arrive again at another upload process',
  () => {
    let service: Service;
    let proxy: WriterProxy;
    let client: StockClient;
    const uploads: Program[] = [];
    const targets: string[] = [];

    beforeAll(async () => {
      service = await Service.start({ processes: 'apart' });
      for (let n = 0; n < 2; n++) {
        const port = await freePort();
        targets.push(`127.0.0.1:${port}`);
        uploads.push(...(await service.apart.programs.start('upload', 1, { PLOTLINE_GRPC_PORT: String(port) })));
      }
      // The second process does the handshake, because the first process is killed, and its HTTP
      // port changes.
      proxy = await WriterProxy.start(uploads[1]!.url, targets[0]!);
      client = await StockClient.make(proxy.origin, await service.token());
    });
    afterAll(async () => {
      await client?.dispose();
      await proxy?.stop();
      await service?.dispose();
    });

    it('add no point: at both processes at the same time, and later at the other one alone', async () => {
      const other = targets[1]!;
      const recording = new Recording();
      proxy.hooks = recording.hooks;
      const stored = await uploadTwo(client, service);
      expect(recording.kinds).toEqual(writes);
      await uploads[0]!.end('SIGKILL');
      await recording.replay(other);
      await stored.expectNothingNew();
      await uploads[0]!.start();

      const sent = new Set<string>();
      const both = async <T>(rpc: string, send: (target?: string) => Promise<T>): Promise<T> => {
        sent.add(rpc);
        const [response] = await Promise.all([send(), send(other)]);
        return response;
      };
      proxy.hooks = {
        unary: (rpc, _request, send) => (writes.includes(rpc) ? both(rpc, send) : send()),
        blob: (messages, send) => both('WriteBlob', (target) => send(messages, target)),
      };
      const twice = await uploadTwo(client, service);
      expect([...sent].toSorted()).toEqual(writes);
      expect(twice.states).toEqual(stored.states);
    });
  },
);
