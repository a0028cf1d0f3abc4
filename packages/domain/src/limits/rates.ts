// Lists the rate limits with a fixed rate. The limits of client addresses and of a person's pages have the rate of
// `ADDRESS_RATE_LIMIT` instead. The table of `docs/operate/overload.md` names them all.
import type { Limit } from './spend.ts'

/** Requests of one personal access token to the account API. */
export const ACCOUNT_TOKEN: Limit = { name: 'token', per_sec: 5, burst: 20 }
/** Exports of one personal access token. */
export const EXPORTS_OF_TOKEN: Limit = { name: 'export', per_sec: 1 / 60, burst: 2 }
/** Exports by all tokens of an organisation together. */
export const EXPORTS_OF_ORG: Limit = { name: 'export-org', per_sec: 1 / 20, burst: 6 }

/** Requests of one configuration token. */
export const CONFIGURATION_TOKEN: Limit = { name: 'configuration-token', per_sec: 20, burst: 200 }
/** Changes by all configuration tokens of an organisation together. Each change adds an entry to its audit log. */
export const CONFIGURATION_CHANGES: Limit = { name: 'configuration-changes', per_sec: 10, burst: 2000 }
/** Dry runs of one configuration token. They have a limit of their own, so that they do not use up the limit of changes. */
export const CONFIGURATION_DRY_RUNS: Limit = { name: 'configuration-dry-runs', per_sec: 10, burst: 2000 }

/** Attempts to sign in from one client address. */
export const SIGN_INS_FROM: Limit = { name: 'sign-in-address', per_sec: 1 / 10, burst: 30, isStrict: true }
/** Attempts to sign in to one account from one client address. */
export const SIGN_INS_FROM_TO: Limit = { name: 'sign-in-address-email', per_sec: 1 / 60, burst: 10, isStrict: true }
/**
 * Attempts to sign in on a device that the account's owner has used before. No one who guesses elsewhere can lock out this
 * device.
 */
export const SIGN_INS_BY_DEVICE: Limit = { name: 'sign-in-device', per_sec: 1 / 60, burst: 10, isStrict: true }
/** Attempts to sign in to one account from all addresses together. */
export const SIGN_INS_TO: Limit = { name: 'sign-in-email', per_sec: 1 / 60, burst: 100, isStrict: true }
/** Passwords that a signed-in person types. */
export const PASSWORDS: Limit = { name: 'password', per_sec: 1 / 60, burst: 10, isStrict: true }
/**
 * Second-factor codes and recovery codes of one person. Three of a million codes are valid at a time: anyone who knows the
 * password and guesses without pause is right once in ten years.
 */
export const CODES: Limit = { name: 'code', per_sec: 1 / 900, burst: 10, isStrict: true }
/** Second-factor codes and recovery codes on a device that the person has used before. */
export const CODES_BY_DEVICE: Limit = { name: 'code-device', per_sec: 1 / 60, burst: 10, isStrict: true }
/**
 * Challenges for passkeys and visits to the OpenID provider, from one client address. Each of them is stored for some minutes.
 */
export const BEGINNINGS: Limit = { name: 'sign-in-begin', per_sec: 1 / 10, burst: 30, isStrict: true }

/** Sign-up forms that one client address sends. */
export const SIGN_UPS: Limit = { name: 'sign-up', per_sec: 1 / 120, burst: 10 }
/** Links for signing up that are emailed to one mailbox. */
export const SIGN_UPS_TO: Limit = { name: 'sign-up-to', per_sec: 1 / 600, burst: 3 }
/** Requests for a new password from one client address. */
export const RESETS_FROM: Limit = { name: 'reset-address', per_sec: 1 / 60, burst: 20 }
/** Links for a new password that are emailed to one account. */
export const RESETS_TO: Limit = { name: 'reset-to', per_sec: 1 / 600, burst: 3 }
/** Links of invitations and new passwords that one client address opens. Each is used once, so many requests are guesses. */
export const LINKS: Limit = { name: 'link-address', per_sec: 1 / 10, burst: 30, isStrict: true }
/**
 * Links of alerts that one client address opens. Such links cannot be guessed, and a whole team can open the same link from one
 * address.
 */
export const INCIDENT_LINKS: Limit = { name: 'incident-link', per_sec: 1 / 2, burst: 60 }

/** Organisations that one person creates. */
export const FOUNDINGS: Limit = { name: 'foundings', per_sec: 1 / 3600, burst: 10 }
/** Invitations of one organisation. */
export const INVITATIONS_OF_ORG: Limit = { name: 'invitations', per_sec: 1 / 60, burst: 30 }
/** Invitations by one person. */
export const INVITATIONS_OF_PERSON: Limit = { name: 'invitations-person', per_sec: 1 / 60, burst: 30 }
/** Emails to one mailbox that people request: test messages and invitations. */
export const MAILS_TO: Limit = { name: 'mail-to', per_sec: 1 / 600, burst: 5 }

/** Forms that the members of an organisation send to change something. Each form adds an entry to its audit log. */
export const CHANGES_OF_ORG: Limit = { name: 'changes', per_sec: 1 / 5, burst: 1000 }
/** Forms that one person sends to change something. */
export const CHANGES_OF_PERSON: Limit = { name: 'changes-person', per_sec: 1 / 10, burst: 300 }
/** Forms of more than 100,000 characters that one person sends. Each costs as much as some tens of pages. */
export const LARGE_FORMS: Limit = { name: 'large-form', per_sec: 1 / 5, burst: 10 }
/** Searches by all members of an organisation. Each search reads the names of everything that the organisation has. */
export const SEARCHES_OF_ORG: Limit = { name: 'searches', per_sec: 20, burst: 200 }
/** Searches of one person. */
export const SEARCHES_OF_PERSON: Limit = { name: 'searches-person', per_sec: 4, burst: 40 }
/** Replays of the checks of an organisation. Each replay reads the results of a month. */
export const REPLAYS_OF_ORG: Limit = { name: 'replays', per_sec: 1 / 10, burst: 10 }
/** Replays by one person. */
export const REPLAYS_OF_PERSON: Limit = { name: 'replays-person', per_sec: 1 / 10, burst: 5 }
/** Runs that the members and tokens of an organisation request. Each run requests a target that a person chooses. */
export const RUNS_OF_ORG: Limit = { name: 'asked-runs', per_sec: 1 / 6, burst: 20 }
/** Runs that one person requests. */
export const RUNS_OF_PERSON: Limit = { name: 'asked-runs-person', per_sec: 1 / 6, burst: 10 }

/** Test messages of an organisation. */
export const TESTS_OF_ORG: Limit = { name: 'channel-tests', per_sec: 1 / 30, burst: 10 }
/** Test messages of an organisation through a service whose quota all organisations share. */
export const SHARED_TESTS_OF_ORG: Limit = { name: 'channel-tests-shared', per_sec: 1 / 360, burst: 10 }
/** Test messages of one person. */
export const TESTS_OF_PERSON: Limit = { name: 'channel-tests-person', per_sec: 1 / 30, burst: 20 }
