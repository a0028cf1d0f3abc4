-- Who made what lets somebody in or tells us something: a person_id, null where nobody knows. People may be deleted since.
alter table enrollment_tokens add column created_by bigint;
-- whose enrollment token the monitor enrolled with last
alter table monitors add column enrolled_by bigint;
-- who made the ping URL, which is another one after it was rotated
alter table heartbeat_keys add column created_by bigint;
alter table notification_channels add column created_by bigint;
