-- plotline:no-transaction
create index concurrently uploader_request_age on uploader_request (tenant_id, received_at);
