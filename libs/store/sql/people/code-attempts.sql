-- returns attempts integer
/* count-code-attempt */
insert into
  code_attempt as c (person_id, attempts, since)
values
  ($n, 1, now())
on conflict (person_id) do update
set
  attempts = case
    when c.since < $n then 1
    else c.attempts + 1
  end,
  since = case
    when c.since < $n then excluded.since
    else c.since
  end
returning
  attempts;

-- returns counted_from timestamptz
/* read-attempt-window */
select
  now() - make_interval(secs => $n::int) as counted_from;

/* forgive-code-attempt */
update code_attempt
set
  attempts = greatest(attempts - 1, 0)
where
  person_id = $n;
