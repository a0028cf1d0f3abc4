// What a kind of channel is. Each has a folder here, and no other code but the registry names it. The document of the
// account API may.
import type { MailSettings } from '../runtime/mail.ts'
import type { Channel, Destination, Dispatch, Fact } from './channel.ts'
import type { Egress } from './egress.ts'

/** A part of a destination. Its name is that in the database, the account API and forms, and makes the option of the command. */
export interface Field {
  label: string
  /** What people are told under the label. */
  hint: string
  /** `url`: http or https, unless `schemes` says otherwise; `lines`: a text of several lines. Each is judged by rules of its own. */
  input: 'text' | 'email' | 'url' | 'lines'
  /** What pages show of it. `to members`: not to an operator who looks at the pages of somebody else. */
  shown: 'whole' | 'host' | 'to members' | 'never'
  /** Cut out of errors before they are stored. The path and the query of a url always are. */
  isSecret: boolean
  /** A mail address whose owner has to confirm it before alerts go there. */
  isMailbox?: true
  isOptional?: true
  /** Of a url, without the colon. Left out: http and https. */
  schemes?: readonly string[]
  /** The only values there are, the first being the default; the form has a list of them. */
  options?: readonly string[]
  /** In characters; left out, 2048 for a url, 10,000 for lines and 200 for text. An email address has at most 254. */
  max?: number
  /** What it must match instead of being any line of text, and how that is said after its name. */
  matches?: { pattern: RegExp; says: string }
  /** What else is wrong with a value, said after its name. */
  fault?(value: string): string | undefined
  /** What the option of the command says more. */
  note?: string
}

export interface ChannelSettings extends MailSettings, Egress {
  /** May carry userinfo. */
  ntfy_url: string
}

export interface HttpRequest {
  /** Left out: POST. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET'
  url: string
  /** Left out: that the body is JSON. */
  headers?: Readonly<Record<string, string>>
  body: string
}

/** Field at fault, and the reason, which begins with a verb. */
export interface FieldFault {
  field: string
  must: string
}

type Requested = HttpRequest | { fault: string; is_ours?: true }

/** What came back for a message. */
export interface HttpAnswer {
  status: number
  /** As much of it as was read. */
  body: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * `delivered`, `retry`: as Outcome has them. `refused`: the same message would always be refused. `gone`: the receiver wants
 * no more messages, ever, and the channel is switched off.
 */
export interface Verdict {
  is: 'delivered' | 'retry' | 'refused' | 'gone'
  /** How long the receiver asks to be left alone, where it does not say so in `Retry-After`. */
  retry_after_sec?: number
}

/** One request a message. */
export interface HttpSending<Name extends string = string> {
  by: 'http'
  /** Whose server it goes to: that of a receiver is dialled with a guard, that of the operator is trusted, and its trouble is ours. */
  server: 'receiver' | 'operator'
  /** `fault`: why there is nothing that could be sent now. It must hold no secret. */
  request(dispatch: Dispatch<Name>, settings: ChannelSettings): Requested | Promise<Requested>
  /** Finds a reason in the body of a refusal. It must hold no secret. */
  explain?(body: string, status: number): string | undefined
  /** What an answer means, where that is not what its status says: undefined leaves it to the status. Redirects never come here. */
  judge?(answer: HttpAnswer): Verdict | undefined
  /** A status by which the receiver says that it wants no more messages, ever: the channel is switched off. */
  gone?: number
}

/** A way of its own, for what is not one request. */
export interface OtherSending<Name extends string = string> {
  by: 'other'
  server: 'receiver' | 'operator'
  open(settings: ChannelSettings): Channel<Name>
  /** What is sent, for golden.txt; left out, a test server has to take it. */
  render?(dispatch: Dispatch<Name>): string
}

export interface ChannelKind<Name extends string = string> {
  /** As it stands in the database and the account API. */
  name: string
  label: string
  /** What people are told who choose a kind. */
  about: string
  /** The smallest plan that has it. */
  plan: 'free' | 'solo' | 'double' | 'team'
  /** In the order of the form. The first says where it leads. */
  fields: Readonly<Record<Name, Field>>
  /**
   * Its receiver opens and closes incidents by what it is told, so every alert has to arrive: those over budget wait, instead
   * of becoming a summary.
   */
  keepsIncidents?: true
  /**
   * Maximum number of alerts in one message, for kinds that people read: so many lines with a link each fit. Absent for receivers that
   * need every alert by itself.
   */
  grouped?: number
  /**
   * What would be sent for some events, or why it could not be; its form then has a button that shows it. `org_id`: for whom; those share
   * what it costs.
   */
  preview?(destination: Destination<Name>, org_id?: number): Promise<readonly Fact[] | { fault: FieldFault }>
  /** Tries a destination whose fields are right one by one, and returns the field at fault. `org_id`: its owner. */
  fault?(destination: Destination<Name>, org_id?: number): Promise<FieldFault | undefined>
  /** What its page says more. */
  facts?(destination: Destination<Name>): readonly Fact[]
  sending: HttpSending<Name> | OtherSending<Name>
  /** A destination such as people have it, for tests: golden.json or golden.txt beside it has what is sent there. */
  example: Destination<Name>
}

/** A kind whose parts know its fields by name. */
export function defineKind<Name extends string>(kind: ChannelKind<Name>): ChannelKind<Name> {
  return kind
}
