-- returns tenant_id uuid
/* read-tenants-with-old-audit */
select
  w.tenant_id
from
  workspace w
where
  w.audit_days is not null
  and exists (
    select
      1
    from
      audit_entry a
    where
      a.tenant_id = w.tenant_id
      and a.at < now() - make_interval(days => w.audit_days)
  )
limit
  $n;
