-- Less to write and to look up for live runs. Measured with `bench storage --live`, in bytes a point.

-- A merged block of a tail has about 2 KB, a little more than a row may have before its contents go out of line: two rows there, and two of an index, for each.
alter table run_tail set (toast_tuple_target = 8160);

-- A row for each range that arrives, the same way for ever: as for the other tables of the ledger, a sample of the first hundred says what one of the second hundred does.
alter table segment set (autovacuum_analyze_threshold = 1000);
