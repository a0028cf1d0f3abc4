// Lets the owner of an address agree to get alerts. Opening the page changes nothing, because mail scanners open links.
import { confirmByLink, requireConfirmation } from '@dogwatch/domain/channels/confirmation'
import { LINKS } from '@dogwatch/domain/limits/rates'
import { requireRoomFrom } from '../limits.ts'
import { narrowPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { type AnyoneContext, get, type PageAnswer, post, type Route } from '../route.ts'

async function askPage({ deps, params }: AnyoneContext): Promise<PageAnswer> {
  const { secret = '' } = params
  const { email, is_confirmed } = await requireConfirmation(deps, secret)
  if (is_confirmed) return donePage(email)
  return narrowPage(
    'Confirm email address',
    <>
      <p>Someone asked Dogwatch to send alerts to {email}. Allow alerts to this address?</p>
      <p>If you did not expect this, close this page. No alerts will be sent.</p>
      <PostForm action={`/confirm-address/${secret}`}>
        <button type="submit">Allow alerts</button>
      </PostForm>
    </>,
  )
}

function donePage(email: string): PageAnswer {
  return narrowPage('Address confirmed', <p>Alerts will be sent to {email}. You can close this page.</p>)
}

export const CONFIRM_ADDRESS_ROUTES: readonly Route[] = [
  get('/confirm-address/:secret', 'anyone', askPage),
  post('/confirm-address/:secret', 'anyone', async (context) => {
    const { deps, params } = context
    const { secret = '' } = params
    await requireRoomFrom(context, LINKS)
    const { email } = await requireConfirmation(deps, secret)
    await confirmByLink(deps, secret)
    return donePage(email)
  }),
]
