-- Plainer comments.

comment on column audit_entry.entry_id is
  'A random prefix for each workspace, then a count. Entries are ordered by at.';
comment on column audit_entry.object_id is
  'The action''s object besides the experiment, such as a person, a token, an invitation or a deletion. The action determines which.';
comment on column audit_entry.address is
  'The client''s address, as precise as the operator has configured. This is the only column that ever changes: it is cleared when the person is erased.';
comment on column citation.worker_until is 'When the worker''s lease expires.';
comment on column export_job.worker_until is 'When the worker''s lease expires.';
comment on column deletion.worker_until is
  'When the worker''s lease expires. The lease only avoids duplicate work: every step may run twice.';
comment on column deletion.requested_by is
  'The person who requested the deletion. Null: a deleted person, or the service itself, to apply the workspace''s retention.';
comment on column export_job.content_key is
  'SHA-256 of what determined the content when the export was requested. A later request for the same content gets this row.';
comment on column export_job.expires_at is
  'After this time, the export is no longer available, and the sweeper removes the row and the result. Null: it has not finished.';
comment on column export_job.bytes is
  'Bytes of the files. For an export of event files as uploaded, the bytes written so far; for other formats, 0 until the export has finished.';
comment on column export_job.total_bytes is
  'Bytes that an export of event files as uploaded will have, once a worker has claimed it; 0 for other formats.';
comment on column file_progress.counts_from is
  'Offset at which the file''s points start. It is above 0 if the file was a copy of another file when its first bytes were dropped. 0: all its points are stored.';
comment on column run.archived_at is 'When the run was archived, as for an experiment.';
comment on column run_facts.heartbeat_seconds is
  'The run logs something at least this often while it is running. Null: the run does not state an interval.';
comment on column run_work.held_by is
  'The deletion that is processing the run''s points. Nothing is ingested while it is set.';
comment on table saved_view is 'Named views of an experiment''s page.';
comment on column share_link.anonymous is 'Hides names of people, the workspace, files and hosts.';

comment on column access_token.scopes is 'What the token permits, never more than its person''s role.';
comment on column access_token.experiments is 'The experiments that the token can access. Null: all experiments in the workspace.';
comment on table experiment_epoch is 'Counts groups of acknowledgements that were committed together, and the bytes that they store. Only transactions that add or remove bytes of files lock the row, after all other locks. Workers and statistics use other rows.';
comment on column experiment_epoch.stored_bytes is 'Stored bytes of event files: prefixes and ranges beyond them, without dropped bytes. A deletion subtracts what it removes while it holds the file''s lock.';
comment on column experiment.snapshot_epoch is 'The source''s frontier when it was copied.';
comment on column event_file.dropped_bytes is 'Length of the start of the file that is no longer stored, because of a deletion or the workspace''s retention. These bytes were ingested before.';
comment on column file_problem.ends_file is 'Whether the bytes after this part are not read.';
comment on column file_progress.head_crc32c is 'CRC-32C of the file''s first record. It is equal for files that may be copies of each other. Null: unknown.';
comment on column file_progress.copy_of is 'The file in the run that starts with all bytes of this one. A copy adds no points.';
comment on table log_index is 'An index of the logs of runs, with one entry per 64 KiB, so that the service finds a line without reading everything before it. The entry at offset 0 marks the file as a log. file_progress records where each log ends: parsed_offset is the end of the indexed bytes, records the number of complete lines, and needs_offset the start of the unfinished last line.';
comment on column oidc_attempt.person_id is 'The signed-in person who adds this way to sign in. Null: the attempt is a sign-in.';
comment on table maintenance_turn is 'Global: periodic work for the whole service, which only one process does at a time, and when it is due next.';
comment on column person.erased_at is 'When the person was erased. The name is deleted; the id remains where an experiment or the audit log refers to it.';
comment on table person_identity is 'Global: a person''s identity at an OpenID provider. A person is never looked up by email address.';
comment on table person_workspace is 'Global: a person''s workspaces, to find them at sign-in. Membership itself is in workspace_member.';
comment on column person_workspace.left_at is 'When the person stopped being a member. The row remains, so that erasing the person finds the data that they left there.';
comment on column person_workspace.founded is 'Whether the person created it as an additional workspace. The number of these is limited.';
comment on column progress_batch.changes is 'Changes to occurrence counts: [position in the ingest graph, epoch, difference, loop counters …].';
comment on column progress_view.outstanding is 'Whether something acknowledged is not published yet, according to the batches applied so far.';
comment on table report is 'A workspace''s reports: Markdown documents that show views of its experiments.';
comment on column report.body is 'Markdown. Code blocks named plotline contain the addresses of views.';
comment on column report.version is 'Counts the changes. Each change names the version that it is based on.';
comment on column report.experiments is 'The experiments in the workspace that the report''s blocks show, updated when the text changes or a link is created. Links to the report give access to them.';
comment on column report_link.anonymous is 'Hides names of people, the workspace, files and hosts.';
comment on column run.display_name is 'A name for readers that a member has set. Null: none is set.';
comment on column run.labels_set is 'Whether a member has set the labels, so that those recorded by the run do not count.';
comment on table run_facts is 'What a run recorded about itself, in log messages in its event files. The facts are those of the run''s first start; the status is the last one.';
comment on column run_facts.recorded_at is 'Wall time of the record that contains the facts, in seconds since the epoch. Null: only a status is known.';
comment on column run_facts.display_name is 'A name for readers. A name that a member set takes precedence.';
comment on column run_facts.labels is 'Labels that the run started with; they count until a member changes the run''s labels.';
comment on column run_facts.folder is 'The process''s working folder.';
comment on column run_facts.person is 'User name on the training machine.';
comment on column run_facts.status_time is 'Wall time of the record that contains the status, in seconds since the epoch.';
comment on column run_state.points is 'Points of the run in all data classes that are stored, including superseded ones.';
comment on column run_work.remark is 'Whether a worker must apply data rule 2 to every point of the run again.';
comment on column run_tail.level is '0: one commit. When there are many rows at a level, they are merged into one row of the next level, so that readers find few rows.';
comment on column segment.epoch is 'The epoch in which the segment was acknowledged; null while the segment lies beyond the contiguous prefix.';
comment on table series_stats is 'Counts of all points and a summary of the effective ones, without the points that are still in the run''s tail.';
comment on table series_to_roll_up is 'Series that have enough chunks after their last rollup for another one. Written in the transaction that stores the chunks, so that a crash loses no series.';
comment on column series.writer is 'The writer''s lane, 0 for nearly all runs. Files in a run that overlap in time have different lanes, so a series'' files never overlap in time.';
comment on table service_account is 'Members that are programs. They have a role and tokens, and cannot sign in.';
comment on column share_link.parameters is 'The query string that the page opens with, without names that the link does not show. Null: none.';
comment on column share_link.logs is 'Whether the link also shows the logs of its runs. Always false for anonymous links.';
comment on column tensor_value.body is 'Numbers are packed as little-endian, in C order. Each string is a big-endian uint32 with its length, followed by its bytes. A body above 16 KiB is in the blob store (object_key).';
comment on column uploader_sequence.is_open is 'Whether more blobs are expected. When false, the blobs are in the ledger, and their bodies here are deleted.';
comment on column workload_identity.scopes is 'What the identity''s tokens permit, never more than the service account''s role.';
comment on column workspace.audit_days is 'Entries in the audit log are removed after this many days. Null: never.';
comment on column device_code.client_name is 'The name that the program states for itself.';
comment on column citation.license is 'An SPDX identifier, or text. Null: no license was specified.';
comment on column scalar_rollup.points_before is 'Points in all earlier rows of the level. Together with the other _before columns, it makes the count between two rows a subtraction.';
comment on column deletion.through_epoch is 'For deletions of points: everything acknowledged up to this epoch is deleted, so workers ingest it first.';
comment on column run.archived_at is 'When the run was archived. Its data is kept, and lists include it only on request.';
comment on column citation.attempts is 'How many times a worker has claimed the job.';
comment on column export_job.attempts is 'How many times a worker has claimed the job.';
comment on table deleted_run is 'Names of deleted runs, as hashes: an upload that is still running must not bring the runs back. The row is deleted when an upload that started later uses the name.';
comment on table deletion is 'Requested deletions and their progress. Rows remain as a record, so they contain only ids and hashes, and no names. There are no foreign keys, because the referenced rows are deleted.';
comment on column deletion.worker_until is 'When the worker''s lease expires. The lease only avoids duplicate work: every step can run twice.';
comment on table event_file is 'Written only by the upload process. The worker''s state for the file is in file_progress.';
comment on column event_file.original_key is 'Object with the first completed_bytes of the file, joined and compressed. The segments of these bytes are deleted.';
comment on table export_job is 'An export that the service writes, and its result until it expires. The row is the job: if a process dies, another one claims the row.';
comment on column export_job.problem is 'Why the export failed: a problem code.';
comment on table file_problem is 'Skipped parts of a file, and the reasons. Three reasons are not in the file itself. quarantined: a record could not be stored, even when retried alone. stored-bytes-lost: every attempt for PLOTLINE_LOST_BYTES_SECONDS found acknowledged bytes damaged or missing in storage; the file ends there. reading-fails: ingest threads died while reading the file, although no single record caused this; the file ends there.';
comment on column file_progress.unverified_records is 'Number of records at the start of the file that were read although their data checksums are wrong. So far, all records of the file were like this (data rule 8).';
comment on table invitation is 'A link that one person can use to become a member. It is valid only while its creator is a member who may create it.';
comment on table lost_range is 'Byte ranges of event files whose stored objects are missing or damaged, as found by admin check --quarantine. A row counts while the file still refers to the object.';
comment on table oidc_attempt is 'Global: sign-ins in progress at the OpenID provider. The browser may return once from each. The key is the SHA-256 of the secret in the browser''s cookie. The state, nonce and PKCE verifier are derived from the secret.';
comment on column person_workspace.founded is 'Whether the person created the workspace as an additional one. The number of additional workspaces is limited.';
comment on table progress_heard is 'The last batch of each worker that the view includes. The rows are separate because an experiment can have thousands of runs, and few of them make progress at a time.';
comment on table progress_view is 'The publisher''s state for an experiment. Publishing locks the row. Everything except published_epoch can be derived from the ledger.';
comment on table report_link is 'Anyone with the secret of a link can read the report and its experiments until the link expires or is revoked.';
comment on table share_link is 'Anyone with the secret of a link can read what the link shows until it expires or is revoked.';
comment on column share_link.kind is 'page: a page for browsers; programs can also send the link''s secret. embed: one page for frames on other sites.';
comment on column run_state.points is 'Stored points of the run in all data classes, including superseded points.';
comment on column run_state.value_bytes is 'Bytes of tensors and blobs. A value that was logged several times counts each time.';
comment on column run_state.ingested_at is 'When events of the run were last ingested. Null: this was before the column existed, or the run is a copy.';
comment on column run_tail.first_series is 'Smallest series id in the block. Rows older than this column can contain any series.';
comment on table run_work is 'One row per run. A worker holds the row''s lock during an ingest transaction, so one worker at a time ingests a run.';
comment on table scalar_chunk is 'At most 4,096 points of one series from one file. Effective chunks of a series never overlap, and their steps strictly increase. Superseded chunks hold points in log order.';
comment on column scalar_chunk.stride is 'The constant difference between consecutive steps. Null: the difference is not constant.';
comment on column segment.encoding is 'The encoding of the body or the object. 0: the bytes as received, 1: zstd, 2: records without their checksums, packed by column (libs/originals), 3: a block of columns as received (libs/columns).';
comment on table series_to_roll_up is 'Series that have enough chunks after their last rollup for another rollup. Written in the transaction that stores the chunks, so that a crash loses no series.';
comment on table session_start is 'SessionLog START events. Each START except the first of its run, in log order, supersedes earlier points with an equal or larger step.';
comment on table uploader_sequence is 'One value of a blob sequence series, whose blobs arrive one by one. When all blobs have arrived, they become one record in the ledger.';
comment on column uploader_sequence.tag is 'UTF-8 bytes, not text, because a tag can contain any character.';
comment on table workspace is 'The tenant: people, tokens and experiments belong to a workspace.';
comment on table workspace_limits_change is 'Every change to workspace_limits, written together with the change: who, when, and the old and new values. There is no foreign key, because rows remain after the workspace is deleted.';
