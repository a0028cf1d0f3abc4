-- The guid of a check of the same organisation, or the id of a monitor, without which this check cannot be up: while that is down, alerts
-- about this check wait. Empty: none.
alter table checks add column depends_on text not null default '';
