// The mails that the console sends.
import type { Mail } from '../runtime/mail.ts'

export function resetMail({ to, link }: { to: string; link: string }): Mail {
  return {
    to,
    subject: 'Dogwatch: set a new password',
    text: [
      'Somebody, probably you, asked to set a new password for this address at Dogwatch.',
      '',
      'Open this link within an hour. It works once, and signs you out everywhere:',
      '',
      link,
      '',
      'If it was not you, do nothing: the password stays as it is.',
      '',
    ].join('\n'),
  }
}

export function signUpMail({ to, link }: { to: string; link: string }): Mail {
  return {
    to,
    subject: 'Dogwatch: finish signing up',
    text: [
      'Somebody, probably you, wants to sign up at Dogwatch with this address.',
      '',
      'Open this link within a day to choose a password and to name your organisation. It works once:',
      '',
      link,
      '',
      'If it was not you, do nothing: there is no account.',
      '',
    ].join('\n'),
  }
}

/** To somebody who has an account already: the page tells that to nobody else. */
export function knownMail({ to, public_url }: { to: string; public_url: string }): Mail {
  return {
    to,
    subject: 'Dogwatch: you have an account already',
    text: [
      'Somebody, probably you, wants to sign up at Dogwatch with this address. There is an account with it already.',
      '',
      `Sign in: ${public_url}/sign-in`,
      `Forgot the password? ${public_url}/reset-password`,
      '',
      'If it was not you, do nothing: nothing has changed.',
      '',
    ].join('\n'),
  }
}

export function invitationMail(facts: { to: string; link: string; org_name: string; invited_by: string }): Mail {
  const { to, link, org_name, invited_by } = facts
  return {
    to,
    subject: `Dogwatch: ${invited_by} invites you to ${org_name}`,
    text: [
      `${invited_by} invites you to the organisation ${org_name} at Dogwatch.`,
      '',
      'Open this link within seven days and sign in, or sign up, with this address:',
      '',
      link,
      '',
      'If you do not know what this is about, do nothing.',
      '',
    ].join('\n'),
  }
}

/** To the owner of a channel that was disabled because its receiver is gone. */
export function goneMail(facts: {
  to: string
  name: string
  kind: string
  host: string
  org_name: string
  link: string
}): Mail {
  const { to, name, kind, host, org_name, link } = facts
  return {
    to,
    subject: `Dogwatch: the ${kind} ${name} was switched off`,
    text: [
      `The ${kind} channel ${name} of ${org_name} was switched off. Its receiver at ${host} answered that it is`,
      'gone, which means that it wants no more messages. Alerts do not go there any more.',
      '',
      'To use the channel again, check its URL and enable it. To get rid of it, delete it:',
      '',
      link,
      '',
    ].join('\n'),
  }
}
