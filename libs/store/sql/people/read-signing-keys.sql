-- returns key_id text, public_key jsonb, sealed_key bytea, signs_for float8
/* read-signing-keys */
select
  key_id,
  public_key,
  sealed_key,
  extract(
    epoch
    from
      clock_timestamp() - signs_from
  )::float8 as signs_for
from
  signing_key
order by
  signs_from desc,
  key_id;
