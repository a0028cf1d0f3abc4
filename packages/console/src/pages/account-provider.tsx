// Links a person's account to one at the OpenID provider, and removes the link.

import { DomainError } from '@dogwatch/domain/errors'
import { BEGINNINGS, PASSWORDS } from '@dogwatch/domain/limits/rates'
import { isLinked, unlinkProvider, visitProviderToLink } from '@dogwatch/domain/people/provider'
import type { VNode } from 'preact'
import { Button, ButtonLink } from '../design/button.tsx'
import { Card, PageHead } from '../design/layout.tsx'
import { requireRoom, requireRoomFrom } from '../limits.ts'
import { Fault, Field } from '../parts/field.tsx'
import { PostForm } from '../post-form.tsx'
import { type Answer, type PersonContext, page, post, type RefusalHandler, type Route, redirect } from '../route.ts'

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
export function providerRoutes(refused: RefusalHandler): readonly Route[] {
  const formRoute = (end: string, handle: (context: PersonContext) => Promise<Answer>) =>
    post(`/account/provider/${end}`, 'person', (context) => handle(context).catch((error) => refused(context, error)))
  return [
    formRoute('link', async (context) => {
      const { deps, options, viewer, form } = context
      if (!options.provider) throw new DomainError('missing', 'this page does not exist. Check the URL')
      const { name } = options.provider
      await requireRoom(context, PASSWORDS, String(viewer.person_id))
      await requireRoomFrom(context, BEGINNINGS)
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
    }),
    formRoute('unlink', async (context) => {
      const { deps, viewer, form } = context
      await requireRoom(context, PASSWORDS, String(viewer.person_id))
      await unlinkProvider(deps, viewer, form.text('password'))
      return redirect('/account', 'Account unlinked.')
    }),
  ]
}
