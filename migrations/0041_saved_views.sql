-- Named views of an experiment, and links that open with a view.

create table saved_view (
  tenant_id uuid not null,
  view_id uuid not null,
  experiment_id text not null,
  owner_id uuid,
  name text not null,
  parameters text not null,
  shared boolean not null,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint saved_view_pkey primary key (tenant_id, view_id),
  constraint saved_view_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade,
  constraint saved_view_default_check check (shared or not is_default),
  constraint saved_view_owner_check check (shared or owner_id is not null)
);
comment on table saved_view is 'Named views of the page of an experiment.';
comment on column saved_view.owner_id is 'The person who saved it. Null: the person was erased.';
comment on column saved_view.parameters is 'The query string of the page''s address, without the question mark.';
comment on column saved_view.shared is 'True: all members of the workspace see it. False: only its owner does.';
comment on column saved_view.is_default is 'The page opens with it if its address has no parameters. At most one per experiment.';
create index saved_view_experiment on saved_view (tenant_id, experiment_id);
create unique index saved_view_default on saved_view (tenant_id, experiment_id) where is_default;
alter table saved_view enable row level security;
create policy saved_view_tenant on saved_view using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on saved_view to plotline_app;

alter table share_link add column parameters text;
comment on column share_link.parameters is 'The query string with which the page opens, without names that the link does not show. Null: none.';
