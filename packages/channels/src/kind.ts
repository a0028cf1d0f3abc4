// Defines a kind of channel. Each kind has its own folder beside this file, and the registry lists all kinds. Scripts generate the
// documents and SDKs that name kinds from the registry, except for the document of the account API.
import type { MailSettings } from '@dogwatch/runtime/mail'
import type { Channel, Destination, Dispatch, Fact } from './channel.ts'
import type { Egress } from './egress.ts'

/** A part of a destination. Its name is used in the database, the account API and forms, and for the command-line option. */
export interface Field {
  label: string
  /** Help text under the label. */
  hint: string
  /** `url` is http or https, unless `schemes` differs. `lines` is a text of several lines. Each input has its own rules. */
  input: 'text' | 'email' | 'url' | 'lines'
  /** The part that pages show. `to members` hides it from an operator who looks at the pages of another organisation. */
  shown: 'whole' | 'host' | 'to members' | 'never'
  /** Whether Dogwatch removes the value from errors before storing them. It always removes the path and query of a URL. */
  isSecret: boolean
  /** Whether the value is an email address whose owner must confirm it before alerts go there. */
  isMailbox?: true
  isOptional?: true
  /** Allowed schemes of a URL, without the colon. Default: http and https. */
  schemes?: readonly string[]
  /** All allowed values, with the default first. The form lists them. */
  options?: readonly string[]
  /**
   * Maximum length in characters. Default: 2048 for a URL, 10,000 for lines and 200 for text. An email address has at most 254.
   */
  max?: number
  /** Required pattern, and the rule in words after the field name. Default: any line of text. */
  matches?: { pattern: RegExp; says: string }
  /** Returns a fault that the other rules of the field cannot find, worded to follow the field name, or undefined. */
  fault?(value: string): string | undefined
  /** Additional help text for the command-line option. */
  note?: string
}

/** Properties of a field with the URL of a receiver's server. Add `label` and `hint`. */
export const RECEIVER_URL = { input: 'url', shown: 'host', isSecret: false } as const satisfies Partial<Field>
/** Properties of a field with a secret, such as a token. */
export const SECRET_TEXT = { input: 'text', shown: 'never', isSecret: true } as const satisfies Partial<Field>
/** Properties of a field that only members see. */
export const MEMBERS_TEXT = { input: 'text', shown: 'to members', isSecret: false } as const satisfies Partial<Field>
/** Properties of an optional field with `options`. */
export const CHOICE = {
  input: 'text',
  shown: 'whole',
  isSecret: false,
  isOptional: true,
} as const satisfies Partial<Field>

export interface ChannelSettings extends MailSettings, Egress {
  /** Address of the ntfy server. Can contain userinfo. */
  ntfy_url: string
}

export interface HttpRequest {
  /** HTTP method. Default: POST. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  url: string
  /** Headers of the request. By default, they declare JSON. */
  headers?: Readonly<Record<string, string>>
  body: string
}

/** Field at fault, and the reason, which begins with a verb. */
export interface FieldFault {
  field: string
  must: string
}

type RequestOrFault = HttpRequest | { fault: string; is_ours?: true }

/** The response to a message. */
export interface HttpAnswer {
  status: number
  /** The part of the body that was read. */
  body: string
  /** Headers of the response. Their names are in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * The meaning of a response. `delivered` and `retry` are as in Outcome. `refused` means that the receiver would always refuse
 * this message. `gone` means that it wants no further messages, so the channel is disabled.
 */
export interface ResponseVerdict {
  is: 'delivered' | 'retry' | 'refused' | 'gone'
  /** Seconds that the receiver asks us to wait, if it does not use `Retry-After`. */
  retry_after_sec?: number
}

/** Sending with one HTTP request for each message. */
export interface HttpSending<Name extends string = string> {
  by: 'http'
  /**
   * Owner of the server. A receiver's server is dialled with a guard. The operator's server is trusted, and its faults are ours.
   */
  server: 'receiver' | 'operator'
  /** Builds the request. `fault` explains why nothing can be sent now, and must contain no secret. */
  request(dispatch: Dispatch<Name>, settings: ChannelSettings): RequestOrFault | Promise<RequestOrFault>
  /** Finds a reason in the body of a refusal. It must contain no secret. */
  explain?(body: string, status: number): string | undefined
  /** Returns the meaning of a response, or undefined if its status decides. Never receives redirects. */
  judge?(answer: HttpAnswer): ResponseVerdict | undefined
  /** A status that means that the receiver wants no further messages, so the channel is disabled. */
  gone?: number
}

/** Sending by other means than one HTTP request. */
export interface OtherSending<Name extends string = string> {
  by: 'other'
  server: 'receiver' | 'operator'
  open(settings: ChannelSettings): Channel<Name>
  /** Returns the text that the channel would send, which a test compares with golden.txt. If absent, tests need a test server. */
  render?(dispatch: Dispatch<Name>): string
}

export interface ChannelKind<Name extends string = string> {
  /** Name in the database and the account API. */
  name: string
  label: string
  /** Description for users who choose a kind. */
  about: string
  /** The smallest plan that includes the kind. */
  plan: 'free' | 'solo' | 'double' | 'team'
  /** Fields in the order of the form. The first one says where the channel leads. */
  fields: Readonly<Record<Name, Field>>
  /**
   * Whether the receiver opens and closes incidents by alerts. It must then get every alert: those over budget wait instead of
   * becoming a summary.
   */
  keepsIncidents?: true
  /**
   * Maximum number of alerts in one message, for kinds that people read. The receiver must accept a message with a line and a
   * link for each of them. Absent for receivers that need every alert by itself.
   */
  grouped?: number
  /**
   * Returns what would be sent for some events, or the fault. The form of a kind with this function has a preview button.
   * `org_id` is the organisation that bears the cost of the preview.
   */
  preview?(destination: Destination<Name>, org_id?: number): Promise<readonly Fact[] | { fault: FieldFault }>
  /**
   * Tries a destination whose fields are valid one by one, and returns the field at fault. `org_id` is the organisation that owns
   * the channel.
   */
  fault?(destination: Destination<Name>, org_id?: number): Promise<FieldFault | undefined>
  /** Returns the additional facts that the page of a channel shows. */
  facts?(destination: Destination<Name>): readonly Fact[]
  sending: HttpSending<Name> | OtherSending<Name>
  /** A realistic destination for tests. golden.json or golden.txt in the folder contains the messages sent there. */
  example: Destination<Name>
}

/** Returns the kind unchanged. The call only makes TypeScript infer the names of the kind's fields. */
export function defineKind<Name extends string>(kind: ChannelKind<Name>): ChannelKind<Name> {
  return kind
}
