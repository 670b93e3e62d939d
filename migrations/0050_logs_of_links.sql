-- Links show the logs of their runs only if that was asked for, and snapshots have logs.

alter table share_link add column logs boolean not null default false;
comment on column share_link.logs is 'Shows the logs of its runs, too. Never with anonymous.';
grant insert on log_index to plotline_app;
