-- New wording of comments, which docs/schema.md and the Database type are generated from.

comment on column access_token.hint is 'The last four characters, to distinguish tokens.';
comment on column access_token.scopes is
  'What the token permits, never more than the role of its person.';
comment on column access_token.experiments is
  'The experiments that the token can access. Null: all of the workspace.';
comment on column access_token.last_used_at is 'Updated at most once per hour.';
comment on column access_token.made_by is
  'The access token that created this token, directly or through a session that it started. '
  'Revoking it revokes this token. Null: none.';

comment on table audit_entry is
  'The audit log. It holds only ids, numbers and fixed words: no secrets, and no names chosen by '
  'users.';
comment on column audit_entry.actor_id is
  'The person who acted. Null: the service itself. No foreign key: the entry outlives the person.';
comment on column audit_entry.via is
  'How the actor authenticated: a token, a session, …, or service.';
comment on column audit_entry.object_id is
  'The object of the action besides the experiment: a person, a token, an invitation, a deletion. '
  'The action says which.';
comment on column audit_entry.address is
  'Address of the client, as precise as the operator has configured. The only column that ever '
  'changes: it is cleared when the person is erased.';

comment on column blob_sequence_value.blob_sha256 is
  'One element per blob, in order. The object is found by tenant and hash. A null element is a '
  'hole.';

comment on table browser_session is 'Global: signed-in browsers, by the SHA-256 of their cookie.';
comment on column browser_session.session_id is
  'Identifies the session to its person; not a secret.';
comment on column browser_session.seen_at is 'Updated at most once per twentieth of idle_seconds.';
comment on column browser_session.idle_seconds is
  'The session expires after this time without use, and at expires_at at the latest.';
comment on column browser_session.credential_until is
  'Expiry of the credential whose sign-in link started the session. Credentials that the session '
  'creates expire no later. Null: it does not expire.';
comment on column browser_session.token_id is
  'The access token whose sign-in link started the session. Revoking it revokes the session. Null: '
  'none.';

comment on table code_attempt is 'Global: recent wrong device codes per person, to limit guessing.';

comment on table deleted_run is
  'Names of deleted runs, as hashes: an upload that is still running must not bring them back. '
  'The row is deleted when an upload that started later uses the name.';
comment on column deleted_run.file_hashes is
  'SHA-256 of the names of the run''s files. Files with these names are rejected; files with '
  'other names create a new run. Null: the run was deleted before this column existed, and all '
  'files are rejected.';

comment on table deletion is
  'Requested deletions and their progress. Rows stay as a record, so they have only ids and '
  'hashes and no names. No foreign keys, because the referenced rows are deleted.';
comment on column deletion.run_ids is
  'Runs that remain to be processed. Null: all runs of the experiment.';
comment on column deletion.tag_hashes is
  'SHA-256 of the tags whose points are deleted. Null: all tags.';
comment on column deletion.through_epoch is
  'Deletions of points: everything acknowledged up to this epoch is deleted, so workers ingest it '
  'first.';
comment on column deletion.requested_by is
  'Null: the service itself, to apply the retention of the workspace, or a deleted person.';
comment on column deletion.worker_until is
  'When the lease of the worker expires. The lease only avoids duplicate work: every step may run '
  'twice.';
comment on column deletion.points is 'Removed points, including superseded ones.';
comment on column deletion.bytes is 'Bytes freed so far, in objects and in the bodies of rows.';

comment on table device_code is
  'Global: sign-in requests of programs (RFC 8628), by the SHA-256 of the code that the program '
  'keeps and of the code that the user types. The row is deleted when the program fetches the '
  'token.';
comment on column device_code.client_name is 'The name that the program gives itself.';
comment on column device_code.interval_seconds is
  'Minimum time between two polls of the program; grows by 5 with each poll that comes too early.';
comment on column device_code.credential_until is
  'Expiry of the credential that approved the program. The token expires no later. Null: it does '
  'not expire.';
comment on column device_code.token_id is 'The access token that approved the program. Null: none.';

comment on table event_file is
  'Written only by the upload process. The worker''s state of the file is in file_progress.';
comment on column event_file.durable_offset is
  'End of the contiguous prefix of segments. Clients never have to send bytes below it again.';
comment on column event_file.crc32c is
  'CRC-32C of the contiguous prefix, combined from the segments.';
comment on column event_file.original_key is
  'Object with the first completed_bytes of the file, joined and compressed. Their segments are '
  'deleted.';
comment on column event_file.joined_bytes is
  'Segments start here. Earlier bytes are in the joined object.';
comment on column event_file.dropped_bytes is
  'Length of the start of the file that is no longer stored, because of a deletion or the '
  'retention of the workspace. It was ingested before.';
comment on column event_file.rewritten_bytes is
  'Length of the start of the file that is stored without deleted points, at the length received. '
  '0: all bytes are stored as received.';
comment on column event_file.rewritten_crc32c is 'CRC-32C of the rewritten bytes as stored.';
comment on column event_file.received_crc32c is
  'CRC-32C of the rewritten or dropped bytes as received. Null: there are none, or it is unknown.';

comment on column experiment.experiment_id is
  '22 random characters of [A-Za-z0-9], globally unique.';
comment on column experiment.visibility is
  'public: anyone with the URL can read it. Only the workspace lists it.';
comment on column experiment.deleted_at is
  'Tombstone: once set, the experiment is hidden and accepts no data.';
comment on column experiment.snapshot_of is
  'The experiment that this one is a copy of; it may be deleted. A copy accepts no data and no '
  'changes. No foreign key: a copy outlives its source.';
comment on column experiment.snapshot_epoch is 'The frontier of the source when it was copied.';
comment on column experiment.notes is 'Markdown, visible only to members.';
comment on column experiment.archived_at is
  'When the experiment was archived. Its data is kept, and lists include it only on request.';

comment on table experiment_epoch is
  'Counters of committed groups of acknowledgements and of the bytes that they store. Only '
  'transactions that add or remove bytes of files lock the row, after all other locks. Workers '
  'and statistics use other rows.';
comment on column experiment_epoch.stored_bytes is
  'Stored bytes of event files: prefixes and ranges beyond them, without dropped bytes. A '
  'deletion subtracts what it removes, under the lock of the file.';
comment on column experiment_epoch.acknowledged_at is
  'Time of the last group of acknowledgements. Null: no data arrived yet, or the experiment is a '
  'snapshot.';

comment on table experiment_route is
  'Global: the tenant of each experiment, written once at creation, so that an id alone '
  'identifies the shard.';

comment on table file_problem is
  'Skipped parts of a file, and the reasons. Three reasons are not in the file itself. '
  'quarantined: a record could not be stored, even when retried alone. stored-bytes-lost: every '
  'attempt for PLOTLINE_LOST_BYTES_SECONDS found acknowledged bytes damaged or missing in '
  'storage; the file ends there. reading-fails: ingest threads died while reading it, although no '
  'single record caused this; the file ends there.';
comment on column file_problem.ends_file is 'Later bytes are not read.';

comment on column file_progress.parsed_offset is
  'End of the last complete record: reading continues here.';
comment on column file_progress.needs_offset is
  'Reading makes no progress until the file has this length (the end of the incomplete record).';
comment on column file_progress.ended is
  'Damage ended the file: later bytes are settled without being read.';
comment on column file_progress.first_wall_time is
  'Smallest finite wall time of the events read so far. Null: none, or unknown.';
comment on column file_progress.last_wall_time is
  'Largest finite wall time of the events read so far.';
comment on column file_progress.head_crc32c is
  'CRC-32C of the first record of the file. It is equal for files that may be copies of each '
  'other. Null: unknown.';
comment on column file_progress.copy_of is
  'The file of the run that starts with all bytes of this one. A copy adds no points.';
comment on column file_progress.replaced is
  'A newer version of the file has readable events: all points of this version are superseded.';
comment on column file_progress.unverified_records is
  'Number of records at the start of the file that were read although their data checksums are '
  'wrong. All records of the file were like that so far (data rule 8).';
comment on column file_progress.counts_from is
  'Offset at which the points of the file start: it was a copy of another file when its first '
  'bytes were dropped. 0: all its points are stored.';

comment on table idempotency_key is
  'Responses to POST requests with an Idempotency-Key, kept for 24 hours. status is null while '
  'the first request runs.';

comment on table invitation is
  'A link with which one person becomes a member. It is valid only while its creator is a member '
  'who may create it.';
comment on column invitation.made_by is
  'The access token that created the invitation. Revoking it revokes the invitation. Null: none.';

comment on table invitation_route is
  'Global: the workspace of an invitation, by the SHA-256 of its secret. The person who opens it '
  'is not a member yet.';

comment on table maintenance_turn is
  'Global: periodic work for the whole service that one process at a time does, and when it is '
  'due next.';

comment on table object_to_delete is
  'Objects whose rows are deleted. Written in the transaction that deletes the rows, so that a '
  'crash loses no object.';

comment on table oidc_attempt is
  'Global: sign-ins in progress at the OpenID provider, from which the browser may return once. '
  'SHA-256 of the secret in the browser''s cookie, from which state, nonce and PKCE verifier are '
  'derived.';
comment on column oidc_attempt.next is 'The path in this service to continue at.';
comment on column oidc_attempt.person_id is
  'The signed-in person who adds this way to sign in. Null: a sign-in.';

comment on table pending_segment is
  'Acknowledged segments that no worker has settled yet. A row is deleted in the transaction that '
  'stores the points of its bytes. No foreign key: checking it would lock, and therefore log, the '
  'segment row that the same transaction has just inserted. Code that deletes segments checks '
  'this table first.';

comment on table person is 'Global: a person who can sign in.';
comment on column person.erased_at is
  'When the person was erased. The name is deleted, and the id stays where an experiment or the '
  'audit log refers to it.';

comment on table person_identity is
  'Global: the identity of a person at an OpenID provider. A person is never looked up by email '
  'address.';
comment on column person_identity.email is
  'As last reported by the provider, and only if the provider has verified it.';
comment on column person_identity.tenant_id is
  'The last workspace that the person used. The next session starts there while the person is a '
  'member.';

comment on table person_workspace is
  'Global: the workspaces of a person, to find them at sign-in. Membership itself is in '
  'workspace_member.';
comment on column person_workspace.left_at is
  'When the person stopped being a member. The row stays so that erasing the person finds their '
  'remaining data there.';
comment on column person_workspace.founded is
  'The person created it as an additional workspace. Their number per person is limited.';

comment on table progress_batch is
  'Progress that is not published yet. A row is written in the transaction that makes the '
  'progress, and deleted in the transaction that publishes it. No foreign key: checking it would '
  'lock, and therefore log, the row of the experiment with every acknowledgement.';
comment on column progress_batch.worker is
  'receive: acknowledgements; run-<id>: ingest of a run; rebuild: the ledger was changed in '
  'another way, and the counts must be rebuilt.';
comment on column progress_batch.number is
  'Numbered from 1 without gaps per worker. For receive, the epoch. For rebuild, any number.';
comment on column progress_batch.changes is
  'Changes of occurrence counts: [position in the ingest graph, epoch, difference, loop counters '
  '…].';

comment on table progress_heard is
  'The last batch of each worker that the view includes. Separate rows, because an experiment may '
  'have thousands of runs, and few of them make progress at a time.';

comment on table progress_view is
  'The publisher''s state of an experiment. Publishing locks the row. Everything except '
  'published_epoch can be derived from the ledger.';
comment on column progress_view.published_epoch is
  'The frontier that readers see: everything acknowledged up to this epoch is readable. It never '
  'decreases.';
comment on column progress_view.changes is
  'All nonzero counts, as changes from zero. Empty: they must be counted from the ledger.';
comment on column progress_view.outstanding is
  'Something acknowledged is not published yet, according to the batches applied so far.';

comment on column run.name is
  'Path relative to the log directory, always with /; . is the log directory itself. It is only '
  'text, never a path on the server.';
comment on column run.name_hash is
  'SHA-256 of the UTF-8 bytes of the name. It limits the size of index rows.';
comment on column run.deleted_at is 'Tombstone: once set, the run is hidden and accepts no data.';
comment on column run.notes is 'Markdown, visible only to members.';
comment on column run.archived_at is 'As for an experiment.';

comment on table run_state is
  'The worker''s results for the run so far. A run is listed once it has a readable event.';
comment on column run_state.start_time is
  'Smallest positive wall time, in seconds since the Unix epoch.';
comment on column run_state.points is
  'Stored points of the run in all data classes, including superseded ones.';
comment on column run_state.series is 'Series of the run, including unlisted ones.';

comment on table run_tail is
  'New points of all series of a live run, until they are cut into chunks. Each commit has one '
  'tail_no.';
comment on column run_tail.level is
  '0: one commit. When a level has many rows, they are merged into one row of the next level, so '
  'that readers find few rows.';
comment on column run_tail.part is
  'Blocks with the same tail_no hold different series, in ascending order of ids. A commit with '
  'few points is one block.';
comment on column run_tail.first_series is
  'Smallest series id in the block. Rows older than this column may hold any series.';
comment on column run_tail.last_series is 'Largest series id in the block.';

comment on table run_work is
  'One row per run. A worker holds its lock for the duration of an ingest transaction: one worker '
  'per run at a time.';
comment on column run_work.batch_bytes is
  'After repeated failures: the limit of the next batch, halved until the failing record is '
  'found. Null: the normal limit.';
comment on column run_work.held_by is
  'The deletion that is processing the points of the run. Nothing is ingested meanwhile.';
comment on column run_work.progress_number is
  'The last progress batch that the run''s worker wrote.';
comment on column run_work.remark is
  'A worker must apply data rule 2 to every point of the run again.';

comment on table scalar_chunk is
  'At most 4,096 points of one series from one file. Effective chunks of a series never overlap, '
  'and their steps strictly rise. Superseded chunks hold points in log order.';
comment on column scalar_chunk.after_offset is
  'Offset of the last SessionLog START in the file before these points, or 0. It places the chunk '
  'in log order among STARTs.';
comment on column scalar_chunk.stride is
  'The constant difference of the steps. Null: it is not constant.';
comment on column scalar_chunk.min_value is
  'Ignores NaN and includes infinities. Null: every value is NaN.';
comment on column scalar_chunk.c64_first_step is
  'Cells of 64 points, one array element per cell. Null: the stride is constant (then first_step '
  '+ stride * 64 * i).';
comment on column scalar_chunk.c64_min_at is
  'Index of the smallest value in its cell, 0 to 63. Set only if the stride is constant; '
  'otherwise c64_min_step is set.';
comment on column scalar_chunk.c64_first is
  'real[] if all four value columns are exactly float32. Otherwise null, and the columns ending '
  'in 8 are set.';

comment on table scalar_rollup is
  'Level 1: a summary of 8 consecutive effective chunks of a series. Level l + 1: a summary of 8 '
  'consecutive rows of level l. Prefix rule: the rows of a level cover exactly the effective '
  'chunks of the series whose last step is not above the largest last_step of the level. A '
  'transaction that changes such chunks also deletes the rows from there on, at every level.';
comment on column scalar_rollup.cells64 is 'Cells of 64 points in these chunks.';
comment on column scalar_rollup.points_before is
  'Points in all rows of the level before this one. Together with the other _before columns, it '
  'makes the count between two rows a subtraction.';
comment on column scalar_rollup.min_value is
  'Ignores NaN and includes infinities. Null: every value is NaN.';

comment on table segment is
  'One durable byte range of one event file. Rows never change, except for the epoch of a range '
  'that arrived beyond the prefix.';
comment on column segment.crc32c is 'CRC-32C of the decoded bytes.';
comment on column segment.encoding is
  'Of body or object. 0: the bytes as received, 1: zstd, 2: records without their checksums, '
  'packed by column (libs/originals).';

comment on table series is
  'A series is (run, tag, writer). Its first metadata is kept. A twin holds values that do not '
  'fit the data class of the series, as raw tensors.';
comment on column series.writer is
  'The lane of the writer, 0 for nearly all runs. Files of a run that overlap in time have '
  'different lanes, so the files of a series never overlap in time.';

comment on table series_stats is
  'Counts of all points and a summary of the effective ones, without points that are still in the '
  'tail of the run.';
comment on column series_stats.max_length is
  'Blob sequences: the largest number of blobs in one point.';

comment on table series_to_roll_up is
  'Series with enough chunks after their rollups for another rollup. Written in the transaction '
  'that stores chunks, so that a crash loses no series.';

comment on table service_account is
  'Members that are programs: they have a role and tokens, and cannot sign in.';

comment on table session_start is
  'SessionLog START events. Each one except the first of its run, in log order, supersedes '
  'earlier points with an equal or larger step.';

comment on table share_link is
  'Anyone with the secret of a link can read what it shows until it expires or is revoked.';
comment on column share_link.kind is
  'page: for browsers, and programs may send it; embed: one page for frames of other sites.';
comment on column share_link.experiment_id is
  'The experiment that the link shows: the shared experiment or a snapshot of it.';
comment on column share_link.source_id is 'The shared experiment, which lists the link.';
comment on column share_link.made_by is 'The creator. Null: a deleted person.';
comment on column share_link.runs is
  'The link shows only these runs. Null: all runs. The same applies to tags.';
comment on column share_link.origins is 'Sites whose pages may frame the embed.';

comment on table share_link_route is
  'Global: the tenant of a link, by the SHA-256 of its secret. Written when the link is created, '
  'and deleted with its experiment.';

comment on table sign_in_link is 'Global: one-time sign-in links, by their SHA-256.';
comment on column sign_in_link.credential_until is
  'Expiry of the credential that created the link. The session expires no later. Null: it does '
  'not expire.';
comment on column sign_in_link.token_id is 'The access token that created the link. Null: none.';

comment on table signing_key is
  'Global: the keys of the service''s own JWTs (ES256). A key is published from its creation on. '
  'It signs from signs_from until the next key does.';
comment on column signing_key.public_key is 'As a JSON Web Key.';
comment on column signing_key.sealed_key is
  'The private key (PKCS 8), encrypted with AES-256-GCM under a key derived from '
  'PLOTLINE_SECRET_KEY: nonce, tag, ciphertext.';

comment on column tensor_value.body is
  'Numbers packed little-endian in C order; each string as a uint32 big-endian length and its '
  'bytes. Above 16 KiB in the blob store (object_key).';

comment on table token_route is
  'Global: the tenant of a token, by the SHA-256 of the token. Read for every request, written '
  'only when a token is created or revoked.';

comment on table uploader_blob is
  'A complete blob of a sequence. A blob that the client left out has no row.';

comment on table uploader_request is
  'Requests whose points are in the ledger, by the SHA-256 of their content. A client that got no '
  'response sends the request again, and it counts once.';

comment on table uploader_sequence is
  'One value of a blob sequence series, whose blobs arrive one by one. When all have arrived, '
  'they become one record of the ledger.';
comment on column uploader_sequence.tag is
  'UTF-8 bytes, not text, because a tag may contain any character.';
comment on column uploader_sequence.metadata is 'The SummaryMetadata from the client, unchanged.';
comment on column uploader_sequence.is_open is
  'Blobs are still expected. False: they are in the ledger, and their bodies here are deleted.';

comment on table workload_identity is
  'An identity whose OIDC tokens can be exchanged for a short-lived token of a service account.';
comment on column workload_identity.issuer is
  'The exact claim iss. One of the issuers that the operator has configured.';
comment on column workload_identity.audience is 'Must be in the claim aud.';
comment on column workload_identity.subject is 'The exact claim sub, or its prefix followed by *.';
comment on column workload_identity.scopes is
  'What its tokens permit, never more than the role of the service account.';
comment on column workload_identity.last_used_at is 'Updated at most once per hour.';

comment on column workspace.deleted_at is
  'Tombstone: once set, the workspace is closed to everyone and accepts no data. The row is '
  'deleted last.';
comment on column workspace.originals_days is
  'Originals of complete files are removed this many days after completion. Null: never.';
comment on column workspace.audit_days is
  'Entries of the audit log are removed after this many days. Null: never.';

comment on table workspace_limits is
  'Limits that the operator has set for a workspace. A null column means the configured default '
  '(PLOTLINE_QUOTA_…). The service reads this table and cannot write it.';
comment on column workspace_limits.suspension is
  'read-only rejects everything except reads; closed also rejects reads. Null: not suspended.';
comment on column workspace_limits.suspension_reason is 'Shown to the members of the workspace.';

comment on table workspace_limits_change is
  'Every change of workspace_limits, written together with it: who, when, and the old and new '
  'values. It has no foreign key, because rows stay when the workspace is deleted.';
comment on column workspace_limits_change.changed_by is
  'Who ran the command, as named by the operator or the calling system.';
