import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DistributedForm, distributedForms, unsupportedForms } from './distributed-forms.ts';

const globals = new Set(['token_route', 'maintenance_turn', 'device_code']);

/** For each form: statements that have it, and statements that do the same work without it. */
const cases: Record<DistributedForm, { readonly not: readonly string[]; readonly but: readonly string[] }> = {
  'time in CASE or COALESCE': {
    not: [
      'update run set a = coalesce(a, now()) where tenant_id = $1',
      'update run set a = case when b then current_timestamp end where tenant_id = $1',
      'delete from run where tenant_id = $1 and coalesce(a < now(), false)',
      'update run set a = u.a from (select case when $2 then now() end as a) u where tenant_id = $1',
      'with x as (update run set a = coalesce(a, now()) where tenant_id = $1 returning 1) select from x',
    ],
    but: [
      'update run set a = now() where tenant_id = $1 and a is null',
      'update run set a = coalesce($2, a), b = least(b, now()) where tenant_id = $1',
      'select coalesce(a < now(), true) from run where tenant_id = $1',
    ],
  },
  'time in an array': {
    not: ['update run set a = (array[now()])[b] where tenant_id = $1'],
    but: ['update run set a = now() where tenant_id = $1', 'update run set a = (array[b])[1] where tenant_id = $1'],
  },
  'time in RETURNING': {
    not: ['delete from device_code where id = $1 returning at > now() as good', 'insert into run (a) values ($1) returning now()'],
    but: ['delete from device_code where id = $1 and at > now() returning at', 'update run set a = now() where tenant_id = $1 returning 1'],
  },
  'time in ON CONFLICT': {
    not: [
      'insert into maintenance_turn as t (name, at) values ($1, $2) on conflict (name) do update set at = now()',
      'insert into maintenance_turn as t (name, at) values ($1, $2) on conflict (name) do update set at = $2 where t.at <= now()',
    ],
    but: [
      'insert into maintenance_turn as t (name, at) values ($1, now()) on conflict (name) do update set at = excluded.at where t.at < $2',
    ],
  },
  'interval of a column': {
    not: [
      'delete from run where tenant_id = $1 and at < now() - make_interval(secs => seconds)',
      'update run set until = at + make_interval(secs => seconds) where tenant_id = $1',
      'update run set until = at + make_interval(secs => $2) where tenant_id = $1',
      `delete from run where tenant_id = $1 and at - interval '1 hour' < $2`,
    ],
    but: [
      'delete from run where tenant_id = $1 and at < now() - make_interval(secs => $2)',
      `update run set until = now() - interval '1 hour' where tenant_id = $1`,
      'select from run where tenant_id = $1 and at < now() - make_interval(secs => seconds)',
    ],
  },
  'volatile function in UPDATE or DELETE': {
    not: ['update run set id = gen_random_uuid() where tenant_id = $1', 'delete from run where tenant_id = $1 and random() < 0.5'],
    but: ['update run set id = $2 where tenant_id = $1', 'insert into run (tenant_id, id) values ($1, gen_random_uuid())'],
  },
  'INSERT … SELECT without RETURNING': {
    not: [
      'insert into run (tenant_id, a) select $1, a from unnest($2::int[]) as u (a)',
      'with x as (insert into run (tenant_id, a) select $1, a from other where tenant_id = $1) select 1',
    ],
    but: [
      'insert into run (tenant_id, a) select $1, a from unnest($2::int[]) as u (a) returning 1',
      'insert into run (tenant_id, a) select $1, a from unnest($2::int[]) as u (a) on conflict do nothing',
      'insert into run (tenant_id, a) values ($1, $2), ($1, $3)',
    ],
  },
  'INSERT … SELECT into a global table': {
    not: ['insert into token_route (hash) select $1 where not exists (select from token_route)'],
    but: ['insert into token_route (hash) values ($1)'],
  },
  'subquery in VALUES': {
    not: ['insert into run (tenant_id, a) values ($1, (select max(a) from run where tenant_id = $1))'],
    but: ['insert into run (tenant_id, a) select $1, max(a) from run where tenant_id = $1 returning 1'],
  },
  recursion: {
    not: ['with recursive x as (select a from run union all select r.a from x, run r) select a from x'],
    but: [
      'select distinct a from run',
      'with recursive x as (select a from run where tenant_id = $1 union all select r.a from x, run r where r.tenant_id = $1) select a from x',
    ],
  },
  'row IN subquery': {
    not: ['delete from run where tenant_id = $1 and (a, b) in (select a, b from run where tenant_id = $1 limit $2)'],
    but: [
      'delete from run r using (select a, b from run where tenant_id = $1 limit $2) d where r.tenant_id = $1 and r.a = d.a and r.b = d.b',
      'delete from run where tenant_id = $1 and a in (select a from run where tenant_id = $1 limit $2)',
    ],
  },
  'tenants in a change of a global table': {
    not: ['delete from token_route where id in (select id from access_token where tenant_id = $1)'],
    but: [
      'delete from token_route where id = any($1)',
      'delete from run where tenant_id = $1 and exists (select from token_route)',
      'with gone as (delete from token_route where id = $1 returning id) select id from gone',
    ],
  },
  'lock on a global table in WITH': {
    not: ['with x as (select a from device_code where id = $1 for update) update device_code d set a = 1 from x where d.a = x.a'],
    but: ['select a from device_code where id = $1 for update'],
  },
  'tenant of an outer query': {
    not: ['select (select a from other o where o.tenant_id = r.tenant_id and o.id = r.id) from run r where r.tenant_id = $1'],
    but: [
      'select (select a from other o where o.tenant_id = $1 and o.id = r.id) from run r where r.tenant_id = $1',
      'select (select a from other o join third t on t.tenant_id = o.tenant_id where o.tenant_id = $1) from run r where r.tenant_id = $1',
    ],
  },
  'lock over all tenants': {
    not: ['select a from run where b limit 10 for update skip locked'],
    but: ['select a from run where tenant_id = $1 and b limit 10 for update skip locked', 'select a from device_code for update'],
  },
  'notify or advisory lock with FROM': {
    not: ["select pg_notify('a', 'b') from run where tenant_id = $1", 'select pg_advisory_xact_lock(1) from run where tenant_id = $1'],
    but: ["select pg_notify('a', 'b')", 'select pg_try_advisory_xact_lock(1)'],
  },
  MERGE: {
    not: ['merge into run r using other o on r.a = o.a when matched then delete'],
    but: ['insert into run (tenant_id) values ($1) on conflict do nothing'],
  },
  ctid: {
    not: ['delete from run where tenant_id = $1 and ctid = any(array(select ctid from run where tenant_id = $1 limit 5))'],
    but: ['delete from run where tenant_id = $1 and a = any(array(select a from run where tenant_id = $1 limit 5))'],
  },
};

beforeAll(() => loadModule());

describe.each(Object.keys(distributedForms) as DistributedForm[])('on a cluster: %s', (form) => {
  it.each(cases[form].not)('is detected in %s', (sql) => expect(unsupportedForms(sql, globals)).toContain(form));
  it.each(cases[form].but)('is not needed for %s', (sql) => expect(unsupportedForms(sql, globals)).toEqual([]));
});
