-- Links that show a report, with the experiments in its blocks, to anyone who has them.

alter table report add column experiments text[] not null default '{}';
comment on column report.experiments is 'The experiments of the workspace that the blocks show, as of the last change of the text or the creation of a link. Its links give access to them.';

create table report_link (
  tenant_id uuid not null,
  link_id uuid not null,
  report_id uuid not null,
  name text not null,
  made_by uuid,
  anonymous boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint report_link_pkey primary key (tenant_id, link_id),
  constraint report_link_report_fkey foreign key (tenant_id, report_id) references report (tenant_id, report_id) on delete cascade
);
comment on table report_link is 'Anyone with the secret of a link can read the report and its experiments until it expires or is revoked.';
comment on column report_link.link_id is 'share_link_route finds it by the SHA-256 of the secret.';
comment on column report_link.name is 'A note for the workspace; visitors do not see it.';
comment on column report_link.made_by is 'The creator. Null: a deleted person.';
comment on column report_link.anonymous is 'Without names of people, of the workspace, of files and of hosts.';
create index report_link_report on report_link (tenant_id, report_id, created_at);
alter table report_link enable row level security;
create policy report_link_tenant on report_link using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on report_link to plotline_app;

comment on table share_link_route is 'Global: the tenant of a link to an experiment or a report, by the SHA-256 of its secret. Written when the link is created, and deleted with its experiment or report.';
