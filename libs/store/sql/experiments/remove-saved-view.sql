/* remove-saved-view */
delete from saved_view
where
  tenant_id = $n
  and view_id = $n;
