-- What a channel was told goes with it: without this, deleting one reads all deliveries of its org.
create index deliveries_channel on deliveries (org_id, channel_id);
