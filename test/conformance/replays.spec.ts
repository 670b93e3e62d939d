import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { said, StockClient } from './stock-client.ts';
import { WriterProxy } from './writer-proxy.ts';

/* What the network does to the stock uploader: a request arrives twice, or its answer is lost and the client sends it again. */

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

  /** Everything that can be read of an experiment, in log order, superseded points too. */
  const stateOf = async (experimentId: string): Promise<unknown> => {
    await stage.visible(experimentId);
    const runs = await readExperiment(stage.service, experimentId);
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
  };

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
      // Each CreateExperiment makes one
      unary: (rpc, _request, send) => (rpc === 'CreateExperiment' ? send() : thrice(rpc, send)),
      blob: (messages, send) => thrice('WriteBlob', () => send(messages)),
    };
    const { experimentId } = await client.upload(logdir);
    expect([...sent.keys()].toSorted()).toEqual(['GetOrCreateBlobSequence', 'WriteBlob', 'WriteScalar', 'WriteTensor']);
    expect(await stateOf(experimentId)).toEqual(once);
  });

  it('add no point when an answer is lost and the client sends again', async () => {
    const logdir = await logDirectory('tensorboardx');
    proxy.hooks = {};
    const once = await stateOf((await client.upload(logdir, '--plugins', 'scalars,histograms')).experimentId);
    const lost = new Set<string>();
    proxy.hooks = {
      unary: async (rpc, _request, send) => {
        const answer = await send();
        if (!rpc.startsWith('Write') || lost.has(rpc)) return answer;
        lost.add(rpc);
        throw Object.assign(new Error('the answer is lost'), { code: status.UNAVAILABLE, details: 'the answer is lost' });
      },
    };
    const { experimentId, result } = await client.upload(logdir, '--plugins', 'scalars,histograms');
    expect([...lost].toSorted(), said(result)).toEqual(['WriteScalar', 'WriteTensor']);
    expect(await stateOf(experimentId)).toEqual(once);
  });

  it('keep apart what is equal and was logged twice', async () => {
    // Lightning logs `epoch` many times at one step; every point is there, all but the last superseded (data rule 2).
    proxy.hooks = { unary: async (rpc, _request, send) => (rpc === 'WriteScalar' ? send().then(send) : send()) };
    const { experimentId } = await client.upload(await logDirectory('frameworks'), '--plugins', 'scalars');
    await stage.visible(experimentId);
    const { points } = await stage.service.json<{ points: number }>(`/experiments/${experimentId}`);
    expect(points).toBe(340); // the count of its oracle
  });
});
