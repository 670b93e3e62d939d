insert into "workspace" ("tenant_id", "name")
values ($n, …);

insert into "workspace_member" ("tenant_id", "person_id", "role")
values ($n, …);
