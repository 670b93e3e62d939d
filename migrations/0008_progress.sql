-- Progress: what each worker says of its part, in numbered batches, and what the publisher has made of it.

create table progress_batch (
  tenant_id uuid not null,
  experiment_id text not null,
  worker text not null,
  number bigint not null,
  changes jsonb not null,
  constraint progress_batch_pkey primary key (tenant_id, experiment_id, worker, number)
);
comment on table progress_batch is 'What was said and is not heard yet. A row is written in the transaction that does what it tells of, and goes in the one that publishes. No foreign key: checking it would lock, and so log, the row of the experiment with every acknowledgement.';
comment on column progress_batch.worker is 'receive: acknowledgements; run-<id>: ingest of a run; rebuild: the ledger was changed in another way, and has to be counted anew.';
comment on column progress_batch.number is 'Of a worker, from 1 without gaps; of receive, the epoch. Of rebuild, any.';
comment on column progress_batch.changes is 'Changes of occurrence counts: [place in the ingest graph, epoch, difference, loop counters …].';
-- Acknowledgements alone never complete an epoch, so nobody looks for them.
create index progress_batch_told on progress_batch (tenant_id, experiment_id) where worker <> 'receive';

create table progress_view (
  tenant_id uuid not null,
  experiment_id text not null,
  published_epoch bigint not null default 0,
  changes jsonb not null,
  outstanding boolean not null default false,
  heard_at timestamptz not null default now(),
  constraint progress_view_pkey primary key (tenant_id, experiment_id),
  constraint progress_view_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade
) with (fillfactor = 70);
comment on table progress_view is 'What the publisher knows of an experiment. Whoever publishes locks the row. All of it but published_epoch follows from the ledger.';
comment on column progress_view.published_epoch is 'The frontier that readers are told: everything acknowledged up to this epoch can be read. Never goes back.';
comment on column progress_view.changes is 'All counts that are not zero, as changes from nothing. Empty: they have to be counted from the ledger.';
comment on column progress_view.outstanding is 'Something acknowledged is not published, as far as was heard.';

create table progress_heard (
  tenant_id uuid not null,
  experiment_id text not null,
  worker text not null,
  number bigint not null,
  constraint progress_heard_pkey primary key (tenant_id, experiment_id, worker),
  constraint progress_heard_view_fkey foreign key (tenant_id, experiment_id) references progress_view (tenant_id, experiment_id) on delete cascade
) with (fillfactor = 70);
comment on table progress_heard is 'The last batch of each worker that is counted in the view. Rows of their own: an experiment may have thousands of runs, and few of them say something at a time.';

alter table run_work add column progress_number bigint not null default 0;
comment on column run_work.progress_number is 'The last batch of progress that the run''s worker wrote.';
alter table run_work set (fillfactor = 70);

-- What is there already is counted from the ledger, by whoever publishes first.
insert into progress_view (tenant_id, experiment_id, published_epoch, changes, outstanding)
  select a.tenant_id, a.experiment_id, coalesce(
    (select min(p.epoch) - 1 from pending_segment p where p.tenant_id = a.tenant_id and p.experiment_id = a.experiment_id), a.acknowledged_epoch), '[]', true
  from experiment_epoch a;
insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
  select a.tenant_id, a.experiment_id, 'rebuild', 0, '[]' from experiment_epoch a;

alter table progress_batch enable row level security;
create policy progress_batch_tenant on progress_batch using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table progress_view enable row level security;
create policy progress_view_tenant on progress_view using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table progress_heard enable row level security;
create policy progress_heard_tenant on progress_heard using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on progress_batch, progress_view, progress_heard to plotline_app;
grant insert on progress_batch to plotline_ingest;
grant select on progress_batch, progress_view to plotline_sweeper;
