-- What members wrote about an incident, while it lasted or afterwards.
create table incident_notes (
  org_id bigint not null references organisations,
  note_id bigint generated always as identity,
  incident_id text collate "C" not null,
  created_at timestamptz not null,
  -- a person_id, and the email address of that time. People may be deleted since.
  author_id bigint not null,
  author text not null,
  body text not null,
  primary key (org_id, note_id),
  foreign key (org_id, incident_id) references incidents on delete cascade
);
create index incident_notes_incident on incident_notes (org_id, incident_id, note_id);

-- What was learnt from an incident: one text for each, which every member may edit.
create table postmortems (
  org_id bigint not null references organisations,
  incident_id text collate "C" not null,
  body text not null,
  edited_at timestamptz not null,
  -- the email address of a person
  edited_by text not null,
  primary key (org_id, incident_id),
  foreign key (org_id, incident_id) references incidents on delete cascade
);
