/* note-identity-use */
update person_identity
set
  used_at = now(),
  tenant_id = $n,
  email = $n
where
  issuer = $n
  and subject = $n;
