-- Workspaces (the tenant), people, and the ways in: tokens, one-use sign-in links, browser sessions.

create function app_set_tenant(t uuid) returns void language plpgsql as $$
begin
  execute format('set local app.tenant = %L', coalesce(t::text, ''));
end $$;
comment on function app_set_tenant(uuid) is 'First statement of every transaction of the application: names the tenant for row level security. SET LOCAL by EXECUTE, because set_config does not reach Citus workers.';
grant execute on function app_set_tenant(uuid) to plotline_app;

create table workspace (
  tenant_id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  constraint workspace_pkey primary key (tenant_id)
);
comment on table workspace is 'The tenant: people, tokens and experiments belong to one.';

create table person (
  person_id uuid not null,
  display_name text not null,
  created_at timestamptz not null default now(),
  constraint person_pkey primary key (person_id)
);
comment on table person is 'Global: somebody who can sign in.';

create table workspace_member (
  tenant_id uuid not null,
  person_id uuid not null,
  role text not null,
  created_at timestamptz not null default now(),
  constraint workspace_member_pkey primary key (tenant_id, person_id),
  constraint workspace_member_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint workspace_member_person_fkey foreign key (person_id) references person (person_id),
  constraint workspace_member_role_check check (role in ('owner', 'admin', 'member', 'viewer'))
);

create table access_token (
  tenant_id uuid not null,
  token_id uuid not null,
  person_id uuid not null,
  name text not null,
  hint text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint access_token_pkey primary key (tenant_id, token_id),
  constraint access_token_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint access_token_person_fkey foreign key (person_id) references person (person_id)
);
comment on column access_token.hint is 'The last four characters, so that a person can tell tokens apart.';

create table token_route (
  token_hash bytea not null,
  tenant_id uuid not null,
  token_id uuid not null,
  constraint token_route_pkey primary key (token_hash)
);
comment on table token_route is 'Global: SHA-256 of a token to its tenant. Read for every request, written only when a token is made or revoked.';

create table sign_in_link (
  link_hash bytea not null,
  tenant_id uuid not null,
  person_id uuid not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_link_pkey primary key (link_hash)
);
comment on table sign_in_link is 'Global: SHA-256 of a one-use sign-in link.';

create table browser_session (
  session_hash bytea not null,
  tenant_id uuid not null,
  person_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint browser_session_pkey primary key (session_hash)
);
comment on table browser_session is 'Global: SHA-256 of the cookie of a signed-in browser; it may read, never write.';

create table idempotency_key (
  tenant_id uuid not null,
  key_hash bytea not null,
  request_hash bytea not null,
  status integer,
  response jsonb,
  created_at timestamptz not null default now(),
  constraint idempotency_key_pkey primary key (tenant_id, key_hash),
  constraint idempotency_key_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade
);
comment on table idempotency_key is 'Answers of POST requests that carried an Idempotency-Key, kept 24 hours. status is null while the first request runs.';

alter table workspace enable row level security;
create policy workspace_tenant on workspace using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table workspace_member enable row level security;
create policy workspace_member_tenant on workspace_member using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table access_token enable row level security;
create policy access_token_tenant on access_token using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table idempotency_key enable row level security;
create policy idempotency_key_tenant on idempotency_key using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on workspace, workspace_member, access_token, idempotency_key to plotline_app;
grant select, insert, update, delete on person, token_route, sign_in_link, browser_session to plotline_app;
