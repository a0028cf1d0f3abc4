// Declares the contract of the account API, and the type of caller for each security scheme.
import type { operations, security } from '@dogwatch/contract/account'
import type { Reader } from '@dogwatch/domain/organisations/personal-tokens'
import type { Answer, HandlerInput } from '../implement.ts'

export interface AccountContract {
  operations: operations
  security: security
}

// A type and not an interface, because only a type can be assigned to a record.
export type AccountCallers = {
  personalAccessToken: Reader
}

export type AccountInput<Id extends keyof operations> = HandlerInput<operations[Id], Reader>
export type AccountAnswer<Id extends keyof operations> = Promise<Answer<operations[Id]>>
