import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, OtlpReceiver, type ReceivedSpan, writeEventFile } from '#testing';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';

describeWith(['postgres', 'redis', 's3'], 'traces of separate processes', () => {
  let receiver: OtlpReceiver;
  let service: Service;
  let sender: Sender;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    service = await Service.start({
      processes: 'apart',
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    sender = await Sender.start(service);
    await sender.send(
      'run-named-by-a-user',
      writeEventFile(Array.from({ length: 100 }, (_, step) => ({ step, wallTime: 1 + step, scalars: { tagOfUser: step } }))),
    );
    await sender.visible();
    expect((await service.fetch(sender.path)).status).toBe(200);
  });
  afterAll(async () => {
    await service?.dispose();
    await receiver?.close();
  });

  const below = (parent: ReceivedSpan) => receiver.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  it('follow an upload from the request over its statements and the queue to the transaction of ingest', async () => {
    const upload = (): ReceivedSpan[] =>
      receiver.spans.filter(({ name, service: process }) => name.startsWith('PATCH /api/v1/files/') && process === 'plotline-upload');
    const ingest = (): ReceivedSpan[] =>
      receiver.spans.filter(({ name, traceId }) => name === 'ingest-run' && upload().some((span) => span.traceId === traceId));
    await expect.poll(ingest, { timeout: 20_000 }).not.toEqual([]);
    const job = ingest()[0]!;
    const request = upload().find(({ traceId }) => traceId === job.traceId)!;
    expect(job).toMatchObject({ service: 'plotline-ingest', parentSpanId: request.spanId, failed: false });
    expect(request).toMatchObject({ parentSpanId: '', failed: false });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'PATCH',
      'http.response.status_code': 204,
      'plotline.request_id': expect.any(String),
    });
    const names = (span: ReceivedSpan): string[] => below(span).map(({ name }) => name);
    expect(names(request)).toEqual(expect.arrayContaining(['begin', 'insert-segments', 'commit', 'ingest-run']));
    expect(names(job)).toEqual(expect.arrayContaining(['claim-run', 'commit']));
    expect(names(job).filter((name) => ['writ', 'HTTP'].includes(name))).toEqual([]);
    expect(new Set(below(job).map(({ service: process }) => process))).toEqual(new Set(['plotline-ingest']));
  });

  it('have a span for each request to read, with the names of its statements', async () => {
    const reads = () => receiver.spans.filter(({ name }) => name === 'GET /api/v1/experiments/:experimentId');
    await expect.poll(reads, { timeout: 20_000 }).not.toEqual([]);
    const [request] = reads();
    expect(request).toMatchObject({ service: 'plotline-read', failed: false, attributes: { 'http.response.status_code': 200 } });
    expect(below(request!).length).toBeGreaterThan(0);
    expect(below(request!).every(({ name }) => /^[a-z0-9-]+( transaction)?$/.test(name))).toBe(true);
  });

  it('have rounds of periodic work, with their statements', async () => {
    const rounds = (name: string) => receiver.spans.filter((span) => span.name === `round ${name}` && span.service === 'plotline-ingest');
    await expect
      .poll(
        () =>
          rounds('sweep')
            .flatMap((round) => below(round))
            .map(({ name }) => name),
        { timeout: 40_000 },
      )
      .toContain('read-pending-runs');
    await expect.poll(() => rounds('publish'), { timeout: 40_000 }).not.toEqual([]);
  });

  it('start at our edge: a client cannot choose its trace', async () => {
    const traceId = '0123456789abcdef0123456789abcdef';
    const response = await service.fetch('/api/v1/whoami', { headers: { traceparent: `00-${traceId}-0123456789abcdef-01` } });
    const id = response.headers.get('x-request-id');
    const own = () => receiver.spans.filter(({ attributes }) => attributes['plotline.request_id'] === id);
    await expect.poll(own, { timeout: 20_000 }).toHaveLength(1);
    expect(own()[0]!.traceId).not.toBe(traceId);
  });

  it('contain no credentials, names of users or ids of workspaces', async () => {
    expect(receiver.spans.length).toBeGreaterThan(20);
    expect(receiver.text).toContain('deployment.environment.name');
    for (const secret of ['run-named-by-a-user', 'tagOfUser', await service.token()]) expect(receiver.text).not.toContain(secret);
    expect(receiver.text).not.toMatch(/Bearer|authorization|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/i);
  });
});
