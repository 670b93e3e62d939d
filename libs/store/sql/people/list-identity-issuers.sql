-- returns issuer text
/* list-identity-issuers */
select distinct
  issuer
from
  person_identity
where
  person_id = $n
order by
  issuer;
