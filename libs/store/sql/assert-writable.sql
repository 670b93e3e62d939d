select
  current_setting('transaction_read_only') as read_only;

select
  pg_logical_emit_message(true, 'plotline', '');
