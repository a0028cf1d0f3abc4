-- Whether an organisation has any, which is asked whenever something is raised, and which checks name one that is deleted.
create index concurrently checks_depends_on on checks (org_id, depends_on) where depends_on <> '';
