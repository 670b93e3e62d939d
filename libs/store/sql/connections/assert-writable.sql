-- returns pg_logical_emit_message pg_lsn
/* assert-writable */
select
  pg_logical_emit_message(true, 'plotline', '');

-- returns read_only text
/* read-transaction-mode */
select
  current_setting('transaction_read_only') as read_only;
