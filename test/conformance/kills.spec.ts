import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codecOf } from '#grpc';
import { describeWith, type EventSpec } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { logDirectory } from '../logs/log-directories.ts';
import { Stage } from './stage.ts';
import { StockClient, textOf } from './stock-client.ts';
import { TrainingLog } from './training-log.ts';
import { WriterProxy } from './writer-proxy.ts';

const scalarRequest = codecOf('tensorboard.service.WriteScalarRequest');
const sequenceResult = codecOf('tensorboard.service.GetOrCreateBlobSequenceResponse');
const blobRequest = codecOf('tensorboard.service.WriteBlobRequest');

/*
 * The server is killed during an upload: everything that the client considers stored is stored
 * exactly once.
 */

describeWith(['tensorboard'], 'a server that is killed during an upload of the stock client', () => {
  let stage: Stage;
  let proxy: WriterProxy;
  let client: StockClient;
  let log: TrainingLog;
  let starting: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    stage = await Stage.start();
    proxy = await WriterProxy.start(stage.service.url, `127.0.0.1:${stage.grpcPort}`);
    client = await StockClient.make(proxy.origin, await stage.service.token());
    log = await TrainingLog.make();
  });
  afterAll(async () => {
    await starting;
    await log?.dispose();
    await client?.dispose();
    await proxy?.stop();
    await stage?.dispose();
  });

  /** Kills the service during a request, and restarts it. */
  const killAndRestart = (): void => {
    starting = stage.service.signal('SIGKILL').then(() => stage.service.start());
    starting.catch(() => undefined);
  };

  it('loses and duplicates no scalars: the client continues by itself', async () => {
    const runs = 4;
    const steps = 20_000;
    const value = (run: number, step: number): number => Math.fround(Math.sin(run + step / 100));
    for (let run = 0; run < runs; run++) {
      const events: EventSpec[] = Array.from({ length: steps }, (_, step) => ({
        step,
        wallTime: 1_700_000_000 + step,
        scalars: { loss: value(run, step) },
      }));
      await log.begin(`run-${run}`, events);
    }
    let requests = 0;
    let acknowledged = 0;
    proxy.hooks = {
      unary: async (rpc, request, send) => {
        if (rpc !== 'WriteScalar') return send();
        requests++;
        const response = send();
        if (requests === 2) {
          await sleep(3); // The request is in flight.
          killAndRestart();
        }
        await response;
        acknowledged += scalarRequest
          .decode(request)
          .runs.reduce((sum, { tags }) => sum + tags.reduce((points, tag) => points + tag.points.length, 0), 0);
        return response;
      },
    };
    const { experimentId } = await client.upload(log.logdir);
    await starting;
    expect(requests).toBeGreaterThan(2);
    expect(acknowledged).toBe(runs * steps);
    await stage.visible(experimentId);
    const stored = await readExperiment(stage.service, experimentId);
    for (let run = 0; run < runs; run++) {
      const { scalars, superseded } = stored.get(`run-${run}`)!.get('loss')!;
      expect(superseded.includes(true)).toBe(false);
      expect(scalars.map((point) => [Number(point.step), point.value])).toEqual(
        Array.from({ length: steps }, (_, step) => [step, value(run, step)]),
      );
    }
  });

  it('keeps every blob whose stream ended normally', async () => {
    await starting;
    const acknowledged: { run: string; tag: string; index: number; bytes: Buffer }[] = [];
    const sequences = new Map<string, { run: string; tag: string }>();
    let blobs = 0;
    let experimentId = '';
    proxy.hooks = {
      unary: async (rpc, request, send) => {
        const response = await send();
        if (rpc === 'GetOrCreateBlobSequence') {
          const asked = codecOf('tensorboard.service.GetOrCreateBlobSequenceRequest').decode(request);
          experimentId = asked.experimentId;
          sequences.set(sequenceResult.decode(response).blobSequenceId, { run: asked.run, tag: asked.tag });
        }
        return response;
      },
      blob: async (messages, send) => {
        const sending = send(messages);
        if (++blobs === 20) killAndRestart();
        await sending;
        const parts = messages.map((message) => blobRequest.decode(message));
        const { blobSequenceId, index } = parts[0]!;
        acknowledged.push({ ...sequences.get(blobSequenceId)!, index: Number(index), bytes: Buffer.concat(parts.map(({ data }) => data)) });
      },
    };
    const result = await client.run('upload', '--logdir', await logDirectory('tensorboardx'), '--one_shot', '--plugins', 'images,audio');
    // Protocol reference B.3: the client never resends a blob; the upload fails there.
    expect(result.code, textOf(result)).toBe(1);
    await starting;
    expect(acknowledged.length).toBeGreaterThanOrEqual(19);
    await stage.visible(experimentId);
    const stored = await readExperiment(stage.service, experimentId);
    for (const { run, tag, bytes } of acknowledged) {
      const found =
        stored
          .get(run)
          ?.get(tag)
          ?.blobSequences.flatMap((sequence) => sequence.blobs) ?? [];
      expect(
        found.some((blob) => Buffer.compare(blob, bytes) === 0),
        `${run} ${tag}`,
      ).toBe(true);
    }
  });
});
