-- returns epoch bigint, bytes numeric, tails json
/* copy-experiment */
with
  run_map as materialized (
    select
      r.run_id as source_run,
      $n::bigint - 1 + row_number() over (
        order by
          r.created_at,
          r.run_id
      ) as run_id,
      r.name,
      r.name_hash,
      r.created_at,
      r.labels,
      r.notes,
      r.archived_at,
      r.display_name,
      r.labels_set
    from
      run r
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and r.deleted_at is null
      and r.name_hash = any ($n::bytea[])
      and exists (
        select
        from
          series v
        where
          v.tenant_id = $n
          and v.run_id = r.run_id
          and v.tag_hash = any ($n::bytea[])
      )
  ),
  new_run as (
    insert into
      run (
        tenant_id,
        run_id,
        experiment_id,
        name,
        name_hash,
        created_at,
        labels,
        notes,
        archived_at,
        display_name,
        labels_set
      )
    overriding system value
    select
      $n::uuid,
      run_id,
      $n::text,
      name,
      name_hash,
      created_at,
      labels,
      notes,
      archived_at,
      display_name,
      labels_set
    from
      run_map
    returning
      1
  ),
  new_state as (
    insert into
      run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      s.events,
      s.start_time,
      s.last_time,
      'unknown'::text,
      null::text,
      null::jsonb
    from
      run_map m
      join run_state s on s.tenant_id = $n
      and s.run_id = m.source_run
      left join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    returning
      1
  ),
  new_facts as (
    insert into
      run_facts (tenant_id, run_id, experiment_id, recorded_at, display_name, job_type, labels)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      f.recorded_at,
      f.display_name,
      f.job_type,
      f.labels
    from
      run_map m
      join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    where
      f.recorded_at is not null
      and $n
    returning
      1
  ),
  file_map as materialized (
    select
      e.file_id as source_file,
      $n::bigint - 1 + row_number() over (
        order by
          e.created_at,
          e.file_id
      ) as file_id,
      m.run_id,
      e.name,
      e.name_hash,
      e.version,
      e.durable_offset,
      e.crc32c,
      e.completed_bytes,
      e.sha256,
      e.completed_at,
      e.created_at
    from
      run_map m
      join event_file e on e.tenant_id = $n
      and e.run_id = m.source_run
  ),
  new_file as (
    insert into
      event_file (
        tenant_id,
        file_id,
        experiment_id,
        run_id,
        name,
        name_hash,
        version,
        durable_offset,
        crc32c,
        completed_bytes,
        sha256,
        completed_at,
        created_at,
        dropped_bytes
      )
    overriding system value
    select
      $n::uuid,
      file_id,
      $n::text,
      run_id,
      name,
      name_hash,
      version,
      durable_offset,
      crc32c,
      completed_bytes,
      sha256,
      completed_at,
      created_at,
      durable_offset
    from
      file_map
    returning
      1
  ),
  new_progress as (
    insert into
      file_progress (
        tenant_id,
        file_id,
        run_id,
        experiment_id,
        parsed_offset,
        needs_offset,
        records,
        rejected_bytes,
        ended,
        unverified_records,
        first_wall_time,
        last_wall_time,
        head_crc32c,
        replaced,
        copy_of
      )
    select
      $n::uuid,
      m.file_id,
      m.run_id,
      $n::text,
      p.parsed_offset,
      p.needs_offset,
      p.records,
      p.rejected_bytes,
      p.ended,
      p.unverified_records,
      p.first_wall_time,
      p.last_wall_time,
      p.head_crc32c,
      p.replaced,
      o.file_id
    from
      file_map m
      join file_progress p on p.tenant_id = $n
      and p.file_id = m.source_file
      left join file_map o on o.source_file = p.copy_of
    returning
      1
  ),
  new_problem as (
    insert into
      file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
    select
      $n::uuid,
      m.file_id,
      p."offset",
      p.problem_no,
      m.run_id,
      $n::text,
      p.reason,
      p.detail,
      p.bytes,
      p.ends_file
    from
      file_map m
      join file_problem p on p.tenant_id = $n
      and p.file_id = m.source_file
    where
      $n
    returning
      1
  ),
  series_map as materialized (
    select
      s.series_id as source_series,
      $n::bigint - 1 + row_number() over (
        order by
          m.run_id,
          s.series_id
      ) as series_id,
      m.run_id,
      s.tag,
      s.tag_hash,
      s.twin,
      s.writer,
      s.data_class,
      s.listed,
      s.plugin,
      s.plugin_content,
      s.display_name,
      s.description
    from
      run_map m
      join series s on s.tenant_id = $n
      and s.run_id = m.source_run
    where
      $n
      or s.tag_hash = any ($n::bytea[])
  ),
  new_series as (
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
    select
      $n::uuid,
      series_id,
      $n::text,
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
    from
      series_map
    returning
      1
  ),
  new_stats as (
    insert into
      series_stats (
        tenant_id,
        series_id,
        points,
        superseded_points,
        invalid_points,
        mismatched_points,
        rounded_points,
        first_step,
        last_step,
        last_wall_time,
        min_value,
        max_value,
        last_value,
        nan_count,
        max_length
      )
    select
      $n::uuid,
      m.series_id,
      v.points,
      v.superseded_points,
      v.invalid_points,
      v.mismatched_points,
      v.rounded_points,
      v.first_step,
      v.last_step,
      v.last_wall_time,
      v.min_value,
      v.max_value,
      v.last_value,
      v.nan_count,
      v.max_length
    from
      series_map m
      join series_stats v on v.tenant_id = $n
      and v.series_id = m.source_series
    returning
      1
  ),
  new_chunk as (
    insert into
      scalar_chunk (
        tenant_id,
        series_id,
        file_id,
        first_ordinal,
        superseded,
        after_offset,
        count,
        nan_count,
        first_step,
        last_step,
        stride,
        min_step,
        max_step,
        first_wall,
        last_wall,
        min_wall,
        max_wall,
        first_value,
        last_value,
        min_value,
        max_value,
        c64_first_step,
        c64_last_step,
        c64_min_step,
        c64_max_step,
        c64_min_at,
        c64_max_at,
        c64_wall,
        c64_first,
        c64_last,
        c64_min,
        c64_max,
        c64_first8,
        c64_last8,
        c64_min8,
        c64_max8,
        c512_first_step,
        c512_last_step,
        c512_min_step,
        c512_max_step,
        c512_min_at,
        c512_max_at,
        c512_wall,
        c512_first,
        c512_last,
        c512_min,
        c512_max,
        c512_first8,
        c512_last8,
        c512_min8,
        c512_max8,
        body
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.first_ordinal,
      v.superseded,
      v.after_offset,
      v.count,
      v.nan_count,
      v.first_step,
      v.last_step,
      v.stride,
      v.min_step,
      v.max_step,
      v.first_wall,
      v.last_wall,
      v.min_wall,
      v.max_wall,
      v.first_value,
      v.last_value,
      v.min_value,
      v.max_value,
      v.c64_first_step,
      v.c64_last_step,
      v.c64_min_step,
      v.c64_max_step,
      v.c64_min_at,
      v.c64_max_at,
      v.c64_wall,
      v.c64_first,
      v.c64_last,
      v.c64_min,
      v.c64_max,
      v.c64_first8,
      v.c64_last8,
      v.c64_min8,
      v.c64_max8,
      v.c512_first_step,
      v.c512_last_step,
      v.c512_min_step,
      v.c512_max_step,
      v.c512_min_at,
      v.c512_max_at,
      v.c512_wall,
      v.c512_first,
      v.c512_last,
      v.c512_min,
      v.c512_max,
      v.c512_first8,
      v.c512_last8,
      v.c512_min8,
      v.c512_max8,
      v.body
    from
      series_map m
      join scalar_chunk v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_rollup as (
    insert into
      scalar_rollup (
        tenant_id,
        series_id,
        level,
        first_step,
        last_step,
        points,
        chunks,
        cells512,
        cells64,
        points_before,
        chunks_before,
        cells512_before,
        cells64_before,
        first_value,
        last_value,
        min_value,
        max_value,
        min_step,
        max_step,
        first_wall
      )
    select
      $n::uuid,
      m.series_id,
      l.level,
      l.first_step,
      l.last_step,
      l.points,
      l.chunks,
      l.cells512,
      l.cells64,
      l.points_before,
      l.chunks_before,
      l.cells512_before,
      l.cells64_before,
      l.first_value,
      l.last_value,
      l.min_value,
      l.max_value,
      l.min_step,
      l.max_step,
      l.first_wall
    from
      series_map m
      join scalar_rollup l on l.tenant_id = $n
      and l.series_id = m.source_series
    returning
      1
  ),
  new_tensor as (
    insert into
      tensor_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        dtype,
        shape,
        bytes,
        body,
        object_key
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key
    from
      series_map m
      join tensor_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_blob as (
    insert into
      blob_sequence_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        blob_sha256,
        blob_bytes
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.blob_sha256,
      v.blob_bytes
    from
      series_map m
      join blob_sequence_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_tail as (
    insert into
      run_tail (tenant_id, run_id, tail_no, part, level, points, created_at, first_series, last_series, body)
    select
      $n::uuid,
      m.run_id,
      t.tail_no,
      t.part,
      t.level,
      t.points,
      t.created_at,
      t.first_series,
      t.last_series,
      t.body
    from
      run_map m
      join run_tail t on t.tenant_id = $n
      and t.run_id = m.source_run
    returning
      run_id
  )
select
  coalesce(v.published_epoch, a.acknowledged_epoch) as epoch,
  (
    select
      coalesce(sum(f.durable_offset), 0)
    from
      file_map f
  ) as bytes,
  (
    select
      json_agg(json_build_array(m.source_run::text, m.run_id::text))
    from
      run_map m
    where
      m.run_id in (
        select
          run_id
        from
          new_tail
      )
  ) as tails
from
  experiment_epoch a
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id
where
  a.tenant_id = $n
  and a.experiment_id = $n;

-- returns epoch bigint, bytes numeric, tails json
/* copy-experiment */
with
  run_map as materialized (
    select
      r.run_id as source_run,
      $n::bigint - 1 + row_number() over (
        order by
          r.created_at,
          r.run_id
      ) as run_id,
      r.name,
      r.name_hash,
      r.created_at,
      r.labels,
      r.notes,
      r.archived_at,
      r.display_name,
      r.labels_set
    from
      run r
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and r.deleted_at is null
      and r.name_hash = any ($n::bytea[])
  ),
  new_run as (
    insert into
      run (
        tenant_id,
        run_id,
        experiment_id,
        name,
        name_hash,
        created_at,
        labels,
        notes,
        archived_at,
        display_name,
        labels_set
      )
    overriding system value
    select
      $n::uuid,
      run_id,
      $n::text,
      name,
      name_hash,
      created_at,
      labels,
      notes,
      archived_at,
      display_name,
      labels_set
    from
      run_map
    returning
      1
  ),
  new_state as (
    insert into
      run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      s.events,
      s.start_time,
      s.last_time,
      coalesce(f.status, s.status),
      s.group_name,
      s.hparams
    from
      run_map m
      join run_state s on s.tenant_id = $n
      and s.run_id = m.source_run
      left join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    returning
      1
  ),
  new_facts as (
    insert into
      run_facts (
        tenant_id,
        run_id,
        experiment_id,
        recorded_at,
        display_name,
        job_type,
        labels,
        command,
        git_commit,
        git_dirty,
        git_branch,
        git_remote,
        folder,
        person,
        host
      )
    select
      $n::uuid,
      m.run_id,
      $n::text,
      f.recorded_at,
      f.display_name,
      f.job_type,
      f.labels,
      f.command,
      f.git_commit,
      f.git_dirty,
      f.git_branch,
      f.git_remote,
      f.folder,
      f.person,
      f.host
    from
      run_map m
      join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    where
      f.recorded_at is not null
      and $n
    returning
      1
  ),
  file_map as materialized (
    select
      e.file_id as source_file,
      $n::bigint - 1 + row_number() over (
        order by
          e.created_at,
          e.file_id
      ) as file_id,
      m.run_id,
      e.name,
      e.name_hash,
      e.version,
      e.durable_offset,
      e.crc32c,
      e.completed_bytes,
      e.sha256,
      e.completed_at,
      e.created_at
    from
      run_map m
      join event_file e on e.tenant_id = $n
      and e.run_id = m.source_run
  ),
  new_file as (
    insert into
      event_file (
        tenant_id,
        file_id,
        experiment_id,
        run_id,
        name,
        name_hash,
        version,
        durable_offset,
        crc32c,
        completed_bytes,
        sha256,
        completed_at,
        created_at,
        dropped_bytes
      )
    overriding system value
    select
      $n::uuid,
      file_id,
      $n::text,
      run_id,
      name,
      name_hash,
      version,
      durable_offset,
      crc32c,
      completed_bytes,
      sha256,
      completed_at,
      created_at,
      durable_offset
    from
      file_map
    returning
      1
  ),
  new_progress as (
    insert into
      file_progress (
        tenant_id,
        file_id,
        run_id,
        experiment_id,
        parsed_offset,
        needs_offset,
        records,
        rejected_bytes,
        ended,
        unverified_records,
        first_wall_time,
        last_wall_time,
        head_crc32c,
        replaced,
        copy_of
      )
    select
      $n::uuid,
      m.file_id,
      m.run_id,
      $n::text,
      p.parsed_offset,
      p.needs_offset,
      p.records,
      p.rejected_bytes,
      p.ended,
      p.unverified_records,
      p.first_wall_time,
      p.last_wall_time,
      p.head_crc32c,
      p.replaced,
      o.file_id
    from
      file_map m
      join file_progress p on p.tenant_id = $n
      and p.file_id = m.source_file
      left join file_map o on o.source_file = p.copy_of
    returning
      1
  ),
  new_problem as (
    insert into
      file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
    select
      $n::uuid,
      m.file_id,
      p."offset",
      p.problem_no,
      m.run_id,
      $n::text,
      p.reason,
      p.detail,
      p.bytes,
      p.ends_file
    from
      file_map m
      join file_problem p on p.tenant_id = $n
      and p.file_id = m.source_file
    where
      $n
    returning
      1
  ),
  series_map as materialized (
    select
      s.series_id as source_series,
      $n::bigint - 1 + row_number() over (
        order by
          m.run_id,
          s.series_id
      ) as series_id,
      m.run_id,
      s.tag,
      s.tag_hash,
      s.twin,
      s.writer,
      s.data_class,
      s.listed,
      s.plugin,
      s.plugin_content,
      s.display_name,
      s.description
    from
      run_map m
      join series s on s.tenant_id = $n
      and s.run_id = m.source_run
    where
      $n
      or s.tag_hash = any ($n::bytea[])
  ),
  new_series as (
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
    select
      $n::uuid,
      series_id,
      $n::text,
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
    from
      series_map
    returning
      1
  ),
  new_stats as (
    insert into
      series_stats (
        tenant_id,
        series_id,
        points,
        superseded_points,
        invalid_points,
        mismatched_points,
        rounded_points,
        first_step,
        last_step,
        last_wall_time,
        min_value,
        max_value,
        last_value,
        nan_count,
        max_length
      )
    select
      $n::uuid,
      m.series_id,
      v.points,
      v.superseded_points,
      v.invalid_points,
      v.mismatched_points,
      v.rounded_points,
      v.first_step,
      v.last_step,
      v.last_wall_time,
      v.min_value,
      v.max_value,
      v.last_value,
      v.nan_count,
      v.max_length
    from
      series_map m
      join series_stats v on v.tenant_id = $n
      and v.series_id = m.source_series
    returning
      1
  ),
  new_chunk as (
    insert into
      scalar_chunk (
        tenant_id,
        series_id,
        file_id,
        first_ordinal,
        superseded,
        after_offset,
        count,
        nan_count,
        first_step,
        last_step,
        stride,
        min_step,
        max_step,
        first_wall,
        last_wall,
        min_wall,
        max_wall,
        first_value,
        last_value,
        min_value,
        max_value,
        c64_first_step,
        c64_last_step,
        c64_min_step,
        c64_max_step,
        c64_min_at,
        c64_max_at,
        c64_wall,
        c64_first,
        c64_last,
        c64_min,
        c64_max,
        c64_first8,
        c64_last8,
        c64_min8,
        c64_max8,
        c512_first_step,
        c512_last_step,
        c512_min_step,
        c512_max_step,
        c512_min_at,
        c512_max_at,
        c512_wall,
        c512_first,
        c512_last,
        c512_min,
        c512_max,
        c512_first8,
        c512_last8,
        c512_min8,
        c512_max8,
        body
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.first_ordinal,
      v.superseded,
      v.after_offset,
      v.count,
      v.nan_count,
      v.first_step,
      v.last_step,
      v.stride,
      v.min_step,
      v.max_step,
      v.first_wall,
      v.last_wall,
      v.min_wall,
      v.max_wall,
      v.first_value,
      v.last_value,
      v.min_value,
      v.max_value,
      v.c64_first_step,
      v.c64_last_step,
      v.c64_min_step,
      v.c64_max_step,
      v.c64_min_at,
      v.c64_max_at,
      v.c64_wall,
      v.c64_first,
      v.c64_last,
      v.c64_min,
      v.c64_max,
      v.c64_first8,
      v.c64_last8,
      v.c64_min8,
      v.c64_max8,
      v.c512_first_step,
      v.c512_last_step,
      v.c512_min_step,
      v.c512_max_step,
      v.c512_min_at,
      v.c512_max_at,
      v.c512_wall,
      v.c512_first,
      v.c512_last,
      v.c512_min,
      v.c512_max,
      v.c512_first8,
      v.c512_last8,
      v.c512_min8,
      v.c512_max8,
      v.body
    from
      series_map m
      join scalar_chunk v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_rollup as (
    insert into
      scalar_rollup (
        tenant_id,
        series_id,
        level,
        first_step,
        last_step,
        points,
        chunks,
        cells512,
        cells64,
        points_before,
        chunks_before,
        cells512_before,
        cells64_before,
        first_value,
        last_value,
        min_value,
        max_value,
        min_step,
        max_step,
        first_wall
      )
    select
      $n::uuid,
      m.series_id,
      l.level,
      l.first_step,
      l.last_step,
      l.points,
      l.chunks,
      l.cells512,
      l.cells64,
      l.points_before,
      l.chunks_before,
      l.cells512_before,
      l.cells64_before,
      l.first_value,
      l.last_value,
      l.min_value,
      l.max_value,
      l.min_step,
      l.max_step,
      l.first_wall
    from
      series_map m
      join scalar_rollup l on l.tenant_id = $n
      and l.series_id = m.source_series
    returning
      1
  ),
  new_tensor as (
    insert into
      tensor_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        dtype,
        shape,
        bytes,
        body,
        object_key
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key
    from
      series_map m
      join tensor_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_blob as (
    insert into
      blob_sequence_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        blob_sha256,
        blob_bytes
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.blob_sha256,
      v.blob_bytes
    from
      series_map m
      join blob_sequence_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_tail as (
    insert into
      run_tail (tenant_id, run_id, tail_no, part, level, points, created_at, first_series, last_series, body)
    select
      $n::uuid,
      m.run_id,
      t.tail_no,
      t.part,
      t.level,
      t.points,
      t.created_at,
      t.first_series,
      t.last_series,
      t.body
    from
      run_map m
      join run_tail t on t.tenant_id = $n
      and t.run_id = m.source_run
    returning
      run_id
  )
select
  coalesce(v.published_epoch, a.acknowledged_epoch) as epoch,
  (
    select
      coalesce(sum(f.durable_offset), 0)
    from
      file_map f
  ) as bytes,
  (
    select
      json_agg(json_build_array(m.source_run::text, m.run_id::text))
    from
      run_map m
    where
      m.run_id in (
        select
          run_id
        from
          new_tail
      )
  ) as tails
from
  experiment_epoch a
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id
where
  a.tenant_id = $n
  and a.experiment_id = $n;

-- returns epoch bigint, bytes numeric, tails json
/* copy-experiment */
with
  run_map as materialized (
    select
      r.run_id as source_run,
      $n::bigint - 1 + row_number() over (
        order by
          r.created_at,
          r.run_id
      ) as run_id,
      r.name,
      r.name_hash,
      r.created_at,
      r.labels,
      r.notes,
      r.archived_at,
      r.display_name,
      r.labels_set
    from
      run r
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and r.deleted_at is null
      and true
      and exists (
        select
        from
          series v
        where
          v.tenant_id = $n
          and v.run_id = r.run_id
          and v.tag_hash = any ($n::bytea[])
      )
  ),
  new_run as (
    insert into
      run (
        tenant_id,
        run_id,
        experiment_id,
        name,
        name_hash,
        created_at,
        labels,
        notes,
        archived_at,
        display_name,
        labels_set
      )
    overriding system value
    select
      $n::uuid,
      run_id,
      $n::text,
      name,
      name_hash,
      created_at,
      labels,
      notes,
      archived_at,
      display_name,
      labels_set
    from
      run_map
    returning
      1
  ),
  new_state as (
    insert into
      run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      s.events,
      s.start_time,
      s.last_time,
      'unknown'::text,
      null::text,
      null::jsonb
    from
      run_map m
      join run_state s on s.tenant_id = $n
      and s.run_id = m.source_run
      left join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    returning
      1
  ),
  new_facts as (
    insert into
      run_facts (tenant_id, run_id, experiment_id, recorded_at, display_name, job_type, labels)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      f.recorded_at,
      f.display_name,
      f.job_type,
      f.labels
    from
      run_map m
      join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    where
      f.recorded_at is not null
      and $n
    returning
      1
  ),
  file_map as materialized (
    select
      e.file_id as source_file,
      $n::bigint - 1 + row_number() over (
        order by
          e.created_at,
          e.file_id
      ) as file_id,
      m.run_id,
      e.name,
      e.name_hash,
      e.version,
      e.durable_offset,
      e.crc32c,
      e.completed_bytes,
      e.sha256,
      e.completed_at,
      e.created_at
    from
      run_map m
      join event_file e on e.tenant_id = $n
      and e.run_id = m.source_run
  ),
  new_file as (
    insert into
      event_file (
        tenant_id,
        file_id,
        experiment_id,
        run_id,
        name,
        name_hash,
        version,
        durable_offset,
        crc32c,
        completed_bytes,
        sha256,
        completed_at,
        created_at,
        dropped_bytes
      )
    overriding system value
    select
      $n::uuid,
      file_id,
      $n::text,
      run_id,
      name,
      name_hash,
      version,
      durable_offset,
      crc32c,
      completed_bytes,
      sha256,
      completed_at,
      created_at,
      durable_offset
    from
      file_map
    returning
      1
  ),
  new_progress as (
    insert into
      file_progress (
        tenant_id,
        file_id,
        run_id,
        experiment_id,
        parsed_offset,
        needs_offset,
        records,
        rejected_bytes,
        ended,
        unverified_records,
        first_wall_time,
        last_wall_time,
        head_crc32c,
        replaced,
        copy_of
      )
    select
      $n::uuid,
      m.file_id,
      m.run_id,
      $n::text,
      p.parsed_offset,
      p.needs_offset,
      p.records,
      p.rejected_bytes,
      p.ended,
      p.unverified_records,
      p.first_wall_time,
      p.last_wall_time,
      p.head_crc32c,
      p.replaced,
      o.file_id
    from
      file_map m
      join file_progress p on p.tenant_id = $n
      and p.file_id = m.source_file
      left join file_map o on o.source_file = p.copy_of
    returning
      1
  ),
  new_problem as (
    insert into
      file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
    select
      $n::uuid,
      m.file_id,
      p."offset",
      p.problem_no,
      m.run_id,
      $n::text,
      p.reason,
      p.detail,
      p.bytes,
      p.ends_file
    from
      file_map m
      join file_problem p on p.tenant_id = $n
      and p.file_id = m.source_file
    where
      $n
    returning
      1
  ),
  series_map as materialized (
    select
      s.series_id as source_series,
      $n::bigint - 1 + row_number() over (
        order by
          m.run_id,
          s.series_id
      ) as series_id,
      m.run_id,
      s.tag,
      s.tag_hash,
      s.twin,
      s.writer,
      s.data_class,
      s.listed,
      s.plugin,
      s.plugin_content,
      s.display_name,
      s.description
    from
      run_map m
      join series s on s.tenant_id = $n
      and s.run_id = m.source_run
    where
      $n
      or s.tag_hash = any ($n::bytea[])
  ),
  new_series as (
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
    select
      $n::uuid,
      series_id,
      $n::text,
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
    from
      series_map
    returning
      1
  ),
  new_stats as (
    insert into
      series_stats (
        tenant_id,
        series_id,
        points,
        superseded_points,
        invalid_points,
        mismatched_points,
        rounded_points,
        first_step,
        last_step,
        last_wall_time,
        min_value,
        max_value,
        last_value,
        nan_count,
        max_length
      )
    select
      $n::uuid,
      m.series_id,
      v.points,
      v.superseded_points,
      v.invalid_points,
      v.mismatched_points,
      v.rounded_points,
      v.first_step,
      v.last_step,
      v.last_wall_time,
      v.min_value,
      v.max_value,
      v.last_value,
      v.nan_count,
      v.max_length
    from
      series_map m
      join series_stats v on v.tenant_id = $n
      and v.series_id = m.source_series
    returning
      1
  ),
  new_chunk as (
    insert into
      scalar_chunk (
        tenant_id,
        series_id,
        file_id,
        first_ordinal,
        superseded,
        after_offset,
        count,
        nan_count,
        first_step,
        last_step,
        stride,
        min_step,
        max_step,
        first_wall,
        last_wall,
        min_wall,
        max_wall,
        first_value,
        last_value,
        min_value,
        max_value,
        c64_first_step,
        c64_last_step,
        c64_min_step,
        c64_max_step,
        c64_min_at,
        c64_max_at,
        c64_wall,
        c64_first,
        c64_last,
        c64_min,
        c64_max,
        c64_first8,
        c64_last8,
        c64_min8,
        c64_max8,
        c512_first_step,
        c512_last_step,
        c512_min_step,
        c512_max_step,
        c512_min_at,
        c512_max_at,
        c512_wall,
        c512_first,
        c512_last,
        c512_min,
        c512_max,
        c512_first8,
        c512_last8,
        c512_min8,
        c512_max8,
        body
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.first_ordinal,
      v.superseded,
      v.after_offset,
      v.count,
      v.nan_count,
      v.first_step,
      v.last_step,
      v.stride,
      v.min_step,
      v.max_step,
      v.first_wall,
      v.last_wall,
      v.min_wall,
      v.max_wall,
      v.first_value,
      v.last_value,
      v.min_value,
      v.max_value,
      v.c64_first_step,
      v.c64_last_step,
      v.c64_min_step,
      v.c64_max_step,
      v.c64_min_at,
      v.c64_max_at,
      v.c64_wall,
      v.c64_first,
      v.c64_last,
      v.c64_min,
      v.c64_max,
      v.c64_first8,
      v.c64_last8,
      v.c64_min8,
      v.c64_max8,
      v.c512_first_step,
      v.c512_last_step,
      v.c512_min_step,
      v.c512_max_step,
      v.c512_min_at,
      v.c512_max_at,
      v.c512_wall,
      v.c512_first,
      v.c512_last,
      v.c512_min,
      v.c512_max,
      v.c512_first8,
      v.c512_last8,
      v.c512_min8,
      v.c512_max8,
      v.body
    from
      series_map m
      join scalar_chunk v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_rollup as (
    insert into
      scalar_rollup (
        tenant_id,
        series_id,
        level,
        first_step,
        last_step,
        points,
        chunks,
        cells512,
        cells64,
        points_before,
        chunks_before,
        cells512_before,
        cells64_before,
        first_value,
        last_value,
        min_value,
        max_value,
        min_step,
        max_step,
        first_wall
      )
    select
      $n::uuid,
      m.series_id,
      l.level,
      l.first_step,
      l.last_step,
      l.points,
      l.chunks,
      l.cells512,
      l.cells64,
      l.points_before,
      l.chunks_before,
      l.cells512_before,
      l.cells64_before,
      l.first_value,
      l.last_value,
      l.min_value,
      l.max_value,
      l.min_step,
      l.max_step,
      l.first_wall
    from
      series_map m
      join scalar_rollup l on l.tenant_id = $n
      and l.series_id = m.source_series
    returning
      1
  ),
  new_tensor as (
    insert into
      tensor_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        dtype,
        shape,
        bytes,
        body,
        object_key
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key
    from
      series_map m
      join tensor_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_blob as (
    insert into
      blob_sequence_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        blob_sha256,
        blob_bytes
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.blob_sha256,
      v.blob_bytes
    from
      series_map m
      join blob_sequence_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_tail as (
    insert into
      run_tail (tenant_id, run_id, tail_no, part, level, points, created_at, first_series, last_series, body)
    select
      $n::uuid,
      m.run_id,
      t.tail_no,
      t.part,
      t.level,
      t.points,
      t.created_at,
      t.first_series,
      t.last_series,
      t.body
    from
      run_map m
      join run_tail t on t.tenant_id = $n
      and t.run_id = m.source_run
    returning
      run_id
  )
select
  coalesce(v.published_epoch, a.acknowledged_epoch) as epoch,
  (
    select
      coalesce(sum(f.durable_offset), 0)
    from
      file_map f
  ) as bytes,
  (
    select
      json_agg(json_build_array(m.source_run::text, m.run_id::text))
    from
      run_map m
    where
      m.run_id in (
        select
          run_id
        from
          new_tail
      )
  ) as tails
from
  experiment_epoch a
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id
where
  a.tenant_id = $n
  and a.experiment_id = $n;

-- returns epoch bigint, bytes numeric, tails json
/* copy-experiment */
with
  run_map as materialized (
    select
      r.run_id as source_run,
      $n::bigint - 1 + row_number() over (
        order by
          r.created_at,
          r.run_id
      ) as run_id,
      r.name,
      r.name_hash,
      r.created_at,
      r.labels,
      r.notes,
      r.archived_at,
      r.display_name,
      r.labels_set
    from
      run r
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and r.deleted_at is null
      and true
  ),
  new_run as (
    insert into
      run (
        tenant_id,
        run_id,
        experiment_id,
        name,
        name_hash,
        created_at,
        labels,
        notes,
        archived_at,
        display_name,
        labels_set
      )
    overriding system value
    select
      $n::uuid,
      run_id,
      $n::text,
      name,
      name_hash,
      created_at,
      labels,
      notes,
      archived_at,
      display_name,
      labels_set
    from
      run_map
    returning
      1
  ),
  new_state as (
    insert into
      run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams)
    select
      $n::uuid,
      m.run_id,
      $n::text,
      s.events,
      s.start_time,
      s.last_time,
      coalesce(f.status, s.status),
      s.group_name,
      s.hparams
    from
      run_map m
      join run_state s on s.tenant_id = $n
      and s.run_id = m.source_run
      left join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    returning
      1
  ),
  new_facts as (
    insert into
      run_facts (
        tenant_id,
        run_id,
        experiment_id,
        recorded_at,
        display_name,
        job_type,
        labels,
        command,
        git_commit,
        git_dirty,
        git_branch,
        git_remote,
        folder,
        person,
        host
      )
    select
      $n::uuid,
      m.run_id,
      $n::text,
      f.recorded_at,
      f.display_name,
      f.job_type,
      f.labels,
      f.command,
      f.git_commit,
      f.git_dirty,
      f.git_branch,
      f.git_remote,
      f.folder,
      f.person,
      f.host
    from
      run_map m
      join run_facts f on f.tenant_id = $n
      and f.run_id = m.source_run
    where
      f.recorded_at is not null
      and $n
    returning
      1
  ),
  file_map as materialized (
    select
      e.file_id as source_file,
      $n::bigint - 1 + row_number() over (
        order by
          e.created_at,
          e.file_id
      ) as file_id,
      m.run_id,
      e.name,
      e.name_hash,
      e.version,
      e.durable_offset,
      e.crc32c,
      e.completed_bytes,
      e.sha256,
      e.completed_at,
      e.created_at
    from
      run_map m
      join event_file e on e.tenant_id = $n
      and e.run_id = m.source_run
  ),
  new_file as (
    insert into
      event_file (
        tenant_id,
        file_id,
        experiment_id,
        run_id,
        name,
        name_hash,
        version,
        durable_offset,
        crc32c,
        completed_bytes,
        sha256,
        completed_at,
        created_at,
        dropped_bytes
      )
    overriding system value
    select
      $n::uuid,
      file_id,
      $n::text,
      run_id,
      name,
      name_hash,
      version,
      durable_offset,
      crc32c,
      completed_bytes,
      sha256,
      completed_at,
      created_at,
      durable_offset
    from
      file_map
    returning
      1
  ),
  new_progress as (
    insert into
      file_progress (
        tenant_id,
        file_id,
        run_id,
        experiment_id,
        parsed_offset,
        needs_offset,
        records,
        rejected_bytes,
        ended,
        unverified_records,
        first_wall_time,
        last_wall_time,
        head_crc32c,
        replaced,
        copy_of
      )
    select
      $n::uuid,
      m.file_id,
      m.run_id,
      $n::text,
      p.parsed_offset,
      p.needs_offset,
      p.records,
      p.rejected_bytes,
      p.ended,
      p.unverified_records,
      p.first_wall_time,
      p.last_wall_time,
      p.head_crc32c,
      p.replaced,
      o.file_id
    from
      file_map m
      join file_progress p on p.tenant_id = $n
      and p.file_id = m.source_file
      left join file_map o on o.source_file = p.copy_of
    returning
      1
  ),
  new_problem as (
    insert into
      file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
    select
      $n::uuid,
      m.file_id,
      p."offset",
      p.problem_no,
      m.run_id,
      $n::text,
      p.reason,
      p.detail,
      p.bytes,
      p.ends_file
    from
      file_map m
      join file_problem p on p.tenant_id = $n
      and p.file_id = m.source_file
    where
      $n
    returning
      1
  ),
  series_map as materialized (
    select
      s.series_id as source_series,
      $n::bigint - 1 + row_number() over (
        order by
          m.run_id,
          s.series_id
      ) as series_id,
      m.run_id,
      s.tag,
      s.tag_hash,
      s.twin,
      s.writer,
      s.data_class,
      s.listed,
      s.plugin,
      s.plugin_content,
      s.display_name,
      s.description
    from
      run_map m
      join series s on s.tenant_id = $n
      and s.run_id = m.source_run
    where
      $n
      or s.tag_hash = any ($n::bytea[])
  ),
  new_series as (
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
    select
      $n::uuid,
      series_id,
      $n::text,
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
    from
      series_map
    returning
      1
  ),
  new_stats as (
    insert into
      series_stats (
        tenant_id,
        series_id,
        points,
        superseded_points,
        invalid_points,
        mismatched_points,
        rounded_points,
        first_step,
        last_step,
        last_wall_time,
        min_value,
        max_value,
        last_value,
        nan_count,
        max_length
      )
    select
      $n::uuid,
      m.series_id,
      v.points,
      v.superseded_points,
      v.invalid_points,
      v.mismatched_points,
      v.rounded_points,
      v.first_step,
      v.last_step,
      v.last_wall_time,
      v.min_value,
      v.max_value,
      v.last_value,
      v.nan_count,
      v.max_length
    from
      series_map m
      join series_stats v on v.tenant_id = $n
      and v.series_id = m.source_series
    returning
      1
  ),
  new_chunk as (
    insert into
      scalar_chunk (
        tenant_id,
        series_id,
        file_id,
        first_ordinal,
        superseded,
        after_offset,
        count,
        nan_count,
        first_step,
        last_step,
        stride,
        min_step,
        max_step,
        first_wall,
        last_wall,
        min_wall,
        max_wall,
        first_value,
        last_value,
        min_value,
        max_value,
        c64_first_step,
        c64_last_step,
        c64_min_step,
        c64_max_step,
        c64_min_at,
        c64_max_at,
        c64_wall,
        c64_first,
        c64_last,
        c64_min,
        c64_max,
        c64_first8,
        c64_last8,
        c64_min8,
        c64_max8,
        c512_first_step,
        c512_last_step,
        c512_min_step,
        c512_max_step,
        c512_min_at,
        c512_max_at,
        c512_wall,
        c512_first,
        c512_last,
        c512_min,
        c512_max,
        c512_first8,
        c512_last8,
        c512_min8,
        c512_max8,
        body
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.first_ordinal,
      v.superseded,
      v.after_offset,
      v.count,
      v.nan_count,
      v.first_step,
      v.last_step,
      v.stride,
      v.min_step,
      v.max_step,
      v.first_wall,
      v.last_wall,
      v.min_wall,
      v.max_wall,
      v.first_value,
      v.last_value,
      v.min_value,
      v.max_value,
      v.c64_first_step,
      v.c64_last_step,
      v.c64_min_step,
      v.c64_max_step,
      v.c64_min_at,
      v.c64_max_at,
      v.c64_wall,
      v.c64_first,
      v.c64_last,
      v.c64_min,
      v.c64_max,
      v.c64_first8,
      v.c64_last8,
      v.c64_min8,
      v.c64_max8,
      v.c512_first_step,
      v.c512_last_step,
      v.c512_min_step,
      v.c512_max_step,
      v.c512_min_at,
      v.c512_max_at,
      v.c512_wall,
      v.c512_first,
      v.c512_last,
      v.c512_min,
      v.c512_max,
      v.c512_first8,
      v.c512_last8,
      v.c512_min8,
      v.c512_max8,
      v.body
    from
      series_map m
      join scalar_chunk v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_rollup as (
    insert into
      scalar_rollup (
        tenant_id,
        series_id,
        level,
        first_step,
        last_step,
        points,
        chunks,
        cells512,
        cells64,
        points_before,
        chunks_before,
        cells512_before,
        cells64_before,
        first_value,
        last_value,
        min_value,
        max_value,
        min_step,
        max_step,
        first_wall
      )
    select
      $n::uuid,
      m.series_id,
      l.level,
      l.first_step,
      l.last_step,
      l.points,
      l.chunks,
      l.cells512,
      l.cells64,
      l.points_before,
      l.chunks_before,
      l.cells512_before,
      l.cells64_before,
      l.first_value,
      l.last_value,
      l.min_value,
      l.max_value,
      l.min_step,
      l.max_step,
      l.first_wall
    from
      series_map m
      join scalar_rollup l on l.tenant_id = $n
      and l.series_id = m.source_series
    returning
      1
  ),
  new_tensor as (
    insert into
      tensor_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        dtype,
        shape,
        bytes,
        body,
        object_key
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key
    from
      series_map m
      join tensor_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_blob as (
    insert into
      blob_sequence_value (
        tenant_id,
        series_id,
        file_id,
        ordinal,
        record_offset,
        step,
        wall_time,
        superseded,
        blob_sha256,
        blob_bytes
      )
    select
      $n::uuid,
      m.series_id,
      f.file_id,
      v.ordinal,
      v.record_offset,
      v.step,
      v.wall_time,
      v.superseded,
      v.blob_sha256,
      v.blob_bytes
    from
      series_map m
      join blob_sequence_value v on v.tenant_id = $n
      and v.series_id = m.source_series
      join file_map f on f.source_file = v.file_id
    returning
      1
  ),
  new_tail as (
    insert into
      run_tail (tenant_id, run_id, tail_no, part, level, points, created_at, first_series, last_series, body)
    select
      $n::uuid,
      m.run_id,
      t.tail_no,
      t.part,
      t.level,
      t.points,
      t.created_at,
      t.first_series,
      t.last_series,
      t.body
    from
      run_map m
      join run_tail t on t.tenant_id = $n
      and t.run_id = m.source_run
    returning
      run_id
  )
select
  coalesce(v.published_epoch, a.acknowledged_epoch) as epoch,
  (
    select
      coalesce(sum(f.durable_offset), 0)
    from
      file_map f
  ) as bytes,
  (
    select
      json_agg(json_build_array(m.source_run::text, m.run_id::text))
    from
      run_map m
    where
      m.run_id in (
        select
          run_id
        from
          new_tail
      )
  ) as tails
from
  experiment_epoch a
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id
where
  a.tenant_id = $n
  and a.experiment_id = $n;

-- returns set_config text
/* bound-copy */
select
  set_config('statement_timeout', $n, true);

/* copy-experiment-rollback */
rollback to savepoint copied_rows;

/* copy-experiment-savepoint */
savepoint copied_rows;

/* freeze-experiment */
update experiment
set
  snapshot_of = $n,
  snapshot_epoch = $n
where
  tenant_id = $n
  and experiment_id = $n;

/* freeze-experiment-epoch */
update experiment_epoch
set
  acknowledged_epoch = $n,
  acknowledged_bytes = $n
where
  tenant_id = $n
  and experiment_id = $n;

/* freeze-progress-view */
update progress_view
set
  published_epoch = $n,
  changes = '[]'::json
where
  tenant_id = $n
  and experiment_id = $n;
