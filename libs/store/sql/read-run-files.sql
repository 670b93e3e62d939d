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
