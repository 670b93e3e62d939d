select "f"."file_id", "f"."name", "f"."version", "p"."parsed_offset", "p"."needs_offset", "p"."ended", array_agg(s."offset"::text
order by s."offset") filter (where s."offset" is not null) as "offsets", array_agg(s.length
order by s."offset") filter (where s."offset" is not null) as "lengths"
from "event_file" as "f"
inner join "file_progress" as "p" on "p"."tenant_id" = "f"."tenant_id"
and "p"."file_id" = "f"."file_id"
left join "pending_segment" as "s" on "s"."tenant_id" = "f"."tenant_id"
and "s"."file_id" = "f"."file_id"
and "s"."experiment_id" = $n
and "s"."run_id" = $n
where "f"."tenant_id" = $n
and "f"."run_id" = $n
group by "f"."file_id", "f"."name", "f"."version", "p"."parsed_offset", "p"."needs_offset", "p"."ended";

select f.file_id, f.name, f.version, g.parsed_offset, g.needs_offset, g.ended, s.offsets, s.lengths
from event_file f
join file_progress g on g.tenant_id = $n
and g.file_id = f.file_id, lateral ( select array_agg(q."offset"::text
order by q."offset") as offsets, array_agg(q.length
order by q."offset") as lengths
from ( select p."offset", p.length
from pending_segment p
where p.tenant_id = $n
and p.experiment_id = $n
and p.run_id = $n
and p.file_id = f.file_id
order by p."offset"
limit $n ) q ) s
where f.tenant_id = $n
and f.run_id = $n;
