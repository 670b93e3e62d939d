import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNodeDatabase, describeWith, seededRandom } from '#testing';
import { databaseName } from './environment.ts';
import { conclude, times } from './scenario.ts';
import { seed } from './short-set.ts';
import { Stack } from './stack.ts';
import { type RunShape, within, Workload } from './workload.ts';

/*
 * Cluster operations and faults while clients upload (docs/scale.md). `CLUSTER_POINTS` and
 * `CLUSTER_KILLS` set the numbers of points and kills.
 */

const wantedPoints = Number(process.env.CLUSTER_POINTS ?? 100_000);
const kills = Number(process.env.CLUSTER_KILLS ?? 4);
const timeout = 3_600_000;

const small = (): RunShape => ({ events: 1_500, tags: 3, pace: { minBytes: 500, maxBytes: 6_000, pauseMs: 15 }, media: 5 });
const large = (): RunShape => ({ events: 10_000, tags: 5, pace: { minBytes: 20_000, maxBytes: 120_000, pauseMs: 50 }, media: 5 });

describeWith(['postgres', 'redis', 's3', 'citus'], `a cluster under uploads (seed ${seed})`, () => {
  let stack: Stack;
  let admin: pg.Client;
  beforeAll(async () => {
    stack = await Stack.start({ seed, timeFactor: 5, uploads: 1, ingests: 1, reads: 1 });
    admin = new pg.Client({ connectionString: stack.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await stack?.dispose();
  });

  async function rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await admin.query<Record<string, unknown>>(text, values)).rows;
  }

  /** Returns the number of connections to the database on each node. */
  async function connections(): Promise<number[]> {
    return Promise.all(
      stack.cluster.nodes.map(async (node) => {
        const client = new pg.Client({ connectionString: node.url('postgres', databaseName) });
        await client.connect();
        const { rowCount } = await client.query('select from pg_stat_activity where datname = current_database()');
        await client.end();
        return rowCount! - 1;
      }),
    );
  }

  /**
   * Runs a cluster operation during an upload; returns how long it took, and its effects on
   * uploads.
   */
  async function during(workload: Workload, name: string, work: () => Promise<unknown>): Promise<string> {
    const began = Date.now();
    await work();
    const ended = Date.now();
    const count = workload.log.count('ok');
    await within(120_000, () => workload.log.count('ok') > count + 3); // those in flight at the end have finished
    const entries = workload.log.entries.filter(({ at, tookMs }) => at >= began && at - tookMs <= ended);
    const acknowledged = entries.filter(({ at, outcome }) => outcome === 'ok' && at > began).map(({ at }) => at);
    const moments = [began, ...acknowledged].toSorted((a, b) => a - b);
    const gaps = moments.slice(1).map((at, i) => ({ ms: at - moments[i]!, from: moments[i]! - began }));
    const longest = gaps.reduce((max, gap) => (gap.ms > max.ms ? gap : max), { ms: 0, from: 0 });
    const failed = entries.filter(({ outcome }) => outcome !== 'ok').length;
    const line = `${name}: ${ended - began} ms; ${acknowledged.length} acknowledgements, ${failed} failures; none in ${longest.ms} ms, ${longest.from} ms after the start`;
    process.stdout.write(`${line}\n`);
    return line;
  }

  it(
    `loses and doubles nothing when workers are killed ${kills} times`,
    async () => {
      const random = seededRandom(seed);
      const workload = new Workload(stack, { seed, lanes: 3, shape: small, timeoutMs: 8_000, giveUpMs: 180_000 }).start();
      const down: number[] = [];
      const stalls: number[] = [];
      for (let kill = 0; kill < kills; kill++) {
        const before = workload.log.count('ok');
        expect(await within(120_000, () => workload.log.count('ok') > before + 20)).toBe(true);
        await sleep(random() * 500);
        const began = performance.now();
        await stack.cluster.kill(stack.cluster.nodes[1 + (kill % 2)]!);
        down.push(performance.now() - began);
        const back = workload.log.count('ok');
        await within(120_000, () => workload.log.count('ok') > back);
        stalls.push(performance.now() - began);
      }
      const { violations, unmet, figures } = await conclude(workload, [
        `${kills} kills; a worker responded again after ${times(down)}, an append after ${times(stalls)}`,
        workload.summary,
      ]);
      process.stdout.write(`${figures.join('\n')}
`);
      expect({ violations, unmet }).toEqual({ violations: [], unmet: [] });
    },
    timeout,
  );

  it(
    `adds workers, rebalances and moves a workspace to a node of its own while it uploads`,
    async () => {
      const workload = new Workload(stack, { seed: seed + 1, lanes: 3, shape: large, giveUpMs: 180_000 }).start();
      const lines: string[] = [];
      // Nodes connect to each other as the owner of the tables that they move.
      await rows('alter role plotline_owner login');
      const addWorker = async () => {
        const { port } = await stack.cluster.addServer();
        await createNodeDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`, databaseName);
        lines.push(await during(workload, 'citus_add_node', () => rows(`select citus_add_node('127.0.0.1', $1)`, [port])));
        return port;
      };
      await addWorker();
      lines.push(
        await during(workload, 'rebalance', async () => {
          await rows(`select citus_rebalance_start()`);
          await rows(`select citus_rebalance_wait()`);
        }),
      );
      const [workspace] = await rows(`select tenant_id from workspace`);
      const own = await addWorker();
      lines.push(
        await during(workload, 'isolate_tenant_to_new_shard', () =>
          rows(`select isolate_tenant_to_new_shard('workspace', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')`, [
            workspace!['tenant_id'],
          ]),
        ),
      );
      const place = async () =>
        (
          await rows(
            `select shardid, nodeport from citus_shards where table_name = 'workspace'::regclass
             and shardid = get_shard_id_for_distribution_column('workspace', $1::text)`,
            [workspace!['tenant_id']],
          )
        )[0]!;
      const from = await place();
      lines.push(
        await during(workload, 'citus_move_shard_placement', () =>
          rows(`select citus_move_shard_placement($1::bigint, '127.0.0.1', $2::int, '127.0.0.1', $3::int, shard_transfer_mode => 'auto')`, [
            from['shardid'],
            from['nodeport'],
            own,
          ]),
        ),
      );
      expect(await place()).toEqual({ ...from, nodeport: own });
      await rows('alter role plotline_owner nologin');
      expect(await within(timeout, () => workload.points >= wantedPoints)).toBe(true);
      lines.push(`connections of the coordinator and each worker: ${(await connections()).join(', ')}`);
      const { violations, unmet, figures } = await conclude(workload, [...lines, `${workload.points} points`, workload.summary]);
      process.stdout.write(`${figures.join('\n')}
`);
      expect({ violations, unmet }).toEqual({ violations: [], unmet: [] });
    },
    timeout,
  );
});
