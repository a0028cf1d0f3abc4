// For admins: every organisation, found by name, owner or id.
import { findOrganisations, type FoundOrganisation } from '../../domain/organisations/organisation.ts'
import { AdminNav, Search } from '../parts/admin-nav.tsx'
import { get, page, type PageAnswer, type PersonContext, type Route } from '../route.ts'

async function organisationsPage({ deps, query }: PersonContext): Promise<PageAnswer> {
  const text = query.q ?? ''
  const found = await findOrganisations(deps, text)
  return page(
    'Admin: organisations',
    <section>
      <h1>Admin</h1>
      <AdminNav at="/admin" />
      <h2>Organisations</h2>
      <Search action="/admin" label="Name, owner's address or id" text={text} />
      {found.length === 0 ? <p class="empty">None is found.</p> : <OrganisationTable found={found} />}
    </section>,
  )
}

function OrganisationTable({ found }: { found: FoundOrganisation[] }) {
  return (
    <div class="scroll">
      <table>
        <caption>{found.length === 100 ? 'The newest 100' : `${found.length} found`}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Owner</th>
            <th scope="col">Plan</th>
            <th scope="col" class="number">
              Checks
            </th>
            <th scope="col" class="number">
              Heartbeats
            </th>
            <th scope="col" class="number">
              Channels
            </th>
            <th scope="col" class="number">
              Members
            </th>
            <th scope="col" class="number">
              Monitors
            </th>
          </tr>
        </thead>
        <tbody>
          {found.map(({ org_id, name, owner_email, plan, checks, heartbeats, channels, members, monitors }) => (
            <tr key={org_id}>
              <td>
                <a href={`/admin/orgs/${org_id}`}>{name}</a>
              </td>
              <td>{owner_email}</td>
              <td>{plan}</td>
              {[checks, heartbeats, channels, members, monitors].map((count, i) => (
                <td key={i} class="number">
                  {count}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const ADMIN_ROUTES: readonly Route[] = [get('/admin', 'admin', async (context) => organisationsPage(context))]
