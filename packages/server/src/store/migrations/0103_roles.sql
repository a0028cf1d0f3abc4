-- What a member may do. The owner is the member with is_owner, whatever their role is.
alter table members add column role text not null default 'member';
alter table members add constraint members_role_check check (role in ('admin', 'member', 'read_only')) not valid;

-- The build before takes every member for one who may change things. So the table gets another name, and what has the old name
-- leaves out those who may only read: the build before does not know them as members at all.
-- contract: 0001_tenants_and_fleet the view has the old name and the old columns, and takes inserts, updates and deletes
alter table members rename to memberships;
create view members as
  select org_id, person_id, is_owner, joined_at, weekly_report from memberships where is_owner or role <> 'read_only';

-- The role that whoever accepts gets. Links of invitations to read only are of a kind that the build before does not know.
alter table invitations add column role text not null default 'member';
