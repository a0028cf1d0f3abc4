// Where an org's alerts go: making, switching and deleting channels.
import {
  type ChannelColumns,
  type ChannelRow,
  deleteChannel,
  insertChannel,
  listChannels,
  updateChannelEnabled,
} from '../../store/channels.ts'
import { lockOrganisation } from '../../store/organisations.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireEmail } from '../people/person.ts'
import { requireName } from '../text.ts'
import { type ChannelKind, PLANS, type PlanName } from './plans.ts'

export interface NewChannel {
  kind: string
  name: string
  ntfy_topic?: string | undefined
  email?: string | undefined
  webhook_url?: string | undefined
  webhook_secret?: string | undefined
}

/** The destination of each kind, and what else it may have. */
const DESTINATION: Readonly<Record<ChannelKind, 'ntfy_topic' | 'email' | 'webhook_url'>> = {
  ntfy: 'ntfy_topic',
  email: 'email',
  webhook: 'webhook_url',
  slack: 'webhook_url',
}
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/
const MAX_URL = 2048

/** An org's channels, oldest first, unredacted. */
export async function readChannels(deps: Pick<Deps, 'database'>, org_id: number): Promise<ChannelRow[]> {
  return listChannels(deps.database.db, org_id)
}

export async function createChannel(deps: Deps, org_id: number, wanted: NewChannel): Promise<{ id: number }> {
  const channel = requireChannel(wanted)
  return deps.database.db.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const plan = PLANS[organisation.plan as PlanName]
    if (!plan.channel_kinds.includes(channel.kind as ChannelKind)) {
      throw new DomainError(
        'invalid',
        `kind must be one of ${plan.channel_kinds.join(', ')} on the ${organisation.plan} plan`,
      )
    }
    if (plan.max_channels > 0 && (await listChannels(trx, org_id)).length >= plan.max_channels) {
      throw new DomainError(
        'invalid',
        `the ${organisation.plan} plan allows ${plan.max_channels} notification channels`,
      )
    }
    return { id: await insertChannel(trx, { ...channel, org_id }) }
  })
}

export async function switchChannel(deps: Deps, id: number, enabled: boolean): Promise<void> {
  if (!(await updateChannelEnabled(deps.database.db, id, enabled))) throw noSuchChannel()
}

export async function removeChannel(deps: Deps, id: number): Promise<void> {
  if (!(await deleteChannel(deps.database.db, id))) throw noSuchChannel()
}

function requireChannel(wanted: NewChannel): ChannelColumns {
  const { kind, ntfy_topic = '', email = '', webhook_url = '', webhook_secret = '' } = wanted
  if (!isKind(kind)) throw new DomainError('invalid', `kind must be one of ${Object.keys(DESTINATION).join(', ')}`)
  const channel = { name: requireName('name', wanted.name), kind, ntfy_topic, email, webhook_url, webhook_secret }
  const needed = DESTINATION[kind]
  if (channel[needed] === '') throw new DomainError('invalid', `${needed} is required for kind ${kind}`)
  for (const field of ['ntfy_topic', 'email', 'webhook_url'] as const) {
    if (field !== needed && channel[field] !== '') throw new DomainError('invalid', `${field} is not for kind ${kind}`)
  }
  if (kind !== 'webhook' && webhook_secret !== '')
    throw new DomainError('invalid', `webhook_secret is not for kind ${kind}`)
  requireDestination(channel)
  return channel
}

function requireDestination({ ntfy_topic, email, webhook_url, webhook_secret }: ChannelColumns): void {
  if (ntfy_topic !== '' && !TOPIC.test(ntfy_topic)) {
    throw new DomainError('invalid', 'ntfy_topic must have 1 to 64 letters, digits, - or _')
  }
  if (email !== '') requireEmail('email', email)
  if (webhook_url !== '') {
    requireName('webhook_url', webhook_url, { max: MAX_URL })
    const { protocol } = URL.canParse(webhook_url) ? new URL(webhook_url) : { protocol: '' }
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new DomainError('invalid', 'webhook_url must be an http or https url')
  }
  requireName('webhook_secret', webhook_secret, { mayBeBlank: true })
}

function isKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(DESTINATION, kind)
}

function noSuchChannel(): DomainError {
  return new DomainError('missing', 'no channel with that id')
}
