-- Who takes care of an incident, and since when; null: nobody has said so. An email address of a person, or the name of a channel.
alter table incidents add column acknowledged_at timestamptz, add column acknowledged_by text;
