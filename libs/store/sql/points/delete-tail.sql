delete from "run_tail"
where
  "tenant_id" = $n
  and "run_id" = $n
  and "tail_no" >= $n /* delete-tail */;
