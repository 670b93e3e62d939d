select current_setting('transaction_read_only') as read_only;
