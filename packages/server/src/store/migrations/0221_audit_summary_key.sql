create unique index concurrently audit_entries_summary
  on audit_entries (org_id, summary_of, actor, action, (coalesce(impersonator, '')), (coalesce(detail ->> 'token', '')))
  where summary_of is not null;
