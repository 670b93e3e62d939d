insert into
  "series" (
    "tenant_id",
    "experiment_id",
    "run_id",
    "tag",
    "tag_hash",
    "twin",
    "data_class",
    "listed",
    "plugin",
    "plugin_content",
    "display_name",
    "description"
  )
values
  ($n, …)
returning
  "series_id",
  "tag",
  "twin";

insert into
  "series" (
    "tenant_id",
    "experiment_id",
    "run_id",
    "tag",
    "tag_hash",
    "twin",
    "data_class",
    "listed",
    "plugin",
    "plugin_content",
    "display_name",
    "description"
  )
values
  ($n, …),
  …
returning
  "series_id",
  "tag",
  "twin";

insert into
  "series" (
    "tenant_id",
    "experiment_id",
    "run_id",
    "tag",
    "tag_hash",
    "twin",
    "writer",
    "data_class",
    "listed",
    "plugin",
    "plugin_content",
    "display_name",
    "description"
  )
values
  ($n, …)
returning
  "series_id",
  "tag",
  "twin";

insert into
  "series" (
    "tenant_id",
    "experiment_id",
    "run_id",
    "tag",
    "tag_hash",
    "twin",
    "writer",
    "data_class",
    "listed",
    "plugin",
    "plugin_content",
    "display_name",
    "description"
  )
values
  ($n, …),
  …
returning
  "series_id",
  "tag",
  "twin";

select
  /* prepared: read-run-series */
  "series_id",
  "tag",
  "twin",
  "data_class",
  "listed",
  "plugin",
  "plugin_content",
  "display_name",
  "description"
from
  "series"
where
  "tenant_id" = $n
  and "run_id" = $n;

select
  /* prepared: read-run-series */
  "series_id",
  "tag",
  "twin",
  "writer",
  "data_class",
  "listed",
  "plugin",
  "plugin_content",
  "display_name",
  "description"
from
  "series"
where
  "tenant_id" = $n
  and "run_id" = $n;
