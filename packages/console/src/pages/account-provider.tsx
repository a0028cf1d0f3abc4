// Links a person's account to one at the OpenID provider, and removes the link.

import { DomainError } from '@dogwatch/domain/errors'
import { BEGINNINGS, PASSWORDS } from '@dogwatch/domain/limits/rates'
import { isLinked, unlinkProvider, visitProviderToLink } from '@dogwatch/domain/people/provider'
import type { VNode } from 'preact'
import { Button, ButtonLink } from '../design/button.tsx'
import { Card, PageHead } from '../design/layout.tsx'
import { requireRoom, requireRoomFrom } from '../limits.ts'
import { CurrentPassword, Fault } from '../parts/field.tsx'
import { PostForm } from '../post-form.tsx'
import { type PersonContext, page, type Route, redirect, type SectionPost } from '../route.ts'
import type { SectionState } from './account-passkeys.tsx'

export async function ProviderSection(
  context: PersonContext,
  { hasPassword, fault }: SectionState,
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
          {hasPassword ? <CurrentPassword id="provider-password" /> : null}
          <Button kind={isOn ? 'danger' : 'secondary'} text={isOn ? 'Unlink account' : 'Link account'} />
        </PostForm>
      )}
    </Card>
  )
}

export function providerRoutes(post: SectionPost): readonly Route[] {
  return [
    post('/link', async (context) => {
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
    post('/unlink', async (context) => {
      const { deps, viewer, form } = context
      await requireRoom(context, PASSWORDS, String(viewer.person_id))
      await unlinkProvider(deps, viewer, form.text('password'))
      return redirect('/account', 'Account unlinked.')
    }),
  ]
}
