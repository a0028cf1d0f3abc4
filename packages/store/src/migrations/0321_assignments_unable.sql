-- Finding the monitors that cannot run a check reads its unable assignments.
create index concurrently assignments_unable on assignments (org_id, check_id, monitor_id) where unable;
