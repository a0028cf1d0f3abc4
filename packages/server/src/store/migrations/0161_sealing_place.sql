-- How far the sealing of a span is: until when its hours are, and the last check that is done. Null while no span is being sealed.
alter table seal_progress
  add column sealing_until timestamptz,
  add column sealing_org_id bigint,
  add column sealing_check_id bigint;
