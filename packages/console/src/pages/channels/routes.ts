// Defines the pages of channels.
import { askAgain } from '@dogwatch/domain/channels/confirmation'
import { removeOneChannel, switchOneChannel } from '@dogwatch/domain/channels/edit'
import { testOneChannel } from '@dogwatch/domain/channels/test-channel'
import { DomainError } from '@dogwatch/domain/errors'
import { requireRoomForTest } from '@dogwatch/domain/limits/rooms'
import { postOrRefuse } from '../../refused-form.ts'
import { get, type MemberContext, post, type RedirectAnswer, type Route, redirect } from '../../route.ts'
import { createOne, editChannelPage, editOne, faultsOfChannel, NO_MAIL, newChannelPage } from './form.tsx'
import { channelsPage, deliveriesPage } from './list.tsx'
import { channelOf, channelPage, deleteChannelPage } from './one.tsx'

async function switchIt(context: MemberContext, on: boolean): Promise<RedirectAnswer> {
  const { deps, org, viewer } = context
  const { id, name } = await channelOf(context)
  await switchOneChannel(deps, { org_id: org.org_id, id }, on, viewer)
  return redirect(`/channels/${id}`, `${name} ${on ? 'enabled' : 'disabled'}.`)
}

export const CHANNEL_ROUTES: readonly Route[] = [
  get('/channels', 'reader', channelsPage),
  get('/channels/deliveries', 'reader', deliveriesPage),
  get('/channels/new', 'member', newChannelPage),
  postOrRefuse('/channels/new', 'member', newChannelPage, faultsOfChannel, createOne),
  get('/channels/:channel', 'reader', channelPage),
  get('/channels/:channel/edit', 'member', editChannelPage),
  postOrRefuse('/channels/:channel/edit', 'member', editChannelPage, faultsOfChannel, editOne),
  post('/channels/:channel/test', 'member', async (context) => {
    const { deps, org, viewer, limiter } = context
    const channel = await channelOf(context)
    const { id } = channel
    await requireRoomForTest(limiter, { org_id: org.org_id, person_id: viewer.person_id }, channel)
    await testOneChannel(deps, { org_id: org.org_id, id }, viewer)
    return redirect(`/channels/${id}`, 'Test message sent. Reload this page to see the delivery result.')
  }),
  post('/channels/:channel/ask', 'member', async (context) => {
    const { deps, org, viewer } = context
    const { id, email } = await channelOf(context)
    if (!context.options.mailer) throw new DomainError('invalid', NO_MAIL)
    await askAgain(deps, { org_id: org.org_id, id }, viewer)
    return redirect(`/channels/${id}`, `Confirmation email sent to ${email}. The link is valid for 7 days.`)
  }),
  post('/channels/:channel/enable', 'member', (context) => switchIt(context, true)),
  post('/channels/:channel/disable', 'member', (context) => switchIt(context, false)),
  get('/channels/:channel/delete', 'member', async (context) => deleteChannelPage(await channelOf(context))),
  post('/channels/:channel/delete', 'member', async (context) => {
    const { deps, org, viewer } = context
    const { id, name } = await channelOf(context)
    await removeOneChannel(deps, { org_id: org.org_id, id }, viewer)
    return redirect('/channels', `${name} deleted.`)
  }),
]
