// Ends a member's weekly reports of an organisation. Opening the page changes nothing, because mail scanners open links. Mail
// programs that offer a button of their own send its form without opening the page (RFC 8058).
import { endReportsByLink, requireReportLink } from '@dogwatch/domain/weekly-report/switch'
import { narrowPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { get, oneClick, type Route } from '../route.ts'

export const UNSUBSCRIBE_ROUTES: readonly Route[] = [
  get('/unsubscribe/:secret', 'anyone', async ({ deps, params }) => {
    const { secret = '' } = params
    const { org_name, email } = await requireReportLink(deps, secret)
    return narrowPage(
      'Unsubscribe from weekly reports',
      <>
        <p>
          Stop sending weekly reports for {org_name} to {email}?
        </p>
        <PostForm action={`/unsubscribe/${secret}`}>
          <button type="submit">Unsubscribe</button>
        </PostForm>
      </>,
    )
  }),
  oneClick('/unsubscribe/:secret', async ({ deps, params }) => {
    const { org_name, email } = await endReportsByLink(deps, params.secret ?? '')
    return narrowPage(
      'Unsubscribed',
      <p>
        {email} no longer receives weekly reports for {org_name}. Turn reports back on in your{' '}
        <Link href="/account">account settings</Link>.
      </p>,
    )
  }),
]
