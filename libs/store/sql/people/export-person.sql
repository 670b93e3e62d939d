-- returns id text, name text, description text, labels text[], created_at timestamptz, updated_at timestamptz
/* read-person-experiments */
select
  experiment_id as id,
  name,
  description,
  labels,
  created_at,
  updated_at
from
  experiment
where
  tenant_id = $n
  and owner_id = $n
  and deleted_at is null
order by
  created_at,
  experiment_id;

-- returns id uuid, experiment text, name text, parameters text, shared boolean, created_at timestamptz, updated_at timestamptz
/* read-person-saved-views */
select
  view_id as id,
  experiment_id as experiment,
  name,
  parameters,
  shared,
  created_at,
  updated_at
from
  saved_view
where
  tenant_id = $n
  and owner_id = $n
order by
  created_at,
  view_id;

-- returns id uuid, form text, experiment text, name text, created_at timestamptz, expires_at timestamptz, revoked_at timestamptz
/* read-person-share-links */
select
  link_id as id,
  kind as form,
  source_id as experiment,
  name,
  created_at,
  expires_at,
  revoked_at
from
  share_link
where
  tenant_id = $n
  and made_by = $n
order by
  created_at,
  link_id;

-- returns id uuid, name text, hint text, scopes text[], experiments text[], created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz
/* read-person-tokens */
select
  token_id as id,
  name,
  hint,
  scopes,
  experiments,
  created_at,
  expires_at,
  revoked_at,
  last_used_at
from
  access_token
where
  tenant_id = $n
  and person_id = $n
order by
  created_at,
  token_id;

-- returns id uuid, report uuid, name text, created_at timestamptz, expires_at timestamptz, revoked_at timestamptz
/* read-person-report-links */
select
  link_id as id,
  report_id as report,
  name,
  created_at,
  expires_at,
  revoked_at
from
  report_link
where
  tenant_id = $n
  and made_by = $n
order by
  created_at,
  link_id;

-- returns id uuid, role text, made boolean, accepted boolean, created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, used_at timestamptz
/* read-person-invitations */
select
  invitation_id as id,
  role,
  invited_by = $n as made,
  used_by = $n as accepted,
  created_at,
  expires_at,
  revoked_at,
  used_at
from
  invitation
where
  tenant_id = $n
  and (
    invited_by = $n
    or used_by = $n
  )
order by
  created_at,
  invitation_id;

-- returns id uuid, title text, body text, created_at timestamptz, updated_at timestamptz
/* read-person-reports */
select
  report_id as id,
  title,
  body,
  created_at,
  updated_at
from
  report
where
  tenant_id = $n
  and owner_id = $n
order by
  created_at,
  report_id;

-- returns issuer text, subject text, email text, created_at timestamptz, used_at timestamptz
/* read-person-identities */
select
  issuer,
  subject,
  email,
  created_at,
  used_at
from
  person_identity
where
  person_id = $n
order by
  created_at,
  issuer,
  subject;

-- returns workspace uuid, created_at timestamptz, expires_at timestamptz
/* read-person-sessions */
select
  tenant_id as workspace,
  created_at,
  expires_at
from
  browser_session
where
  person_id = $n
  and expires_at > now()
order by
  created_at;
