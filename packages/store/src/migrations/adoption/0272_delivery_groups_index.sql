create index concurrently deliveries_group on deliveries (org_id, group_id) where group_id is not null;
