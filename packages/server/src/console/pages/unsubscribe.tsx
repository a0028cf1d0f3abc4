// Where a member ends the weekly reports of an organisation. Opening the page changes nothing, because mail scanners open
// links. Mail programs that offer a button of their own send its form without opening the page (RFC 8058).
import { endReportsByLink, requireReportLink } from '../../domain/weekly-report/switch.ts'
import { PostForm } from '../frame.tsx'
import { get, oneClick, page, type Route } from '../route.ts'

export const UNSUBSCRIBE_ROUTES: readonly Route[] = [
  get('/unsubscribe/:secret', 'anyone', async ({ deps, params }) => {
    const { secret = '' } = params
    const { org_name, email } = await requireReportLink(deps, secret)
    return page(
      'Stop weekly reports',
      <section class="narrow">
        <h1>Stop weekly reports</h1>
        <p>
          Weekly reports about {org_name} are sent to {email}. Press the button to stop them.
        </p>
        <PostForm action={`/unsubscribe/${secret}`}>
          <button type="submit">Stop reports</button>
        </PostForm>
      </section>,
    )
  }),
  oneClick('/unsubscribe/:secret', async ({ deps, params }) => {
    const { org_name, email } = await endReportsByLink(deps, params.secret ?? '')
    return page(
      'Weekly reports stopped',
      <section class="narrow">
        <h1>Weekly reports stopped</h1>
        <p>
          No more weekly reports about {org_name} are sent to {email}. You can switch them on again on your{' '}
          <a href="/account">account page</a>.
        </p>
      </section>,
    )
  }),
]
