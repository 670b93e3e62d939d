import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type RawBuilder, sql } from 'kysely';
import { expect, it } from 'vitest';
import type { View } from '#model';
import { experimentIdOf, runIdOf, tenantIdOf } from '#model/testing';
import { committedSqlFolder, fileOf, reviewForm } from '#testing';
import type { Database } from '../database.ts';
import { TenantScope } from '../scope.ts';
import { type Filter, filterSql, type ListFields, type OrderKey, orderSql } from './experiments/filter-sql.ts';
import { experimentFieldsOf, listExperiments, readExperiment } from './experiments/list-experiments.ts';
import { listRuns, type RunListRequest } from './experiments/list-runs.ts';
import { runFields } from './experiments/run-fields.ts';

/*
 * Statements composed from filters and sort orders. Samples with fixed inputs are committed in
 * libs/store/sql, because the other tests send random statements. `UPDATE_SQL=1` writes them. Each
 * list has its shortest and longest statements. Filters and sort keys are separate, so that a new
 * field adds only a few lines.
 */

const tenantId = tenantIdOf('00000000-0000-4000-8000-000000000001');

/**
 * The statements that `work` sends to a fake Postgres, which returns these rows for each statement.
 */
async function sentBy(work: (scope: TenantScope) => Promise<unknown>, rows: unknown[] = []): Promise<string[]> {
  const sent: string[] = [];
  class Driver extends DummyDriver {
    override acquireConnection() {
      return Promise.resolve({
        executeQuery: (query: { sql: string }) => {
          sent.push(query.sql);
          return Promise.resolve({ rows: rows as never[] });
        },
        streamQuery: () => {
          throw new Error('nothing is streamed');
        },
      });
    }
  }
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  await work(new TenantScope(tenantId, db));
  return sent;
}

const compare = (
  field: string,
  operator: Extract<Filter, { kind: 'compare' }>['operator'],
  value: string | number | boolean,
  argument: string | null = null,
): Filter => ({ kind: 'compare', field, argument, operator, value });
const order = (field: string, descending = false, argument: string | null = null): OrderKey => ({ field, argument, descending });

const runFilters: readonly Filter[] = [
  compare('name', '=', 'a'),
  compare('name', ':', 'a'),
  compare('name', '~', 'a'),
  compare('name', '!~', 'a'),
  compare('label', '!=', 'base'),
  compare('archived', '=', 'false'),
  compare('start_time', '>=', 1),
  compare('hparam', '<', 0.5, 'lr'),
  compare('hparam', '=', 'adam', 'opt'),
  compare('hparam', '!=', true, 'nesterov'),
  compare('last', '>', 0.9, 'acc'),
  compare('min', '<=', 0.1, 'loss'),
  { kind: 'not', term: { kind: 'or', terms: [compare('status', '=', 'success'), compare('group', '=', 'g')] } },
  { kind: 'and', terms: [compare('max', '=', 1, 'acc'), { kind: 'not', term: compare('name', '<', 'b') }] },
];
const runOrders: readonly (readonly OrderKey[])[] = [
  [order('name')],
  [order('start_time', true), order('name')],
  [order('last', true, 'acc'), order('name')],
  [order('hparam', false, 'lr'), order('name')],
];
const views: readonly (View | null)[] = [null, { runs: ['a'], tags: ['acc'], anonymous: false }];

const experimentFilters: readonly Filter[] = [
  compare('name', '=', 'a'),
  compare('owner', '~', 'a'),
  compare('description', ':', 'a'),
  compare('label', '=', 'base'),
  compare('archived', '=', 'true'),
  compare('created', '>=', 1),
  compare('received', '<', 1),
  { kind: 'and', terms: [compare('id', '!=', 'a'), { kind: 'not', term: compare('updated', '=', 1) }] },
];
const experimentOrders: readonly (readonly OrderKey[])[] = [
  [order('created', true), order('id')],
  [order('received'), order('id')],
];

/** Only the conditions and sort keys, because the surrounding statement is always the same. */
function partsOf(fields: ListFields, filters: readonly Filter[], orders: readonly (readonly OrderKey[])[]): RawBuilder<unknown>[] {
  return [...filters.map((filter) => filterSql(filter, fields)), ...orders.flat().map((key) => orderSql(key, fields))].map(
    (part) => sql`select ${part} from b`,
  );
}

async function runStatements(): Promise<string[]> {
  const plain: RunListRequest = {
    experimentId: experimentIdOf('e'),
    filter: null,
    order: runOrders[0]!,
    limit: 50,
    after: null,
    live: [],
    view: null,
  };
  const live = [{ runId: runIdOf('1'), tag: 'acc', last: 1, min: 0, max: 1, lastStep: 1, minStep: 1, maxStep: null }];
  const full: RunListRequest = {
    ...plain,
    live,
    view: { runs: ['a'], tags: ['acc'], anonymous: false },
    filter: compare('last', '>', 0.9, 'acc'),
    order: runOrders[1]!,
    after: runIdOf('7'),
    values: [order('duration'), { field: 'last_step', argument: 'acc' }, { field: 'state', argument: '5' }],
  };
  const atStep = { ...order('value_at', true, 'acc'), second: '100' };
  const fields = runFields(tenantId, [], null);
  return [
    ...(await sentBy((scope) => listRuns(scope, { ...plain, counted: true, filter: compare('state', '=', 'stalled', '10') }))),
    ...(await sentBy((scope) => listRuns(scope, plain))),
    ...(await sentBy((scope) => listRuns(scope, full), [runRow])),
    ...(await sentBy((scope) =>
      listRuns(scope, { ...plain, order: [atStep, order('name')], points: [{ ref: atStep, runIds: [runIdOf('7')], values: [1] }] }),
    )),
    ...(await sentBy(async ({ trx }) => {
      for (const part of partsOf(fields, runFilters, runOrders)) await part.execute(trx);
    })),
  ];
}

async function experimentStatements(): Promise<string[]> {
  const plain = { filter: null, order: experimentOrders[0]!, limit: 50, after: null, within: null };
  const full = {
    ...plain,
    filter: experimentFilters[0]!,
    order: experimentOrders[1]!,
    after: experimentIdOf('x'),
    within: new Set(['x', 'y']),
    ownedBy: tenantId,
  };
  const sent = [
    ...(await sentBy((scope) => listExperiments(scope, plain))),
    ...(await sentBy((scope) => listExperiments(scope, full), [{}])),
    ...(await sentBy(async ({ trx }) => {
      for (const part of partsOf(experimentFieldsOf(tenantId), experimentFilters, experimentOrders)) await part.execute(trx);
    })),
  ];
  for (const view of views) sent.push(...(await sentBy((scope) => readExperiment(scope, experimentIdOf('x'), view))));
  return sent;
}

const runRow = { run_id: '7', name: 'a', events: '1', labels: [] };

it.each([
  ['experiments/list-runs', runStatements],
  ['experiments/list-experiments', experimentStatements],
])('%s: the samples are committed', async (name, statements) => {
  const wanted = fileOf((await statements()).map(reviewForm));
  const path = join(committedSqlFolder, `${name}.sql`);
  if (process.env.UPDATE_SQL === '1') {
    mkdirSync(committedSqlFolder, { recursive: true });
    writeFileSync(path, wanted);
  }
  expect(readFileSync(path, 'utf8'), `npm run test:sql writes ${path}`).toBe(wanted);
});
