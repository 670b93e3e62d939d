-- Which access token made a credential: when it is revoked, so are they.

alter table access_token add column made_by uuid;
comment on column access_token.made_by is 'The access token that made it, itself or by a session that it began: it is revoked with it. Null: none.';
create index access_token_made_by on access_token (tenant_id, made_by) where made_by is not null;

alter table invitation add column made_by uuid;
comment on column invitation.made_by is 'The access token by which it was made: it is revoked with it. Null: none.';

alter table device_code add column token_id uuid;
comment on column device_code.token_id is 'The access token by which the program was let in. Null: by none.';

alter table sign_in_link add column token_id uuid;
comment on column sign_in_link.token_id is 'The access token that made the link. Null: none.';

alter table browser_session add column token_id uuid;
comment on column browser_session.token_id is 'The access token by whose link the session began: it ends with it. Null: none.';
create index browser_session_token on browser_session (token_id) where token_id is not null;
