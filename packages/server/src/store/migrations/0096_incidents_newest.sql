-- The incidents of an organisation in the order of their beginnings, and which of them were open at a time.
create index concurrently incidents_newest on incidents (org_id, began_at) include (ended_at);
