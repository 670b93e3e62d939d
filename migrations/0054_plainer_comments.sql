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
comment on table log_index is 'An index of the logs of runs, with one entry per 64 KiB, so that the service finds a line without reading everything before it. The entry at offset 0 marks the file as a log. file_progress has the ends: parsed_offset for the bytes, records for the whole lines, and needs_offset for the start of the unfinished last line.';
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
