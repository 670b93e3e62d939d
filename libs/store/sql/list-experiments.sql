select
from experiment b
where b.tenant_id = $n
and b.experiment_id = $n;

select b.experiment_id, b.name, b.description, b.owner_id, b.owner_name, b.visibility, b.snapshot_of, b.snapshot_epoch, b.labels, b.notes as notes, b.archived_at is not null as archived, b.created_at, b.updated_at, n.runs, c.scalars, c.tensors, c.blob_sequences, n.tail_points, a.acknowledged_bytes, a.acknowledged_epoch, a.acknowledged_at, w.published_epoch
from ( select e.*, p.display_name as owner_name
from experiment e
join person p on p.person_id = e.owner_id
where e.tenant_id = $n
and e.experiment_id = $n
and e.deleted_at is null) b
join experiment_epoch a on a.tenant_id = $n
and a.experiment_id = b.experiment_id, lateral ( select count(*) filter (where s.events > 0
and r.name_hash = any($n::bytea[])
and exists ( select
from series v
where v.tenant_id = $n
and v.run_id = r.run_id
and v.tag_hash = any($n::bytea[]))) as runs, coalesce(sum(t.points), 0) as tail_points
from run r
left join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
left join lateral (select sum(l.points) as points
from run_tail l
where l.tenant_id = $n
and l.run_id = r.run_id) t on true
where r.tenant_id = $n
and r.experiment_id = b.experiment_id
and r.deleted_at is null ) n, lateral ( select coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'scalar'), 0) as scalars, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'tensor'), 0) as tensors, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'blob_sequence'), 0) as blob_sequences
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
join run r on r.tenant_id = $n
and r.run_id = s.run_id
and r.deleted_at is null
where s.tenant_id = $n
and s.experiment_id = b.experiment_id ) c, lateral ( select coalesce((select v.published_epoch
from progress_view v
where v.tenant_id = $n
and v.experiment_id = b.experiment_id), (select min(g.epoch) - 1
from pending_segment g
where g.tenant_id = $n
and g.experiment_id = b.experiment_id), a.acknowledged_epoch) as published_epoch ) w
order by b.experiment_id;

select b.experiment_id, b.name, b.description, b.owner_id, b.owner_name, b.visibility, b.snapshot_of, b.snapshot_epoch, b.labels, b.notes as notes, b.archived_at is not null as archived, b.created_at, b.updated_at, n.runs, c.scalars, c.tensors, c.blob_sequences, n.tail_points, a.acknowledged_bytes, a.acknowledged_epoch, a.acknowledged_at, w.published_epoch
from ( select e.*, p.display_name as owner_name
from experiment e
join person p on p.person_id = e.owner_id
where e.tenant_id = $n
and e.experiment_id = $n
and e.deleted_at is null) b
join experiment_epoch a on a.tenant_id = $n
and a.experiment_id = b.experiment_id, lateral ( select count(*) filter (where s.events > 0
and true
and exists ( select
from series v
where v.tenant_id = $n
and v.run_id = r.run_id
and v.tag_hash = any($n::bytea[]))) as runs, coalesce(sum(t.points), 0) as tail_points
from run r
left join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
left join lateral (select sum(l.points) as points
from run_tail l
where l.tenant_id = $n
and l.run_id = r.run_id) t on true
where r.tenant_id = $n
and r.experiment_id = b.experiment_id
and r.deleted_at is null ) n, lateral ( select coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'scalar'), 0) as scalars, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'tensor'), 0) as tensors, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'blob_sequence'), 0) as blob_sequences
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
join run r on r.tenant_id = $n
and r.run_id = s.run_id
and r.deleted_at is null
where s.tenant_id = $n
and s.experiment_id = b.experiment_id ) c, lateral ( select coalesce((select v.published_epoch
from progress_view v
where v.tenant_id = $n
and v.experiment_id = b.experiment_id), (select min(g.epoch) - 1
from pending_segment g
where g.tenant_id = $n
and g.experiment_id = b.experiment_id), a.acknowledged_epoch) as published_epoch ) w
order by b.experiment_id;

select b.experiment_id, b.name, b.description, b.owner_id, b.owner_name, b.visibility, b.snapshot_of, b.snapshot_epoch, b.labels, b.notes as notes, b.archived_at is not null as archived, b.created_at, b.updated_at, n.runs, c.scalars, c.tensors, c.blob_sequences, n.tail_points, a.acknowledged_bytes, a.acknowledged_epoch, a.acknowledged_at, w.published_epoch
from ( select e.*, p.display_name as owner_name
from experiment e
join person p on p.person_id = e.owner_id
where e.tenant_id = $n
and e.experiment_id = $n
and e.deleted_at is null) b
join experiment_epoch a on a.tenant_id = $n
and a.experiment_id = b.experiment_id, lateral ( select count(*) filter (where s.events > 0
and true) as runs, coalesce(sum(t.points), 0) as tail_points
from run r
left join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
left join lateral (select sum(l.points) as points
from run_tail l
where l.tenant_id = $n
and l.run_id = r.run_id) t on true
where r.tenant_id = $n
and r.experiment_id = b.experiment_id
and r.deleted_at is null ) n, lateral ( select coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'scalar'), 0) as scalars, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'tensor'), 0) as tensors, coalesce(sum(v.points + v.superseded_points) filter (where s.data_class = 'blob_sequence'), 0) as blob_sequences
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
join run r on r.tenant_id = $n
and r.run_id = s.run_id
and r.deleted_at is null
where s.tenant_id = $n
and s.experiment_id = b.experiment_id ) c, lateral ( select coalesce((select v.published_epoch
from progress_view v
where v.tenant_id = $n
and v.experiment_id = b.experiment_id), (select min(g.epoch) - 1
from pending_segment g
where g.tenant_id = $n
and g.experiment_id = b.experiment_id), a.acknowledged_epoch) as published_epoch ) w
order by b.experiment_id;
