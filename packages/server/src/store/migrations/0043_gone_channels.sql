-- When a receiver last said that it is gone, and its channel was switched off for it. Null: never, or a person has switched it since.
alter table notification_channels add column gone_at timestamptz;
-- When the owner is next to be told of that by mail. Null: they were told, or nobody is to be.
alter table notification_channels add column gone_mail_at timestamptz;
