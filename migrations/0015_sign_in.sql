-- Sign-in through an OpenID provider and by the device flow, and sessions that end when nobody uses them.

create table person_identity (
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  email text,
  tenant_id uuid,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  constraint person_identity_pkey primary key (issuer, subject),
  constraint person_identity_person_fkey foreign key (person_id) references person (person_id) on delete cascade
);
comment on table person_identity is 'Global: who a person is at an OpenID provider. Nobody is ever found by an e-mail address.';
comment on column person_identity.issuer is 'The claim iss.';
comment on column person_identity.subject is 'The claim sub.';
comment on column person_identity.email is 'As the provider told it last, and only where it says that it has verified it.';
comment on column person_identity.tenant_id is 'The workspace that was entered last; the next session begins there while the person is a member.';
create index person_identity_person on person_identity (person_id);

create table oidc_attempt (
  attempt_hash bytea not null,
  next text not null,
  tenant_id uuid,
  person_id uuid,
  expires_at timestamptz not null,
  constraint oidc_attempt_pkey primary key (attempt_hash),
  constraint oidc_attempt_person_fkey foreign key (person_id) references person (person_id) on delete cascade
);
comment on table oidc_attempt is 'Global: a browser that was sent to the OpenID provider and may come back once. SHA-256 of the secret in its cookie, from which state, nonce and PKCE verifier are derived.';
comment on column oidc_attempt.next is 'The path of ours to go on at.';
comment on column oidc_attempt.person_id is 'Whoever was signed in and wants to sign in this way too; null: somebody signs in.';
create index oidc_attempt_expiry on oidc_attempt (expires_at);

create table device_code (
  device_hash bytea not null,
  user_hash bytea not null,
  client_name text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  interval_seconds integer not null,
  polled_at timestamptz,
  state text not null default 'pending',
  tenant_id uuid,
  person_id uuid,
  constraint device_code_pkey primary key (device_hash),
  constraint device_code_user_key unique (user_hash),
  constraint device_code_state_check check (state in ('pending', 'approved', 'denied')),
  constraint device_code_scopes_check check (cardinality(scopes) > 0 and scopes <@ '{read,upload,manage,admin}'::text[])
);
comment on table device_code is 'Global: programs that ask to be signed in (RFC 8628). SHA-256 of the code that the program keeps and of the one that a person types; the row goes when the token is fetched.';
comment on column device_code.client_name is 'What the program calls itself.';
comment on column device_code.interval_seconds is 'The least time between two questions of the program; grows by 5 with each that comes too early.';
create index device_code_expiry on device_code (expires_at);

create table code_attempt (
  person_id uuid not null,
  attempts integer not null,
  since timestamptz not null,
  constraint code_attempt_pkey primary key (person_id),
  constraint code_attempt_person_fkey foreign key (person_id) references person (person_id) on delete cascade
);
comment on table code_attempt is 'Global: wrong device codes that a person has typed lately, so that nobody finds one by trying.';

alter table browser_session
  add column session_id uuid not null default gen_random_uuid(),
  add column seen_at timestamptz not null default now(),
  add column idle_seconds integer not null default 604800;
comment on table browser_session is 'Global: SHA-256 of the cookie of a signed-in browser.';
comment on column browser_session.session_id is 'What its person names it by; not a secret.';
comment on column browser_session.seen_at is 'Written at most once in a twentieth of idle_seconds.';
comment on column browser_session.idle_seconds is 'The session ends when it was not used for so long, and at expires_at at the latest.';

grant select, insert, update, delete on person_identity, oidc_attempt, device_code, code_attempt to plotline_app;
