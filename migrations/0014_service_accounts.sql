-- Members that are programs, the workloads that may act as them, and the keys that our own JWTs are signed with.

create table service_account (
  tenant_id uuid not null,
  person_id uuid not null,
  created_at timestamptz not null default now(),
  constraint service_account_pkey primary key (tenant_id, person_id),
  constraint service_account_member_fkey foreign key (tenant_id, person_id) references workspace_member (tenant_id, person_id) on delete cascade
);
comment on table service_account is 'Which members are programs: they have a role and tokens, and cannot sign in.';

create table workload_identity (
  tenant_id uuid not null,
  workload_id uuid not null,
  person_id uuid not null,
  issuer text not null,
  audience text not null,
  subject text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint workload_identity_pkey primary key (tenant_id, workload_id),
  constraint workload_identity_account_fkey foreign key (tenant_id, person_id) references service_account (tenant_id, person_id) on delete cascade,
  constraint workload_identity_scopes_check check (cardinality(scopes) > 0 and scopes <@ '{read,upload,manage,admin}'::text[])
);
comment on table workload_identity is 'Whose OIDC tokens are exchanged for a short token of a service account.';
comment on column workload_identity.issuer is 'The claim iss, exactly; one of those that the operator has set.';
comment on column workload_identity.audience is 'Must be among the claim aud.';
comment on column workload_identity.subject is 'The claim sub, exactly, or its beginning, followed by *.';
comment on column workload_identity.scopes is 'What its tokens may be used for; never more than the role of the service account.';
comment on column workload_identity.last_used_at is 'Written at most once an hour.';
create index workload_identity_person on workload_identity (tenant_id, person_id);

create table signing_key (
  key_id text not null,
  public_key jsonb not null,
  sealed_key bytea not null,
  created_at timestamptz not null default now(),
  signs_from timestamptz not null,
  constraint signing_key_pkey primary key (key_id)
);
comment on table signing_key is 'Global: the keys of our own JWTs (ES256). A key is published from its creation, and signs from signs_from until the next one does.';
comment on column signing_key.public_key is 'As JSON Web Key.';
comment on column signing_key.sealed_key is 'The private key (PKCS 8), sealed with AES-256-GCM under a key that is derived from PLOTLINE_SECRET_KEY: nonce, tag, ciphertext.';

alter table service_account enable row level security;
create policy service_account_tenant on service_account using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table workload_identity enable row level security;
create policy workload_identity_tenant on workload_identity using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on service_account, workload_identity to plotline_app;
grant select, insert, delete on signing_key to plotline_app;
