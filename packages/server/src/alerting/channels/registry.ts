// The kinds of channels there are.
import type { ChannelKind } from '../../domain/organisations/plans.ts'
import type { MailSettings } from '../../runtime/mail.ts'
import { type Egress, openPost } from '../egress.ts'
import type { Channel } from './channel.ts'
import { emailChannel } from './email.ts'
import { ntfyChannel } from './ntfy.ts'
import { slackChannel } from './slack.ts'
import { webhookChannel } from './webhook.ts'

export type Channels = Readonly<Record<ChannelKind, Channel>>

export interface ChannelSettings extends MailSettings, Egress {
  /** May carry userinfo. */
  ntfy_url: string
}

/** Urls that people typed are dialled with a guard; what the operator chose is trusted. */
export function createChannels(settings: ChannelSettings): Channels {
  const guarded = openPost(settings)
  return {
    webhook: webhookChannel(guarded),
    slack: slackChannel(guarded),
    email: emailChannel(settings),
    ntfy: ntfyChannel(openPost('anywhere'), settings.ntfy_url),
  }
}
