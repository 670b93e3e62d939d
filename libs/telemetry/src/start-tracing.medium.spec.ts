import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort, OtlpReceiver } from '#testing';
import { createLogger, isTracing, measureRound, noteStep, startSpan, startTracing } from './index.ts';

/** The SDK reads the process environment. */
function environment(values: Record<string, string>): NodeJS.ProcessEnv {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
  return process.env;
}

function listen(context: () => Record<string, unknown> = () => ({})) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: createLogger({ level: 'info', format: 'json', write, context }) };
}

describe('tracing', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is off unless a collector is named, and then loads nothing of OpenTelemetry', async () => {
    const { logger } = listen();
    expect(await startTracing({}, 'test', logger)).toBeNull();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    expect(await startTracing({ ...endpoint, OTEL_SDK_DISABLED: 'true' }, 'test', logger)).toBeNull();
    expect(await startTracing({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, 'test', logger)).toBeNull();
    expect([isTracing(), startSpan('x', { kind: 'server' })]).toEqual([false, null]);

    const program = new URL('testing/loaded-by-tracing.ts', import.meta.url).pathname;
    const loaded = async (env: Record<string, string>): Promise<string[]> =>
      JSON.parse((await promisify(execFile)(process.execPath, ['--conditions=source', program], { env })).stdout) as string[];
    expect(await loaded({})).toEqual([]);
    expect(await loaded(endpoint)).toContain('@opentelemetry/sdk-trace-base');
  });

  it('exports spans and their steps, and the last ones when it is closed', async () => {
    const receiver = await OtlpReceiver.start();
    const { logger, lines } = listen();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_SERVICE_NAME: 'named' };
    const tracing = await startTracing(environment(settings), 'test', logger);
    noteStep('statement', 'outside', 1, false);
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const span = startSpan('first', { kind: 'server', parent })!;
    await span.run(async () => {
      await Promise.resolve();
      noteStep('statement', 'read-thing', 0.5, false);
      noteStep('object', 'get', 0.25, true);
    });
    span.end({ name: 'GET /thing', failed: 'internal' });
    span.run(() => noteStep('statement', 'late', 1, false));
    startSpan('unsampled', { kind: 'server', parent: parent.replace(/1$/, '0') })!.end({});
    startSpan('invalid parent', { kind: 'server', parent: 'nonsense' })!.end({});
    await tracing!.close();
    expect(isTracing()).toBe(false);
    expect(lines).toEqual([expect.objectContaining({ message: 'Traces are exported.' })]);
    const named = (name: string) => receiver.spans.find((one) => one.name === name);
    expect(receiver.spans.map(({ name }) => name).toSorted()).toEqual(['GET /thing', 'get', 'invalid parent', 'read-thing']);
    const own = named('GET /thing')!;
    expect(own).toMatchObject({ service: 'named', traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), failed: true });
    expect(named('read-thing')).toMatchObject({ traceId: own.traceId, parentSpanId: own.spanId, failed: false });
    expect(named('get')).toMatchObject({ parentSpanId: own.spanId, failed: true });
    await receiver.close();
  });

  it('exports a round of periodic work with its statements, one of a kind in ten seconds, and failed ones as failed', async () => {
    const receiver = await OtlpReceiver.start();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const untraced = await measureRound('test', async () => 1);
    const tracing = await startTracing(environment(settings), 'test', listen().logger);
    const round = (name: string) =>
      measureRound(name, async () => {
        await Promise.resolve();
        noteStep('statement', `read-${name}`, 0.1, false);
        return 2;
      });
    expect([untraced, await round('test'), await round('test'), await round('other')]).toEqual([1, 2, 2, 2]);
    await expect(measureRound('broken', () => Promise.reject(new Error('the database is down')))).rejects.toThrow('the database is down');
    await tracing!.close();
    const rounds = receiver.spans.filter(({ name }) => name.startsWith('round '));
    expect(rounds.map(({ name, failed, parentSpanId }) => [name, failed, parentSpanId])).toEqual([
      ['round test', false, ''],
      ['round other', false, ''],
      ['round broken', true, ''],
    ]);
    const statements = receiver.spans.filter(({ name }) => name.startsWith('read-'));
    expect(statements.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['read-test', rounds[0]!.spanId],
      ['read-other', rounds[1]!.spanId],
    ]);
    expect(receiver.text).not.toContain('the database is down');
    await receiver.close();
  });

  it('speaks protobuf by default', async () => {
    const { promise, resolve } = Promise.withResolvers<{ type: string | undefined; body: Buffer }>();
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        resolve({ type: request.headers['content-type'], body: Buffer.concat(pieces) });
        response.end();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tracing = await startTracing(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), 'test', listen().logger);
    startSpan('a span', { kind: 'server' })!.end({});
    await tracing!.close();
    const { type, body } = await promise;
    expect([type, body.includes('a span')]).toEqual(['application/x-protobuf', true]);
    server.closeAllConnections();
    server.close();
  });

  it('only logs that the collector cannot be used', async () => {
    const wrong = listen();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    expect(await startTracing(environment({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), 'test', wrong.logger)).toBeNull();
    expect(wrong.lines).toEqual([
      expect.objectContaining({ level: 'warn', message: 'Traces are not exported.', reason: expect.stringContaining('"http/protobuf"') }),
    ]);
    vi.unstubAllEnvs();
    const request = new AsyncLocalStorage<string>();
    const down = listen(() => ({ request_id: request.getStore() }));
    const soon = { OTEL_EXPORTER_OTLP_TIMEOUT: '200', OTEL_BSP_SCHEDULE_DELAY: '1' };
    const tracing = await startTracing(environment({ ...endpoint, ...soon }), 'test', down.logger);
    request.run('of-a-request', () => startSpan('lost', { kind: 'server' })!.end({}));
    await expect.poll(() => down.lines, { timeout: 10_000 }).toHaveLength(2);
    await tracing!.close();
    expect(down.lines[1]).not.toHaveProperty('request_id');
    expect(down.lines.map(({ message }) => message)).toEqual([
      'Traces are exported.',
      'Traces cannot be exported. Requests are not affected.',
    ]);
  });
});
