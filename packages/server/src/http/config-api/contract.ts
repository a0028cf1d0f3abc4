// The configuration API's contract, and the caller of its security scheme.
import type { operations, security } from '@dogwatch/contract/config'
import type { Configurator } from '../../domain/configuration/tokens.ts'
import type { Answer, HandlerInput } from '../implement.ts'

export interface ConfigContract {
  operations: operations
  security: security
}

// A type and not an interface: it must be assignable to a record.
export type ConfigCallers = {
  configurationToken: Configurator
}

export type ConfigInput<Id extends keyof operations> = HandlerInput<operations[Id], Configurator>
export type ConfigAnswer<Id extends keyof operations> = Promise<Answer<operations[Id]>>
