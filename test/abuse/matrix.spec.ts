import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { methods } from '#grpc';
import { writeEventFile } from '#testing';
import { secondWorkspace } from '../../bench/second-workspace.ts';
import { Sender } from '../e2e/sender.ts';
import { Service } from '../e2e/service.ts';
import { type Attack, attacks, idleCalls, type Target, type Victim } from './attacks.ts';

/*
 * Every route and gRPC method × what a hostile caller can do with it × who the caller is, while a quiet workspace works. The quiet one is always served, and the time that it takes is
 * compared with the same run without an attack. ABUSE=full sends more, for longer, and prints the table of docs/security.md.
 */
const full = process.env.ABUSE === 'full';
const times = full ? 8 : 2;
const probes = full ? 60 : 6;
/** Both run on the same few processors, and the attacker's own work is among what the quiet one waits for; with first come, first served it was hundreds of times. */
const slack = { ratio: 20, ms: 500 };

let service: Service;
let quietToken: string;
let quietExperiment: string;
let targets: readonly Target[];
let callers: Readonly<Record<string, Victim>>;

beforeAll(async () => {
  service = await Service.start({ processes: 'embedded', env: { PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: '1000000' } });
  const sender = await Sender.start(service);
  const steps = Array.from({ length: full ? 20_000 : 2_000 }, (_, step) => ({ step, scalars: { loss: step, accuracy: step / 7 } }));
  await sender.send('train', writeEventFile(steps));
  await sender.visible();
  await service.fetch(sender.path, { method: 'PATCH', body: '{"visibility":"public"}' });
  const quiet = await secondWorkspace(service.dataDir, 'Quiet', 1_000_000);
  quietToken = quiet.token;
  quietExperiment = ((await ask('POST', '/api/v1/experiments', '{}')).json as { id: string }).id;
  targets = await targetsOf(sender.experimentId);
  const grpcPort = Number(await readFile(join(service.dataDir, 'grpc.port'), 'utf8'));
  const common = { port: service.port, grpcPort };
  callers = {
    member: { ...common, headers: { authorization: `Bearer ${await service.token()}` } },
    visitor: { ...common, headers: {} },
    stranger: { ...common, headers: { authorization: `Bearer plt_${'x'.repeat(30)}` } },
  };
});
afterAll(() => service?.dispose());

/** All routes of the interface document but those that delete or end something; what they name is the attacker's own. */
async function targetsOf(experimentId: string): Promise<Target[]> {
  const { paths } = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    ['get', 'post', 'patch', 'put']
      .filter((method) => method in operations && !/sign-out|\/end|\/leave|\/revoke|transfer|deletions|snapshots/.test(path))
      .map((method) => ({
        method: method.toUpperCase(),
        path: path.replace('{experimentId}', experimentId).replace(/\{[^}]*\}/g, 'x'),
      })),
  );
}

async function ask(method: string, path: string, body?: string) {
  const since = performance.now();
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${quietToken}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  const json: unknown = await answer.json();
  return { status: answer.status, json, ms: performance.now() - since };
}

/** What the quiet workspace does, one after another: how long each took, and what was not served. */
async function work(): Promise<{ readonly p50: number; readonly p99: number; readonly refused: readonly number[] }> {
  const ms: number[] = [];
  const refused: number[] = [];
  for (let i = 0; i < probes; i++) {
    for (const [method, path, body] of [
      ['GET', '/api/v1/whoami'],
      ['GET', '/api/v1/experiments'],
      ['POST', `/api/v1/experiments/${quietExperiment}/scalars/query`, '{}'],
    ] as const) {
      const answer = await ask(method, path, body);
      ms.push(answer.ms);
      if (answer.status !== 200) refused.push(answer.status);
    }
  }
  const sorted = ms.toSorted((a, b) => a - b);
  return { p50: sorted[Math.floor(sorted.length / 2)]!, p99: sorted[Math.floor(sorted.length * 0.99)]!, refused };
}

async function memoryMiB(): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

it('a quiet workspace is served whatever others do', async () => {
  expect(targets.length).toBeGreaterThan(40);
  await work(); // what is prepared once
  const baseline = await work();
  const rows: string[] = [];
  const kinds: Record<string, (victim: Victim) => Attack> = {
    ...Object.fromEntries(Object.entries(attacks).map(([name, attack]) => [name, (victim: Victim) => attack(victim, targets, times)])),
    'idle gRPC calls': (victim) =>
      idleCalls(
        victim,
        methods.map(({ path }) => path),
        full ? 20 : 3,
      ),
  };
  for (const [name, begin] of Object.entries(kinds)) {
    for (const [who, victim] of Object.entries(callers)) {
      const attack = begin(victim);
      const beside = await work().finally(() => attack.stop());
      rows.push(`| ${name} | ${who} | ${beside.p50.toFixed(0)} | ${beside.p99.toFixed(0)} | ${(await memoryMiB()).toFixed(0)} |`);
      expect([name, who, beside.refused]).toEqual([name, who, []]);
      expect([name, who, beside.p50 <= slack.ratio * baseline.p50 + slack.ms]).toEqual([name, who, true]);
    }
  }
  const after = await work();
  expect(after.refused).toEqual([]);
  if (!full) return;
  const head = '| attack | by | quiet p50 ms | quiet p99 ms | memory MiB |\n|---|---|---|---|---|';
  const alone = (name: string, one: typeof after): string => `| ${name} | – | ${one.p50.toFixed(0)} | ${one.p99.toFixed(0)} | |`;
  process.stdout.write(`${[head, alone('none, before', baseline), ...rows, alone('none, after', after)].join('\n')}\n`);
});
