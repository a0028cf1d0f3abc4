-- Maintenance that has long been over is deleted, whatever organisation had it.
create index concurrently maintenance_spans_over on maintenance_spans (ends_at);
