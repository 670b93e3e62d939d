import { MemoryBlobStore } from '#blobs/testing';
import {
  AccessJwtIssuer,
  AccessJwtReader,
  Authenticator,
  type Caller,
  createToken,
  OwnKeys,
  SigningKeys,
  TokenExchange,
  WorkloadIssuers,
} from '#auth';
import { loadConfig } from '#config';
import { decide, requireExperiment } from '#experiments';
import type { ExperimentId } from '#model';
import { experimentIdOf } from '#model/testing';
import { readScalars, type ScalarRequest, scalarsJson } from '#series';
import { Store } from '#store';
import { QuotaDefaults, RequestRates, requireOpen, WorkspaceTerms } from '#workspaces';
import { DeletionWorld, recordsOf } from '../../apps/ingest/src/testing/deletion-world.ts';
import type { BenchContext } from '../lib/bench.ts';
import type { LocalStore } from '../lib/local-store.ts';
import type { Row } from '../lib/report.ts';
import { median, quantile } from '../lib/stats.ts';

const unlimited = 999_999_999_999;
/**
 * The guard caches lookups for two and three seconds, so this many sequential requests include some
 * with fresh lookups.
 */
const warmUp = 200;

/** Measures the cost of all access checks for a chart request, in the guard and in the database. */
export async function chartChecks(
  context: BenchContext,
  local: LocalStore,
): Promise<{ readonly rows: readonly Row[]; readonly samples: Readonly<Record<string, readonly number[]>> }> {
  const { store, tenantId } = local;
  const experimentId = experimentIdOf(await fill(local));
  const token = await createToken(store, { tenantId, personId: tenantId, name: 'bench' });
  const url = 'http://127.0.0.1:6100';
  const keys = new SigningKeys(store, 'a secret for this bench only');
  const exchange = new TokenExchange(store, new AccessJwtIssuer(url, keys, store.clock), new WorkloadIssuers([], store.clock));
  const jwt = (await exchange.fromAccessToken(token, null)).token;
  const authenticator = new Authenticator(store, { jwts: new AccessJwtReader(url, new OwnKeys(store), store.clock) });
  const config = loadConfig({ PLOTLINE_QUOTA_REQUESTS_PER_MINUTE: String(unlimited) });
  const terms = new WorkspaceTerms(store, new QuotaDefaults(config.quota, config.upload));
  const rates = new RequestRates();

  /** The checks of `AuthGuard` and `WorkspaceGate` before a handler runs. */
  const guard = async (credential: string): Promise<Caller> => {
    const caller = await authenticator.byToken(credential);
    if (!caller || decide(caller, 'experiment.view') !== 'allowed') throw new Error('the bench was rejected');
    const now = await terms.of(caller.tenantId);
    requireOpen(now, 'experiment.view', caller.view);
    await rates.take(caller.tenantId, now.quotas.requests_per_minute);
    return caller;
  };
  const caller = await guard(token);
  // The administrator bypasses row-level security, so the same statements run without checks.
  const unchecked = new Store({ appUrl: local.adminUrl });
  const chart = async (from: Store, admit: Parameters<typeof readScalars>[3]): Promise<void> => {
    const response = await readScalars(from, tenantId, requestOf(experimentId), admit);
    if (Buffer.concat(await scalarsJson(response, null)).length < 1_000) throw new Error('no response for the chart');
  };
  const kinds = {
    'guard, access token': () => guard(token),
    'guard, JWT': () => guard(jwt),
    'chart, checked': () => chart(store, (scope) => requireExperiment(scope, caller, experimentId, 'experiment.view')),
    'chart, unchecked': () => chart(unchecked, async () => undefined),
  } as const;
  const samples = Object.fromEntries(Object.keys(kinds).map((name) => [name, [] as number[]]));
  try {
    context.say(`${context.number('requests')} requests of each kind`);
    for (let n = 0; n < warmUp + context.number('requests'); n++) {
      for (const [name, once] of Object.entries(kinds)) {
        const started = performance.now();
        await once();
        if (n >= warmUp) samples[name]!.push(performance.now() - started);
      }
    }
  } finally {
    await unchecked.close();
  }
  const of = (name: keyof typeof kinds): number[] => samples[name]!;
  const inDatabase = median(of('chart, checked')) - median(of('chart, unchecked'));
  const guardNote = (name: keyof typeof kinds) => `p99 ${quantile(of(name), 0.99).toFixed(3)} ms: one lookup every two or three seconds`;
  return {
    rows: [
      {
        measure: 'all checks of a cached chart request, median',
        value: median(of('guard, access token')) + inDatabase,
        unit: 'ms',
        atMost: 0.5,
        note: `of ${median(of('chart, checked')).toFixed(2)} ms without HTTP`,
      },
      {
        measure: 'all checks with a JWT, median',
        value: median(of('guard, JWT')) + inDatabase,
        unit: 'ms',
        note: 'verifies the signature each time',
      },
      {
        measure: 'the guard, by access token, median',
        value: median(of('guard, access token')),
        unit: 'ms',
        note: guardNote('guard, access token'),
      },
      { measure: 'the guard, by JWT, median', value: median(of('guard, JWT')), unit: 'ms', note: guardNote('guard, JWT') },
      {
        measure: 'permission and row level security in the database, median',
        value: inDatabase,
        unit: 'ms',
        note: 'compared with the administrator, who bypasses both',
      },
    ],
    samples,
  };
}

/** Creates an experiment with one run of 10,000 points. */
async function fill(local: LocalStore): Promise<string> {
  const experimentId = await local.experiment();
  const tenant = { tenantId: local.tenantId, personId: local.tenantId };
  const world = new DeletionWorld(local.store, new MemoryBlobStore());
  const fileId = await world.open(tenant, experimentId, 'run', 'events.out.tfevents.1');
  const events = Array.from({ length: 10_000 }, (_, step) => ({ step: BigInt(step), values: [{ tag: 'loss', scalar: Math.sin(step) }] }));
  await world.append(tenant, experimentId, fileId, 0, recordsOf(events, true));
  await world.ingest(tenant);
  return experimentId;
}

function requestOf(experimentId: ExperimentId): ScalarRequest {
  return {
    experimentId,
    runs: null,
    tags: ['loss'],
    plugin: null,
    unlisted: false,
    from: null,
    to: null,
    sampling: 'minmax',
    points: 1_000,
    align: 'tag',
    seed: '0',
    superseded: false,
    pageSize: 10_000,
    pageToken: null,
    view: null,
  };
}
