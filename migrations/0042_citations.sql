-- Citations of snapshots: what their authors state, and the digest of the content.

create table citation (
  tenant_id uuid not null,
  experiment_id text not null,
  title text not null,
  authors text[] not null,
  license text,
  published_on date not null,
  created_at timestamptz not null default now(),
  digest bytea,
  series bigint not null default 0,
  scalars bigint not null default 0,
  tensors bigint not null default 0,
  blob_sequences bigint not null default 0,
  digested_at timestamptz,
  worker_until timestamptz not null default now(),
  attempts integer not null default 0,
  constraint citation_pkey primary key (tenant_id, experiment_id),
  constraint citation_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade,
  constraint citation_digest_check check (length(digest) = 32)
);
comment on table citation is
  'The citation of a snapshot. It never changes, except for the digest, which a worker computes once: the row is the job.';
comment on column citation.experiment_id is 'The snapshot.';
comment on column citation.license is 'An SPDX identifier, or text. Null: none was stated.';
comment on column citation.published_on is 'The date that the citation shows.';
comment on column citation.digest is 'SHA-256 of the content (docs/snapshots.md). Null: not computed yet.';
comment on column citation.series is 'Series with values. This and the following counts are 0 until the digest is computed.';
comment on column citation.worker_until is 'A worker has it until then.';
comment on column citation.attempts is 'How often a worker claimed it.';
alter table citation enable row level security;
create policy citation_tenant on citation using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on citation to plotline_app;
grant select, update on citation to plotline_ingest;
grant select on citation to plotline_sweeper;
create index citation_undigested on citation (tenant_id, experiment_id) where digest is null;
