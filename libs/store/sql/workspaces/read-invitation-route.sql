-- returns tenant_id uuid, invitation_id uuid
/* read-invitation-route */
select
  tenant_id,
  invitation_id
from
  invitation_route
where
  secret_hash = $n;
