-- memberships has the members of an organisation. Nothing reads the view.
-- contract: 0281_organisations_and_people the previous version reads memberships alone
drop view members;
