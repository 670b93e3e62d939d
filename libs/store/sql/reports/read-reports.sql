-- returns report_id uuid, title text, version integer, owner_id uuid, owner_name text, updated_by uuid, updated_by_name text, created_at timestamptz, updated_at timestamptz
/* list-reports */
select
  r.report_id,
  r.title,
  r.version,
  r.owner_id,
  o.display_name as owner_name,
  r.updated_by,
  u.display_name as updated_by_name,
  r.created_at,
  r.updated_at
from
  report r
  left join person o on o.person_id = r.owner_id
  left join person u on u.person_id = r.updated_by
where
  r.tenant_id = $n
  and (
    $n::uuid is null
    or (r.updated_at, r.report_id) < (
      select
        a.updated_at,
        a.report_id
      from
        report a
      where
        a.tenant_id = $n
        and a.report_id = $n::uuid
    )
  )
order by
  r.updated_at desc,
  r.report_id desc
limit
  $n;

-- returns report_id uuid, title text, version integer, owner_id uuid, owner_name text, updated_by uuid, updated_by_name text, created_at timestamptz, updated_at timestamptz, body text, experiments text[]
/* read-report */
select
  r.report_id,
  r.title,
  r.version,
  r.owner_id,
  o.display_name as owner_name,
  r.updated_by,
  u.display_name as updated_by_name,
  r.created_at,
  r.updated_at,
  r.body,
  r.experiments
from
  report r
  left join person o on o.person_id = r.owner_id
  left join person u on u.person_id = r.updated_by
where
  r.tenant_id = $n
  and r.report_id = $n;

/* has-report */
select
from
  report
where
  tenant_id = $n
  and report_id = $n;
