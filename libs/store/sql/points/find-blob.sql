-- returns blob_sha256 bytea[], blob_bytes bigint[], name text, tag text
select
  /* find-blob */
  "b"."blob_sha256",
  "b"."blob_bytes",
  "r"."name",
  "s"."tag"
from
  "blob_sequence_value" as "b"
  inner join "series" as "s" on "s"."tenant_id" = "b"."tenant_id"
  and "s"."series_id" = "b"."series_id"
  inner join "run" as "r" on "r"."tenant_id" = "s"."tenant_id"
  and "r"."run_id" = "s"."run_id"
where
  "b"."tenant_id" = $n
  and "b"."series_id" = $n
  and "b"."file_id" = $n
  and "b"."ordinal" = $n
  and "s"."experiment_id" = $n
  and "r"."deleted_at" is null;
