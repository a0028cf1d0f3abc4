// Shows admins every organisation, searchable by name, owner or ID.
import { findOrganisations } from '@dogwatch/domain/organisations/organisation'
import { Link } from '../rights.tsx'
import { get, type PageAnswer, type PersonContext, type Route } from '../route.ts'
import { searchPage } from './admin-search.tsx'

const NUMBERS = ['Checks', 'Heartbeats', 'Channels', 'Members', 'Monitors']

async function organisationsPage({ deps, query }: PersonContext): Promise<PageAnswer> {
  return searchPage(query, {
    path: '/admin',
    heading: 'Organisations',
    label: 'Name, owner email or ID',
    find: (text, from) => findOrganisations(deps, text, from),
    columns: ['Name', 'Owner', 'Plan', ...NUMBERS],
    numbers: NUMBERS,
    row: ({ org_id, name, owner_email, plan, checks, heartbeats, channels, members, monitors }) => [
      org_id,
      <Link href={`/admin/orgs/${org_id}`}>{name}</Link>,
      owner_email,
      plan,
      ...[checks, heartbeats, channels, members, monitors],
    ],
  })
}

export const ADMIN_ROUTES: readonly Route[] = [get('/admin', 'admin', organisationsPage)]
