create index concurrently checks_measured on checks (org_id) include (definition_bytes) where not deleted;
