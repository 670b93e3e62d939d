/* remove-old-signing-keys */
delete from signing_key k
where
  exists (
    select
    from
      signing_key n
    where
      n.signs_from > k.signs_from
      and n.signs_from < now() - make_interval(secs => $n)
  );
