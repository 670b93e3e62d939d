-- Several workspaces for one person: where somebody is a member, how they are invited, and what stays of a person who was erased.

alter table person add column erased_at timestamptz;
comment on column person.erased_at is 'The person was erased: the name is gone, and the id stays where an experiment or the audit log names who did it.';

create table person_workspace (
  person_id uuid not null,
  tenant_id uuid not null,
  joined_at timestamptz not null default now(),
  left_at timestamptz,
  founded boolean not null default false,
  constraint person_workspace_pkey primary key (person_id, tenant_id),
  constraint person_workspace_person_fkey foreign key (person_id) references person (person_id) on delete cascade
);
comment on table person_workspace is 'Global: the workspaces of a person, so that somebody who signs in finds them. Membership itself is workspace_member.';
comment on column person_workspace.left_at is 'Not a member any more; the row stays so that erasing the person finds what is left of them there.';
comment on column person_workspace.founded is 'The person has made it as another workspace of theirs; how many one may make is bounded.';
create index person_workspace_tenant on person_workspace (tenant_id);
insert into person_workspace (person_id, tenant_id, joined_at) select person_id, tenant_id, created_at from workspace_member;

create table invitation (
  tenant_id uuid not null,
  invitation_id uuid not null,
  role text not null,
  invited_by uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  used_at timestamptz,
  used_by uuid,
  constraint invitation_pkey primary key (tenant_id, invitation_id),
  constraint invitation_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint invitation_person_fkey foreign key (invited_by) references person (person_id),
  constraint invitation_role_check check (role in ('owner', 'admin', 'member', 'viewer'))
);
comment on table invitation is 'A link by which one person becomes a member. It is good only as long as who made it is a member who could still make it.';

create table invitation_route (
  secret_hash bytea not null,
  tenant_id uuid not null,
  invitation_id uuid not null,
  constraint invitation_route_pkey primary key (secret_hash)
);
comment on table invitation_route is 'Global: SHA-256 of the secret of an invitation to its workspace; whoever opens one is not a member yet.';
create index invitation_route_tenant on invitation_route (tenant_id, invitation_id);

create index browser_session_person on browser_session (person_id, tenant_id);
create index sign_in_link_person on sign_in_link (person_id, tenant_id);

alter table invitation enable row level security;
create policy invitation_tenant on invitation using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on invitation, person_workspace, invitation_route to plotline_app;
