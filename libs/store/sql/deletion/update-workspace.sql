/* update-workspace */
update workspace
set
  originals_days = case
    when $n then $n::int
    else originals_days
  end,
  audit_days = case
    when $n then $n::int
    else audit_days
  end
where
  tenant_id = $n
  and deleted_at is null;
