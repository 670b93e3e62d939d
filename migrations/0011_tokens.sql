-- What a token is good for, and when it was last of use.

alter table access_token
  add column scopes text[] not null default '{read,upload,manage,admin}',
  add column experiments text[],
  add column last_used_at timestamptz,
  add constraint access_token_scopes_check check (cardinality(scopes) > 0 and scopes <@ '{read,upload,manage,admin}'::text[]),
  add constraint access_token_experiments_check check (cardinality(experiments) > 0);
comment on column access_token.scopes is 'What it may be used for; never more than the role of its person.';
comment on column access_token.experiments is 'The experiments that it is good for; null: all of the workspace.';
comment on column access_token.last_used_at is 'Written at most once an hour.';
create index access_token_person on access_token (tenant_id, person_id);
