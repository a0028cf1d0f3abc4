// Links a person's account to one at the OpenID provider, and removes the link.
import type { VNode } from 'preact'
import { DomainError } from '../../domain/errors.ts'
import { isLinked, unlinkProvider, visitProviderToLink } from '../../domain/people/provider.ts'
import { Button, ButtonLink } from '../design/button.tsx'
import { Card, PageHead } from '../design/layout.tsx'
import { PostForm } from '../post-form.tsx'
import { BEGINNINGS, PASSWORDS } from '../../domain/limits/rates.ts'
import { requireRoom, requireRoomFrom } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { type Answer, page, type PersonContext, post, redirect, type RefusalHandler, type Route } from '../route.ts'

interface ProviderSectionProps {
  hasPassword: boolean
  fault: string | undefined
}

export async function ProviderSection(
  context: PersonContext,
  { hasPassword, fault }: ProviderSectionProps,
): Promise<VNode | null> {
  const { deps, options, viewer } = context
  const { provider } = options
  if (!provider) return null
  const isOn = await isLinked(deps, provider, viewer.person_id)
  return (
    <Card title={provider.name}>
      <Fault line={fault} />
      <p>{isOn ? `You can sign in with ${provider.name}.` : `Link your account to sign in with ${provider.name}.`}</p>
      {isOn && !hasPassword ? (
        <p class="hint">To unlink, set a password first.</p>
      ) : (
        <PostForm action={isOn ? '/account/provider/unlink' : '/account/provider/link'}>
          {hasPassword ? (
            <Field
              id="provider-password"
              name="password"
              label="Current password"
              type="password"
              autocomplete="current-password"
              required
            />
          ) : null}
          <Button kind={isOn ? 'danger' : 'secondary'} text={isOn ? 'Unlink account' : 'Link account'} />
        </PostForm>
      )}
    </Card>
  )
}

/** Returns the routes for the link. `refused` renders the account page with a refusal in this section. */
export const providerRoutes = (refused: RefusalHandler): readonly Route[] => [
  post('/account/provider/link', 'person', async (context): Promise<Answer> => {
    const { deps, options, viewer, form } = context
    if (!options.provider) throw new DomainError('missing', 'this page does not exist. Check the URL')
    const { name } = options.provider
    await requireRoom(context, PASSWORDS, String(viewer.person_id))
    await requireRoomFrom(context, BEGINNINGS)
    try {
      const begun = await visitProviderToLink(deps, options.provider, viewer, form.text('password'))
      // A link, because our own policy lets no form lead to another site.
      const body = (
        <section class="narrow">
          <PageHead title={`Link ${name} account`} crumbs={[{ href: '/account', label: 'Account' }]}>
            Sign in to {name} with the account you want to link.
          </PageHead>
          <ButtonLink href={begun.address} kind="primary" text={`Continue with ${name}`} />
        </section>
      )
      return { ...page(`Link ${name} account`, body), visit: begun.pending }
    } catch (error) {
      return refused(context, error)
    }
  }),
  post('/account/provider/unlink', 'person', async (context): Promise<Answer> => {
    const { deps, viewer, form } = context
    await requireRoom(context, PASSWORDS, String(viewer.person_id))
    try {
      await unlinkProvider(deps, viewer, form.text('password'))
      return redirect('/account', 'Account unlinked.')
    } catch (error) {
      return refused(context, error)
    }
  }),
]
