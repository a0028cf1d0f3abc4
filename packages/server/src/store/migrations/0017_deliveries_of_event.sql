-- Forgetting an event asks whether a delivery of it is left; without this, that reads all deliveries of its org.
create index concurrently if not exists deliveries_event on deliveries (org_id, event_id);
