// The fakes of all vendors that are asked by HTTP.
import { standIn } from '../../src/stand-in.ts'
import { alertmanager } from './alertmanager.ts'
import { apprise } from './apprise.ts'
import { discord } from './discord.ts'
import { googleChat } from './google-chat.ts'
import { gotify } from './gotify.ts'
import { matrix } from './matrix.ts'
import { mattermost } from './mattermost.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { pushover } from './pushover.ts'
import { signal } from './signal.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { twilioSms, twilioVoice } from './twilio.ts'
import type { Vendor } from './vendor.ts'
import { webhookTemplate } from './webhook-template.ts'
import { zulip } from './zulip.ts'

export const VENDORS: readonly Vendor[] = [
  discord,
  teams,
  telegram,
  pagerduty,
  opsgenie,
  pushover,
  gotify,
  mattermost,
  googleChat,
  matrix,
  zulip,
  twilioSms,
  twilioVoice,
  signal,
  webhookTemplate,
  alertmanager,
  apprise,
]

/** Has the fakes stand in for the hosts that vendors have. */
export function standInFor(vendors: readonly Vendor[], at: (vendor: Vendor) => string): void {
  for (const vendor of vendors) for (const origin of vendor.origins ?? []) standIn(origin, at(vendor))
}
