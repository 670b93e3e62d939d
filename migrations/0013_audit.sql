-- Who did what to which thing, from where. Lines are written with the change itself, and never changed.

alter table workspace add column audit_days integer default 365;
alter table workspace add constraint workspace_audit_days_check check (audit_days >= 30);
comment on column workspace.audit_days is 'Lines of the audit log are removed after so many days. Null: never.';

create table audit_entry (
  tenant_id uuid not null,
  entry_id bigint not null generated always as identity,
  at timestamptz not null default now(),
  actor_id uuid,
  via text not null,
  action text not null,
  result text not null,
  experiment_id text,
  object_id text,
  details jsonb not null default '{}',
  address text,
  request_id text,
  constraint audit_entry_pkey primary key (tenant_id, entry_id),
  constraint audit_entry_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint audit_entry_result_check check (result in ('done', 'refused')),
  constraint audit_entry_details_check check (octet_length(details::text) <= 2000)
);
comment on table audit_entry is 'The audit log. Ids, numbers and words of ours only: no secret, and no name that somebody chose.';
comment on column audit_entry.actor_id is 'The person. Null: the service itself. No foreign key: the line outlives the person.';
comment on column audit_entry.via is 'What the person came with: a token, a session, … or service.';
comment on column audit_entry.object_id is 'What it was done to beside an experiment: a person, a token, an invitation, a deletion. The action says which.';
comment on column audit_entry.address is 'Where the request came from, as exactly as the operator wants to know. The one column that is ever changed: it is blanked when its person is erased.';
create index audit_entry_at on audit_entry (tenant_id, at);
create index audit_entry_actor on audit_entry (tenant_id, actor_id);

create function audit_entry_keep() returns trigger language plpgsql as $$
declare
  days integer;
begin
  if tg_op = 'UPDATE' then
    if new.address is null and to_jsonb(new) - 'address' = to_jsonb(old) - 'address' then
      return new;
    end if;
    raise exception 'lines of the audit log are never changed' using errcode = 'insufficient_privilege';
  end if;
  select w.audit_days into days from workspace w where w.tenant_id = old.tenant_id;
  if not found or old.at < now() - make_interval(days => days) then
    return old;
  end if;
  raise exception 'lines of the audit log are removed when the workspace does not keep them any longer, and not before' using errcode = 'insufficient_privilege';
end $$;
comment on function audit_entry_keep() is 'The audit log is append-only: an address may be blanked, and a line goes when its time is over or with its workspace.';
create trigger audit_entry_append_only before update or delete on audit_entry for each row execute function audit_entry_keep();

alter table audit_entry enable row level security;
create policy audit_entry_tenant on audit_entry using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, delete on audit_entry to plotline_app;
grant update (address) on audit_entry to plotline_app;
-- Which workspaces have lines whose time is over.
grant select (tenant_id, at) on audit_entry to plotline_sweeper;
