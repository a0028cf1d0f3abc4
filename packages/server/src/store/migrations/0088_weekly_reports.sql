-- Members who want a mail each week. Nobody who was a member before gets one unasked.
alter table members add column weekly_report boolean not null default false;

-- The reports that were taken on to be sent: one for each member and week.
create table weekly_reports (
  org_id bigint not null,
  person_id bigint not null,
  -- the Monday on which it was due
  week date not null,
  -- of the link in the mail that ends these reports
  token_hash bytea not null,
  -- When it may be tried again: the mail server did not take the mail. Null: it was sent, or nobody knows.
  retry_at timestamptz,
  primary key (org_id, person_id, week),
  foreign key (org_id, person_id) references members on delete cascade
);
create index weekly_reports_token on weekly_reports (token_hash);
