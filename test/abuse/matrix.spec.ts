import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { messageBytesOf, methods } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import { writeEventFile } from '#testing';
import { secondWorkspace } from '../../bench/lib/second-workspace.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import type { Order } from './attacker.ts';
import { attacks, type Target, type Victim } from './attacks.ts';

/*
 * Tests every route and gRPC method × every attack on it × every kind of caller, while a quiet
 * workspace sends requests. The quiet workspace is always served, in about the time that it needs
 * without an attack in the same run. ABUSE=full runs stronger and longer attacks, and prints the
 * table of docs/security.md.
 */
const full = process.env.ABUSE === 'full';
/** Connections or calls per target. */
const times = full ? 4 : 1;
/** How long the quiet workspace sends requests during each attack. */
const workMs = full ? 5_000 : 500;
/** Enough for a p99. */
const minProbes = full ? 100 : 20;
/** Time from the start of an attack to its first responses. */
const warmUpMs = full ? 1_500 : 200;
const max = { ratio: 2, ms: 50, memoryMiB: 600, recoveryMs: 5_000 };
/** Runs only the kinds or callers whose name contains this text. */
const only = process.env.ABUSE_ONLY ?? '';

let service: Service;
let attacker: ChildProcess;
let quietToken: string;
let quietExperiment: string;
let quietCalls: GrpcTestClient;
let targets: readonly Target[];
let callers: Readonly<Record<string, Victim>>;

beforeAll(async () => {
  service = await Service.start({
    processes: 'embedded',
    env: { PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: '1000000', PLOTLINE_QUOTA_REQUESTS_PER_MINUTE: '10000000' },
  });
  const sender = await Sender.start(service);
  const steps = Array.from({ length: full ? 20_000 : 2_000 }, (_, step) => ({ step, scalars: { loss: step, accuracy: step / 7 } }));
  await sender.send('train', writeEventFile(steps));
  await sender.visible();
  await service.fetch(sender.path, { method: 'PATCH', body: '{"visibility":"public"}' });
  const quiet = await secondWorkspace(service.dataDir, 'Quiet', 1_000_000);
  quietToken = quiet.token;
  quietExperiment = ((await ask('POST', '/api/v1/experiments', '{}')).json as { id: string }).id;
  targets = [
    ...(await routesOf(sender.experimentId)),
    ...methods.map(({ path }) => ({ method: 'RPC', path, bytes: messageBytesOf(path) })),
  ];
  const grpcPort = Number(await readFile(join(service.dataDir, 'grpc.port'), 'utf8'));
  quietCalls = new GrpcTestClient(grpcPort, { authorization: `Bearer ${quietToken}` });
  const common = { port: service.port, grpcPort, from: '127.0.0.2' };
  callers = {
    member: { ...common, headers: { authorization: `Bearer ${await service.token()}` } },
    visitor: { ...common, headers: {} },
    stranger: { ...common, headers: { authorization: `Bearer plt_${'x'.repeat(36)}` } },
  };
  attacker = fork(join(import.meta.dirname, 'attacker.ts'), { execArgv: ['--conditions=source'] });
  await once(attacker, 'message');
});
afterAll(async () => {
  attacker?.disconnect();
  quietCalls?.close();
  await service?.dispose();
});

/**
 * Returns all routes in the OpenAPI document, with the attacker's own objects, except routes that
 * delete or end something.
 */
async function routesOf(experimentId: string): Promise<Target[]> {
  const { paths } = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content?: Record<string, { example?: object }> } }>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    ['get', 'post', 'patch', 'put']
      .filter((method) => method in operations && !/sign-out|\/end|\/leave|\/revoke|transfer|deletions|snapshots/.test(path))
      .map((method) => {
        const field = Object.keys(operations[method]!.requestBody?.content?.['application/json']?.example ?? {})[0];
        return {
          method: method.toUpperCase(),
          path: path.replace('{experimentId}', experimentId).replace(/\{[^}]*\}/g, 'x'),
          ...(field !== undefined && { field }),
        };
      }),
  );
}

async function order(what: Order): Promise<void> {
  attacker.send(what);
  await once(attacker, 'message');
}

async function ask(method: string, path: string, body?: string) {
  const since = performance.now();
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${quietToken}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  const json: unknown = await response.json();
  return { status: response.status, json, ms: performance.now() - since };
}

async function call(): Promise<{ status: number | string; ms: number }> {
  const since = performance.now();
  const status = await quietCalls.call('/tensorboard.data.TensorBoardDataProvider/GetExperiment', { experimentId: quietExperiment }).then(
    () => 200,
    (error: { code: number; details: string }) => `gRPC ${error.code} ${error.details}`,
  );
  return { status, ms: performance.now() - since };
}

const requests = [
  () => ask('GET', '/api/v1/whoami'),
  () => ask('GET', '/api/v1/experiments'),
  () => ask('POST', `/api/v1/experiments/${quietExperiment}/scalars/query`, '{}'),
  call,
];

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly probes: number;
  /** The slowest request of each kind. */
  readonly slowest: readonly number[];
  readonly rejected: readonly (number | string)[];
}

/** Sends the quiet workspace's requests one after another, measures them, and collects failures. */
async function work(ms = workMs, min = minProbes): Promise<Times> {
  const took: number[] = [];
  const rejected: (number | string)[] = [];
  for (const until = performance.now() + ms; performance.now() < until || took.length < min;) {
    const response = await requests[took.length % requests.length]!();
    took.push(response.ms);
    if (response.status !== 200) rejected.push(response.status);
  }
  const sorted = took.toSorted((a, b) => a - b);
  return {
    p50: sorted[Math.floor(sorted.length / 2)]!,
    p99: sorted[Math.floor(sorted.length * 0.99)]!,
    probes: sorted.length,
    slowest: requests.map((_, kind) => Math.round(Math.max(...took.filter((_ms, i) => i % requests.length === kind)))),
    rejected,
  };
}

/**
 * Returns the milliseconds after an attack until several requests in a row are as fast as before.
 */
async function recovery(maxMs: number): Promise<number> {
  const since = performance.now();
  for (let inTime = 0; ;) {
    const { ms } = await requests[inTime % requests.length]!();
    inTime = ms <= maxMs ? inTime + 1 : 0;
    const elapsed = performance.now() - since;
    if (inTime === (full ? 20 : 8) || elapsed > 20_000) return elapsed;
  }
}

async function memoryMiB(): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

it('a quiet workspace is served whatever others do', async () => {
  expect(targets.length).toBeGreaterThan(60);
  await work(workMs / 2, 1); // prepared once
  const baseline = await work(2 * workMs);
  const rows: string[] = [];
  const missed: string[] = [];
  const line = (name: string, who: string, of: Times, more: string): void => {
    rows.push(`| ${name} | ${who} | ${of.p50.toFixed(0)} | ${of.p99.toFixed(0)} | ${(of.p99 / baseline.p99).toFixed(1)} | ${more} |`);
    if (full) process.stdout.write(`${rows.at(-1)!} ${of.probes} probes; slowest of each kind ${of.slowest.join()}\n`);
  };
  const maxMs = max.ratio * baseline.p99 + max.ms;
  line('none, before', '–', baseline, ' | ');
  const names = Object.keys(attacks);
  for (const [index, name] of names.entries()) {
    for (const [n, [who, victim]] of Object.entries(callers).entries()) {
      if ((!full && n !== index % 3) || !`${name} ${who}`.includes(only)) continue; // a short run: each kind with one of the callers
      await order({ name, victim, targets, times });
      await work(warmUpMs, 1);
      const beside = await work();
      const memory = await memoryMiB();
      await order({ name, victim, targets, times: 0 });
      const recoveryMs = await recovery(maxMs);
      line(name, who, beside, `${(recoveryMs / 1_000).toFixed(1)} | ${memory.toFixed(0)}`);
      const judge = (what: string, isGood: boolean): unknown => isGood || missed.push(`${name}, ${who}: ${what}`);
      judge(`refused ${[...new Set(beside.rejected)].join()}`, beside.rejected.length === 0);
      judge(`${beside.p99.toFixed(0)} ms, at most ${maxMs.toFixed(0)}`, full ? beside.p99 <= maxMs : beside.p50 <= maxMs);
      judge(`${memory.toFixed(0)} MiB`, memory <= max.memoryMiB);
      judge(`back after ${recoveryMs.toFixed(0)} ms`, recoveryMs <= max.recoveryMs);
    }
  }
  line('none, after', '–', await work(), ' | ');
  const head = '| attack | by | quiet p50 ms | quiet p99 ms | ÷ baseline | back after s | memory MiB |\n|---|---|---|---|---|---|---|';
  if (full) process.stdout.write(`${[head, ...rows].join('\n')}\n`);
  expect(missed).toEqual([]);
});
