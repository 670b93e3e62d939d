-- plotline:no-transaction
create index concurrently run_tail_start on run_tail (tenant_id, created_at) where tail_no = 1 and part = 0;
