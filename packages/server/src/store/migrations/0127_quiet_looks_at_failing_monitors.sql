-- How many looks at parts of the checks of a monitor found in a row that it fails no longer. When a whole turn of parts has, it is over.
alter table failing_monitors add column quiet_looks integer not null default 0;
