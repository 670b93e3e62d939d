-- How many event files a workspace may have, and until when what a credential makes may last.

alter table workspace_limits add column files bigint;
alter table workspace_limits add constraint workspace_limits_files_check check (files between 0 and 999999999999999) not valid;
alter table workspace_limits validate constraint workspace_limits_files_check;

alter table device_code add column credential_until timestamptz;
comment on column device_code.credential_until is 'When the credential ends that let the program in: the token lasts no longer. Null: it has no end.';

alter table sign_in_link add column credential_until timestamptz;
comment on column sign_in_link.credential_until is 'When the credential ends that made the link: the session lasts no longer. Null: it has no end.';

alter table browser_session add column credential_until timestamptz;
comment on column browser_session.credential_until is 'When the credential ends by whose link the session began: what the session makes lasts no longer. Null: it has no end.';
