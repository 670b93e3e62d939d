-- Reports: Markdown documents of a workspace that show charts, tables and images of its experiments.

create table report (
  tenant_id uuid not null,
  report_id uuid not null,
  owner_id uuid,
  title text not null,
  body text not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  updated_by uuid,
  constraint report_pkey primary key (tenant_id, report_id),
  constraint report_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade
);
comment on table report is 'Markdown documents of a workspace that show views of its experiments.';
comment on column report.owner_id is 'The person who created it. Null: the person was erased.';
comment on column report.body is 'Markdown. Code blocks named plotline contain addresses of views.';
comment on column report.version is 'Counts the changes. A change names the version on which it is based.';
comment on column report.updated_by is 'The person who made the last change. Null: the person was erased.';
create index report_updated on report (tenant_id, updated_at, report_id);
alter table report enable row level security;
create policy report_tenant on report using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on report to plotline_app;
