-- When the author of a note last changed it. Null: never.
alter table incident_notes add column edited_at timestamptz;
