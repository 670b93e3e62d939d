-- returns tenant_id uuid
select
  /* read-tenants-with-tokens */
  "w"."tenant_id"
from
  "person_workspace" as "w"
where
  exists (
    select
      "r"."tenant_id"
    from
      "token_route" as "r"
    where
      "r"."tenant_id" = "w"."tenant_id"
  )
group by
  "w"."tenant_id"
order by
  min("w"."joined_at"),
  "w"."tenant_id"
limit
  $n;
