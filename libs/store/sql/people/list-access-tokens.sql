-- returns token_id uuid, person_id uuid, display_name text, name text, hint text, scopes text[], experiments text[], created_at timestamptz, expires_at timestamptz, last_used_at timestamptz
/* list-access-tokens */
select
  t.token_id,
  t.person_id,
  p.display_name,
  t.name,
  t.hint,
  t.scopes,
  t.experiments,
  t.created_at,
  t.expires_at,
  t.last_used_at
from
  access_token t
  join person p on p.person_id = t.person_id
where
  t.tenant_id = $n
  and t.revoked_at is null
  and (
    t.expires_at is null
    or t.expires_at > now()
  )
  and (
    $n::uuid is null
    or t.person_id = $n::uuid
  )
  and (
    $n::uuid is null
    or (t.created_at, t.token_id) < (
      select
        a.created_at,
        a.token_id
      from
        access_token a
      where
        a.tenant_id = $n
        and a.token_id = $n::uuid
    )
  )
order by
  t.created_at desc,
  t.token_id desc
limit
  $n;

-- returns tokens integer
/* count-access-tokens */
select
  count(*)::int as tokens
from
  access_token
where
  tenant_id = $n
  and person_id = $n
  and revoked_at is null
  and (
    expires_at is null
    or expires_at > now()
  );
