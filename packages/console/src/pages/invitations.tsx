// Handles the page of an invitation's link: sign in or sign up, then join.

import { LINKS } from '@dogwatch/domain/limits/rates'
import {
  acceptInvitation,
  type FoundInvitation,
  isFor,
  requireInvitation,
  signUpInvited,
} from '@dogwatch/domain/organisations/invitations'
import { requireInvitedSignUp } from '@dogwatch/domain/people/sign-up-mode'
import { requireRoomFrom } from '../limits.ts'
import { NewPassword } from '../parts/field.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { PostForm } from '../post-form.tsx'
import { wholeFaults } from '../refusal.ts'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { type AnyoneContext, get, type PageAnswer, type Route } from '../route.ts'

async function invitationPage(context: AnyoneContext): Promise<PageAnswer> {
  const secret = context.params.secret ?? ''
  const invitation = await requireInvitation(context.deps, secret)
  const title = `Join ${invitation.org_name}`
  return narrowPage(
    title,
    <>
      <p>
        {invitation.invited_by} invited {invitation.email} to join {invitation.org_name}.
      </p>
      <NextStep context={context} invitation={invitation} secret={secret} />
    </>,
  )
}

interface NextStepProps {
  context: AnyoneContext
  invitation: FoundInvitation
  secret: string
}

function NextStep({ context: { viewer, options }, invitation, secret }: NextStepProps) {
  const action = `/invitations/${secret}`
  if (!viewer) {
    return (
      <>
        <p>
          <Link class="button" href={`/sign-in?to=${encodeURIComponent(action)}`}>
            Sign in as {invitation.email}
          </Link>
        </p>
        {options.sign_up === 'closed' ? null : (
          <>
            <h2>Create an account</h2>
            <PostForm action={action}>
              <NewPassword label={`Password for ${invitation.email}`} />
              <button type="submit">Sign up and join</button>
            </PostForm>
          </>
        )}
      </>
    )
  }
  if (!isFor(invitation, viewer)) {
    return (
      <>
        <p>
          This invitation is for {invitation.email}, but you are signed in as {viewer.email}. Sign out, then open the
          invitation link again.
        </p>
        <PostForm action="/sign-out">
          <button type="submit">Sign out</button>
        </PostForm>
      </>
    )
  }
  return (
    <PostForm action={action}>
      <button type="submit">Join organisation</button>
    </PostForm>
  )
}

/** Shows every refusal on the page, unless the link is invalid or was used too often. */
const faultsOfJoining = wholeFaults((kind) => kind !== 'missing' && kind !== 'limited')

export const INVITATION_ROUTES: readonly Route[] = [
  get('/invitations/:secret', 'anyone', invitationPage),
  postOrRefuse('/invitations/:secret', 'anyone', invitationPage, faultsOfJoining, async (context) => {
    const { deps, viewer, form } = context
    const secret = context.params.secret ?? ''
    await requireRoomFrom(context, LINKS)
    if (viewer) {
      const { org_name } = await acceptInvitation(deps, viewer, secret)
      return { kind: 'redirect', to: '/', notice: `You joined ${org_name}.` }
    }
    const { org_name } = await requireInvitation(deps, secret)
    requireInvitedSignUp(context.options.sign_up)
    const signedIn = await signUpInvited(deps, secret, form.text('password'))
    return { kind: 'redirect', to: '/', ...signedIn, notice: `You joined ${org_name}.` }
  }),
]
