// Writes the emails that the console sends.
import { hostOf } from '@dogwatch/channels/destination'
import type { GoneChannel } from '@dogwatch/domain/channels/gone'
import type { Mail } from '@dogwatch/runtime/mail'

function mailOf(to: string, subject: string, ...paragraphs: string[]): Mail {
  return { to, subject, text: `${paragraphs.join('\n\n')}\n` }
}

export function resetMail({ to, link }: { to: string; link: string }): Mail {
  return mailOf(
    to,
    'Reset your Dogwatch password',
    'We received a request to reset the password for your Dogwatch account.',
    'To set a new password, open this link within 1 hour. The link works once.',
    link,
    'The new password signs you out on all devices.',
    'If you did not request a reset, ignore this email. Your password has not changed.',
  )
}

export function signUpMail({ to, link }: { to: string; link: string }): Mail {
  return mailOf(
    to,
    'Finish creating your Dogwatch account',
    'You started creating a Dogwatch account with this email address.',
    'To choose a password and name your organisation, open this link within 24 hours. The link works once.',
    link,
    'If you did not sign up, ignore this email. No account has been created.',
  )
}

/** Writes the email to a person who already has an account. Only this email says so: the page must not reveal it. */
export function knownMail({ to, public_url }: { to: string; public_url: string }): Mail {
  return mailOf(
    to,
    'You already have a Dogwatch account',
    'Someone tried to sign up for Dogwatch with this email address. This address already has an account.',
    `Sign in: ${public_url}/sign-in\nReset your password: ${public_url}/reset-password`,
    'If this was not you, ignore this email. Nothing has changed.',
  )
}

export function invitationMail(facts: { to: string; link: string; org_name: string; invited_by: string }): Mail {
  const { to, link, org_name, invited_by } = facts
  return mailOf(
    to,
    `${invited_by} invited you to ${org_name} on Dogwatch`,
    `${invited_by} invited you to join ${org_name} on Dogwatch, an uptime monitor.`,
    'To join, open this link within 7 days. Sign in or sign up with this email address.',
    link,
    'If you were not expecting this invitation, ignore this email.',
  )
}

/** Writes the email to the owner of a channel that was disabled because its receiver no longer exists. */
export function goneMail(channel: GoneChannel, public_url: string): Mail {
  const { id, name, kind, org_name, owner_email } = channel
  return mailOf(
    owner_email,
    `Channel disabled: ${name} (410 Gone)`,
    `Dogwatch disabled the ${kind} channel ${name} in ${org_name}. The channel no longer receives alerts.\nCause: ${hostOf(channel)} reported that the URL of the channel no longer exists (410 Gone).`,
    'To use the channel again, correct the URL and enable the channel. If you no longer need the channel, delete the channel.',
    `${public_url}/channels/${id}`,
  )
}
