-- returns series_id bigint, tag text, twin boolean
/* insert-series */
insert into
  series (
    tenant_id,
    series_id,
    experiment_id,
    run_id,
    tag,
    tag_hash,
    twin,
    writer,
    data_class,
    listed,
    plugin,
    plugin_content,
    display_name,
    description
  )
overriding system value
values
  ($n, …)
on conflict do nothing
returning
  series_id,
  tag,
  twin;

-- returns series_id bigint, tag text, twin boolean
/* insert-series */
insert into
  series (
    tenant_id,
    series_id,
    experiment_id,
    run_id,
    tag,
    tag_hash,
    twin,
    writer,
    data_class,
    listed,
    plugin,
    plugin_content,
    display_name,
    description
  )
overriding system value
values
  ($n, …),
  …
on conflict do nothing
returning
  series_id,
  tag,
  twin;

-- returns series_id bigint, tag text, twin boolean, writer smallint, data_class text, listed boolean, plugin text, plugin_content bytea, display_name text, description text
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
