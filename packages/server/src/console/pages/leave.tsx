// Leaving the organisation, after a confirmation.
import { leaveOrganisation } from '../../domain/organisations/members.ts'
import { Button } from '../design/button.tsx'
import { Question } from '../design/dialog.tsx'
import { PostForm } from '../frame.tsx'
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
          You own {org.name}: <a href="/settings/members">hand it over</a> first. An organisation has an owner at any
          time.
        </p>
      ) : (
        <p>
          You see nothing of {org.name} any more, and your tokens and invitations for it end at once. Its checks,
          heartbeats and channels stay as they are. Only its owner and its admins can take you in again.
        </p>
      )}
    </Question>,
  )
}

export const LEAVE_ROUTES: readonly Route[] = [
  get('/settings/leave', 'reader', async (context) => leavePage(context)),
  post('/settings/leave', 'reader', async ({ deps, viewer, org }) => {
    await leaveOrganisation(deps, viewer, org.org_id)
    return redirect('/organisations', `You have left ${org.name}.`)
  }),
]
