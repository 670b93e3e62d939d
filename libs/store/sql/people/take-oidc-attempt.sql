-- returns next text, tenant_id uuid, person_id uuid
/* take-oidc-attempt */
delete from oidc_attempt
where
  attempt_hash = $n
  and expires_at > now()
returning
  next,
  tenant_id,
  person_id;
