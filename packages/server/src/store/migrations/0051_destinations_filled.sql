-- The trigger of 0050 makes the destination of each row. Sending and raising read these rows and are not held up by an update.
-- safe: some rows for each organisation, 100,000 take a few seconds; only who edits a channel waits
update notification_channels set destination = null where destination is null;

alter table notification_channels validate constraint destination_has_text;
