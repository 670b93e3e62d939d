-- returns ?column? integer
/* insert-workspace */
insert into
  workspace (tenant_id, name)
values
  ($n, …)
on conflict (tenant_id) do nothing
returning
  1;

/* insert-member-person-workspace */
insert into
  person_workspace (person_id, tenant_id, joined_at, left_at)
values
  ($n, …, now(), null)
on conflict (person_id, tenant_id) do update
set
  joined_at = excluded.joined_at,
  left_at = null;

insert into
  "workspace_member" ("tenant_id", "person_id", "role")
values
  ($n, …) /* insert-member-workspace-member */;
