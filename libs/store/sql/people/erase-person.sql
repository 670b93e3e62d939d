/* erase-person-row-browser-session */
delete from browser_session
where
  person_id = $n;

/* erase-person-row-person */
update person
set
  display_name = 'Erased person',
  erased_at = now()
where
  person_id = $n;

/* erase-person-row-person-workspace */
delete from person_workspace
where
  person_id = $n;

/* erase-person-row-sign-in-link */
delete from sign_in_link
where
  person_id = $n;

/* erase-person-rows */
delete from "code_attempt"
where
  person_id = $n;

/* erase-person-rows */
delete from "device_code"
where
  person_id = $n;

/* erase-person-rows */
delete from "oidc_attempt"
where
  person_id = $n;

/* erase-person-rows */
delete from "person_identity"
where
  person_id = $n;
