create index concurrently checks_unmeasured on checks (org_id, check_id) where definition_bytes is null;
