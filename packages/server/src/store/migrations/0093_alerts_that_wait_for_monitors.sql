-- Alerts that wait because of a monitor, which may wait no longer when other monitors see the same.
create index concurrently planned_alerts_grouping on planned_alerts (org_id, held_by) where held_by like 'grouping:%';
