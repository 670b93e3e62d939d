-- Links that show an experiment to whoever holds them, and snapshots: copies that never change.

alter table experiment
  add column snapshot_of text,
  add column snapshot_epoch bigint,
  add constraint experiment_snapshot_check check ((snapshot_of is null) = (snapshot_epoch is null));
comment on column experiment.visibility is 'public: whoever has its address may read it; listed to the workspace only.';
comment on column experiment.snapshot_of is 'The experiment that this one is a copy of; it may be gone. What is a copy takes no bytes and no changes. No foreign key: a copy outlives what it was made of.';
comment on column experiment.snapshot_epoch is 'The frontier of that experiment when it was copied.';

create table share_link (
  tenant_id uuid not null,
  link_id uuid not null,
  kind text not null,
  experiment_id text not null,
  source_id text not null,
  name text not null,
  made_by uuid,
  runs text[],
  tags text[],
  anonymous boolean not null,
  origins text[],
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint share_link_pkey primary key (tenant_id, link_id),
  constraint share_link_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade,
  constraint share_link_kind_check check (kind in ('page', 'embed')),
  constraint share_link_origins_check check ((kind = 'embed') = (origins is not null))
);
comment on table share_link is 'Whoever holds the secret of a link may read what it shows, until it ends.';
comment on column share_link.kind is 'page: a browser may keep it and programs may send it; embed: one page, to be shown in frames of other sites.';
comment on column share_link.experiment_id is 'What it shows: the experiment that was shared, or a copy of it.';
comment on column share_link.source_id is 'The experiment that was shared, under which the link is listed.';
comment on column share_link.made_by is 'Null: a person who was deleted.';
comment on column share_link.runs is 'It shows these only; null: all. As tags.';
comment on column share_link.anonymous is 'Without names of people, of the workspace, of files and of hosts.';
comment on column share_link.origins is 'The sites whose pages may frame it.';
create index share_link_experiment on share_link (tenant_id, experiment_id);
create index share_link_source on share_link (tenant_id, source_id, created_at);

create table share_link_route (
  link_hash bytea not null,
  tenant_id uuid not null,
  link_id uuid not null,
  constraint share_link_route_pkey primary key (link_hash)
);
comment on table share_link_route is 'Global: SHA-256 of the secret of a link to its tenant. Written when a link is made, and removed with its experiment.';

alter table share_link enable row level security;
create policy share_link_tenant on share_link using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on share_link, share_link_route to plotline_app;
