/* insert-citation */
insert into
  citation (tenant_id, experiment_id, title, authors, license, published_on)
values
  ($n, …::text[], $n, coalesce($n::date, (now() at time zone 'UTC')::date));
