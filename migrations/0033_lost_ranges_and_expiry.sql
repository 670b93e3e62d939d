-- Ranges of event files whose objects the operator's check found missing or damaged: reads of them fail with a code of their own.
create table lost_range (
  tenant_id uuid not null,
  file_id bigint not null,
  object_key text not null,
  "offset" bigint not null,
  bytes bigint not null,
  reason text not null,
  found_at timestamptz not null default now(),
  constraint lost_range_pkey primary key (tenant_id, file_id, object_key),
  constraint lost_range_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade,
  constraint lost_range_reason_check check (reason in ('missing', 'size', 'damaged'))
);
comment on table lost_range is
  'Byte ranges of event files whose stored objects are missing or damaged, as found by admin check --quarantine. A row counts while the file still refers to its object.';
alter table lost_range enable row level security;
create policy lost_range_tenant on lost_range using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select on lost_range to plotline_app;

-- Expired rows are removed in batches, oldest first. The sweeper finds those of idle workspaces.
create index sign_in_link_expiry on sign_in_link (expires_at);
create index browser_session_expiry on browser_session (expires_at);
grant select (tenant_id, created_at) on idempotency_key to plotline_sweeper;
grant select (tenant_id, received_at) on uploader_request to plotline_sweeper;
