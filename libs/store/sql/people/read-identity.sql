-- returns display_name text, name text, role text
select
  /* read-identity */
  "p"."display_name",
  "w"."name",
  "m"."role"
from
  "workspace_member" as "m"
  inner join "workspace" as "w" on "w"."tenant_id" = "m"."tenant_id"
  inner join "person" as "p" on "p"."person_id" = "m"."person_id"
where
  "m"."tenant_id" = $n
  and "m"."person_id" = $n;
