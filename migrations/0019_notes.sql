-- What people write about experiments and runs, and what they have put away.

alter table experiment
  add column notes text not null default '',
  add column archived_at timestamptz;
comment on column experiment.notes is 'Markdown, for members only.';
comment on column experiment.archived_at is 'Put away: nothing of it is gone, and lists leave it out until somebody asks for it.';

alter table run
  add column labels text[] not null default '{}',
  add column notes text not null default '',
  add column archived_at timestamptz;
comment on column run.notes is 'Markdown, for members only.';
comment on column run.archived_at is 'As of an experiment.';
