// Lets a member leave the organisation, after a confirmation.
import { leaveOrganisation } from '../../domain/organisations/members.ts'
import { Button } from '../design/button.tsx'
import { Question } from '../design/dialog.tsx'
import { PostForm } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { get, type MemberContext, page, type PageAnswer, post, redirect, type Route } from '../route.ts'

function leavePage({ org }: MemberContext): PageAnswer {
  const title = `Leave ${org.name}`
  return page(
    title,
    <Question
      title={`${title}?`}
      back="/settings/members"
      form={
        org.is_owner ? null : (
          <PostForm action="/settings/leave">
            <Button kind="danger">Leave organisation</Button>
          </PostForm>
        )
      }
    >
      {org.is_owner ? (
        <p>
          You are the owner of {org.name}. <Link href="/settings/members">Transfer ownership</Link> before you leave.
        </p>
      ) : (
        <p>
          You lose access to {org.name}, and your tokens and pending invitations are revoked immediately. Checks,
          heartbeats and channels are not affected. To rejoin, you need a new invitation from an owner or admin.
        </p>
      )}
    </Question>,
  )
}

export const LEAVE_ROUTES: readonly Route[] = [
  get('/settings/leave', 'reader', async (context) => leavePage(context)),
  post('/settings/leave', 'reader', async ({ deps, viewer, org }) => {
    await leaveOrganisation(deps, viewer, org.org_id)
    return redirect('/organisations', `You left ${org.name}.`)
  }),
]
