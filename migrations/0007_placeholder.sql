-- Only on this branch, so that numbers have no gap: what has this number elsewhere takes its place.
select 1;
