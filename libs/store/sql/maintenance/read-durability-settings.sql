-- returns fsync text, synchronous_commit text, full_page_writes text
/* read-durability-settings */
select
  current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('full_page_writes') as full_page_writes;
