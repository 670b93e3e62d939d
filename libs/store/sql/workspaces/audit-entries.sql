-- returns ?column? integer
/* insert-audit-entry */
insert into
  audit_entry (
    tenant_id,
    entry_id,
    actor_id,
    via,
    action,
    result,
    experiment_id,
    object_id,
    details,
    address,
    request_id
  )
overriding system value
values
  ($n, …::jsonb, $n, …)
on conflict do nothing
returning
  1;

-- returns entry_id bigint, at timestamptz, micros bigint, actor_id uuid, display_name text, via text, action text, result text, experiment_id text, object_id text, details jsonb, address text, request_id text
/* list-audit-entries */
select
  a.entry_id,
  a.at,
  (
    extract(
      epoch
      from
        a.at
    ) * 1000000
  )::bigint as micros,
  a.actor_id,
  p.display_name,
  a.via,
  a.action,
  a.result,
  a.experiment_id,
  a.object_id,
  a.details,
  a.address,
  a.request_id
from
  audit_entry a
  left join person p on p.person_id = a.actor_id
  and p.erased_at is null
where
  a.tenant_id = $n
  and (a.at, a.entry_id) < (timestamptz 'epoch' + $n::bigint * interval '1 microsecond', $n::bigint)
  and (
    $n::text is null
    or a.action = $n
  )
  and (
    $n::uuid is null
    or a.actor_id = $n::uuid
  )
  and (
    $n::text is null
    or a.experiment_id = $n
  )
  and (
    $n::text is null
    or a.result = $n
  )
  and (
    $n::timestamptz is null
    or a.at >= $n::timestamptz
  )
  and (
    $n::timestamptz is null
    or a.at < $n::timestamptz
  )
order by
  a.at desc,
  a.entry_id desc
limit
  $n;

-- returns entry_id bigint, at timestamptz, micros bigint, actor_id uuid, display_name text, via text, action text, result text, experiment_id text, object_id text, details jsonb, address text, request_id text
/* list-audit-entries */
select
  a.entry_id,
  a.at,
  (
    extract(
      epoch
      from
        a.at
    ) * 1000000
  )::bigint as micros,
  a.actor_id,
  p.display_name,
  a.via,
  a.action,
  a.result,
  a.experiment_id,
  a.object_id,
  a.details,
  a.address,
  a.request_id
from
  audit_entry a
  left join person p on p.person_id = a.actor_id
  and p.erased_at is null
where
  a.tenant_id = $n
  and (a.at, a.entry_id) > (timestamptz 'epoch' + $n::bigint * interval '1 microsecond', $n::bigint)
  and (
    $n::text is null
    or a.action = $n
  )
  and (
    $n::uuid is null
    or a.actor_id = $n::uuid
  )
  and (
    $n::text is null
    or a.experiment_id = $n
  )
  and (
    $n::text is null
    or a.result = $n
  )
  and (
    $n::timestamptz is null
    or a.at >= $n::timestamptz
  )
  and (
    $n::timestamptz is null
    or a.at < $n::timestamptz
  )
order by
  a.at asc,
  a.entry_id asc
limit
  $n;

-- returns entry_id bigint, at timestamptz, micros bigint, actor_id uuid, display_name text, via text, action text, result text, experiment_id text, object_id text, details jsonb, address text, request_id text
/* list-audit-entries */
select
  a.entry_id,
  a.at,
  (
    extract(
      epoch
      from
        a.at
    ) * 1000000
  )::bigint as micros,
  a.actor_id,
  p.display_name,
  a.via,
  a.action,
  a.result,
  a.experiment_id,
  a.object_id,
  a.details,
  a.address,
  a.request_id
from
  audit_entry a
  left join person p on p.person_id = a.actor_id
  and p.erased_at is null
where
  a.tenant_id = $n
  and true
  and (
    $n::text is null
    or a.action = $n
  )
  and (
    $n::uuid is null
    or a.actor_id = $n::uuid
  )
  and (
    $n::text is null
    or a.experiment_id = $n
  )
  and (
    $n::text is null
    or a.result = $n
  )
  and (
    $n::timestamptz is null
    or a.at >= $n::timestamptz
  )
  and (
    $n::timestamptz is null
    or a.at < $n::timestamptz
  )
order by
  a.at asc,
  a.entry_id asc
limit
  $n;

-- returns entry_id bigint, at timestamptz, micros bigint, actor_id uuid, display_name text, via text, action text, result text, experiment_id text, object_id text, details jsonb, address text, request_id text
/* list-audit-entries */
select
  a.entry_id,
  a.at,
  (
    extract(
      epoch
      from
        a.at
    ) * 1000000
  )::bigint as micros,
  a.actor_id,
  p.display_name,
  a.via,
  a.action,
  a.result,
  a.experiment_id,
  a.object_id,
  a.details,
  a.address,
  a.request_id
from
  audit_entry a
  left join person p on p.person_id = a.actor_id
  and p.erased_at is null
where
  a.tenant_id = $n
  and true
  and (
    $n::text is null
    or a.action = $n
  )
  and (
    $n::uuid is null
    or a.actor_id = $n::uuid
  )
  and (
    $n::text is null
    or a.experiment_id = $n
  )
  and (
    $n::text is null
    or a.result = $n
  )
  and (
    $n::timestamptz is null
    or a.at >= $n::timestamptz
  )
  and (
    $n::timestamptz is null
    or a.at < $n::timestamptz
  )
order by
  a.at desc,
  a.entry_id desc
limit
  $n;

/* remove-old-audit-entries */
delete from audit_entry
where
  tenant_id = $n
  and entry_id in (
    select
      a.entry_id
    from
      audit_entry a
      join workspace w on w.tenant_id = a.tenant_id
    where
      a.tenant_id = $n
      and a.at < now() - make_interval(days => w.audit_days)
    order by
      a.at
    limit
      $n
  );
