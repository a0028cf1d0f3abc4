-- destination has the fields of a channel. Its copies and the trigger that wrote them go.
-- contract: 0289_channels_and_deliveries the previous version reads and writes destination alone
drop trigger notification_channels_destination on notification_channels;
-- contract: 0289_channels_and_deliveries only the trigger called it
drop function destination_of_columns();
-- contract: 0289_channels_and_deliveries the previous version reads and writes destination alone
alter table notification_channels drop column ntfy_topic, drop column webhook_url, drop column webhook_secret;
