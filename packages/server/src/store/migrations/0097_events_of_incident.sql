-- What was told about an incident, in order.
create index concurrently events_incident on events (org_id, incident_id, created_at) where incident_id is not null;
