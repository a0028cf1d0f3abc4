-- Names that the configuration API's clients choose for things, so that files can refer to them. Unique for each kind of thing in an
-- organisation; a check that was deleted leaves its key to others.
alter table checks add column key text collate "C";
alter table heartbeats add column key text collate "C";
alter table notification_channels add column key text collate "C";
alter table alert_routes add column key text collate "C";
alter table maintenance_windows add column key text collate "C";
-- safe: the index is empty, and reading the table for it takes less than a second at a million checks
create unique index checks_key on checks (org_id, key) where key is not null and not deleted;
-- safe: the index is empty, and there are fewer heartbeats than checks
create unique index heartbeats_key on heartbeats (org_id, key) where key is not null;
-- safe: the index is empty, and an organisation has few channels
create unique index notification_channels_key on notification_channels (org_id, key) where key is not null;
-- safe: the index is empty, and an organisation has few routes
create unique index alert_routes_key on alert_routes (org_id, key) where key is not null;
-- safe: the index is empty, and an organisation has few windows
create unique index maintenance_windows_key on maintenance_windows (org_id, key) where key is not null;
