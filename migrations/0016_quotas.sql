-- What a workspace may use, and what it uses. Counters stand in rows that the same transaction writes anyway, so they cost no row of their own,
-- are as exact as the data, and nobody waits for anybody at them.

alter table experiment_epoch add column stored_bytes bigint not null default 0;
comment on column experiment_epoch.stored_bytes is 'Bytes of event files that are kept: of the prefixes, of ranges beyond them, without what was dropped. Deletion gives back here what it removes, under the lock of the file.';
comment on table experiment_epoch is 'The counter of committed batches of acknowledgements, and of the bytes that they keep. Only what adds bytes to files or removes them locks its row, last of all; workers and statistics have rows of their own.';

alter table run_state add column points bigint not null default 0;
alter table run_state add column series bigint not null default 0;
alter table run_state add column value_bytes bigint not null default 0;
comment on column run_state.points is 'Points that are stored of the run, of all data classes, superseded ones included.';
comment on column run_state.series is 'Series of the run, unlisted ones included.';
comment on column run_state.value_bytes is 'Bytes of tensors and blobs, each counted as often as it was logged.';

update experiment_epoch a set stored_bytes = f.bytes
  from (
    select f.tenant_id, f.experiment_id, sum(f.durable_offset - f.dropped_bytes + coalesce(k.bytes, 0)) as bytes
      from event_file f
      left join (select tenant_id, file_id, sum(length) as bytes from segment where epoch is null group by tenant_id, file_id) k
        on k.tenant_id = f.tenant_id and k.file_id = f.file_id
     group by f.tenant_id, f.experiment_id
  ) f
 where a.tenant_id = f.tenant_id and a.experiment_id = f.experiment_id;

update run_state r set points = s.points + coalesce(t.points, 0), series = s.series, value_bytes = coalesce(v.bytes, 0) + coalesce(b.bytes, 0)
  from (
    select s.tenant_id, s.run_id, count(*) as series, coalesce(sum(c.points + c.superseded_points), 0) as points
      from series s left join series_stats c on c.tenant_id = s.tenant_id and c.series_id = s.series_id
     group by s.tenant_id, s.run_id
  ) s
  left join (select tenant_id, run_id, sum(points) as points from run_tail group by tenant_id, run_id) t
    on t.tenant_id = s.tenant_id and t.run_id = s.run_id
  left join (
    select s.tenant_id, s.run_id, sum(v.bytes) as bytes
      from tensor_value v join series s on s.tenant_id = v.tenant_id and s.series_id = v.series_id
     group by s.tenant_id, s.run_id
  ) v on v.tenant_id = s.tenant_id and v.run_id = s.run_id
  left join (
    select s.tenant_id, s.run_id, sum((select sum(u.bytes) from unnest(w.blob_bytes) as u(bytes))) as bytes
      from blob_sequence_value w join series s on s.tenant_id = w.tenant_id and s.series_id = w.series_id
     group by s.tenant_id, s.run_id
  ) b on b.tenant_id = s.tenant_id and b.run_id = s.run_id
 where r.tenant_id = s.tenant_id and r.run_id = s.run_id;

create table workspace_limits (
  tenant_id uuid not null,
  points bigint,
  bytes bigint,
  experiments bigint,
  series bigint,
  pending_bytes bigint,
  requests_per_minute bigint,
  suspension text,
  suspended_at timestamptz,
  suspension_reason text,
  constraint workspace_limits_pkey primary key (tenant_id),
  constraint workspace_limits_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint workspace_limits_points_check check (points between 0 and 999999999999999),
  constraint workspace_limits_bytes_check check (bytes between 0 and 999999999999999),
  constraint workspace_limits_experiments_check check (experiments between 0 and 999999999999999),
  constraint workspace_limits_series_check check (series between 0 and 999999999999999),
  constraint workspace_limits_pending_bytes_check check (pending_bytes between 0 and 999999999999999),
  constraint workspace_limits_requests_per_minute_check check (requests_per_minute between 1 and 999999999999999),
  constraint workspace_limits_suspension_check check (suspension in ('read-only', 'closed')),
  constraint workspace_limits_suspended_check check ((suspension is null) = (suspended_at is null) and (suspension is null) = (suspension_reason is null))
);
comment on table workspace_limits is 'What whoever runs the service has set for a workspace: a column that is null means what the settings say (PLOTLINE_QUOTA_…). The service reads it and cannot write it.';
comment on column workspace_limits.suspension is 'The switch: read-only refuses everything but reading, closed refuses that too. Null: the workspace works.';
comment on column workspace_limits.suspension_reason is 'Shown to the people of the workspace.';

create table workspace_limits_change (
  tenant_id uuid not null,
  change_id uuid not null,
  changed_at timestamptz not null default now(),
  changed_by text not null,
  before jsonb not null,
  after jsonb not null,
  note text,
  constraint workspace_limits_change_pkey primary key (tenant_id, change_id)
);
comment on table workspace_limits_change is 'Every change of workspace_limits, written with it: who, when, what it was and what it is. Stays when the workspace goes, so it has no foreign key.';
comment on column workspace_limits_change.changed_by is 'Who ran the command, by their own word or that of their system.';

alter table workspace_limits enable row level security;
create policy workspace_limits_tenant on workspace_limits using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table workspace_limits_change enable row level security;
create policy workspace_limits_change_tenant on workspace_limits_change using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select on workspace_limits, workspace_limits_change to plotline_app;
