// Lets a member leave the organisation, after a confirmation.
import { leaveOrganisation } from '@dogwatch/domain/organisations/members'
import { Button } from '../design/button.tsx'
import { questionPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { get, type MemberContext, type PageAnswer, post, type Route, redirect } from '../route.ts'

function leavePage({ org }: MemberContext): PageAnswer {
  const title = `Leave ${org.name}`
  const asked = { title, question: `${title}?`, back: '/settings/members' }
  if (org.is_owner) {
    const about = (
      <p>
        You are the owner of {org.name}. <Link href="/settings/members">Transfer ownership</Link> before you leave.
      </p>
    )
    return questionPage({ ...asked, about, form: null })
  }
  const about = (
    <p>
      You lose access to {org.name}, and your tokens and pending invitations are revoked immediately. Checks, heartbeats
      and channels are not affected. To rejoin, you need a new invitation from an owner or admin.
    </p>
  )
  const form = (
    <PostForm action="/settings/leave">
      <Button kind="danger" text="Leave organisation" />
    </PostForm>
  )
  return questionPage({ ...asked, about, form })
}

export const LEAVE_ROUTES: readonly Route[] = [
  get('/settings/leave', 'reader', leavePage),
  post('/settings/leave', 'reader', async ({ deps, viewer, org }) => {
    await leaveOrganisation(deps, viewer, org.org_id)
    return redirect('/organisations', `You left ${org.name}.`)
  }),
]
