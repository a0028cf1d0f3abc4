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
