-- A summary counts what it tells of.
create index concurrently if not exists deliveries_summarised on deliveries (org_id, summary_id) where summary_id is not null;
