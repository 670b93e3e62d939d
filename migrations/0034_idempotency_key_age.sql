-- plotline:no-transaction
create index concurrently idempotency_key_age on idempotency_key (tenant_id, created_at);
