insert into
  "share_link" (
    "tenant_id",
    "link_id",
    "kind",
    "experiment_id",
    "source_id",
    "name",
    "made_by",
    "runs",
    "tags",
    "anonymous",
    "logs",
    "origins",
    "parameters",
    "expires_at"
  )
values
  ($n, …) /* insert-share-link */;
