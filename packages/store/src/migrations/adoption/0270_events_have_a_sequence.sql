-- The order of events that were raised at one instant, as those of one transaction are. Null: written before there was one.
create sequence events_sequence;
alter table events add column sequence bigint;
alter table events alter column sequence set default nextval('events_sequence');
alter sequence events_sequence owned by events.sequence;
