-- A chore looks for the organisations with checks that the server judges. Nearly all have none.
create index concurrently checks_judged_by_server on checks (org_id, check_id) where judged_by_server and not deleted;
