// Declares the contract of the configuration API, and the caller of its security scheme.
import type { operations, security } from '@dogwatch/contract/config'
import type { Configurator } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import type { Answer, HandlerInput, Handlers } from '../implement.ts'

export interface ConfigContract {
  operations: operations
  security: security
}

// A type and not an interface, because only a type can be assigned to a record.
export type ConfigCallers = {
  configurationToken: Configurator
}

export type ConfigInput<Id extends keyof operations> = HandlerInput<operations[Id], Configurator>

/** Handlers of the operations on one kind of item, before the gate that makes them wait for their turn. */
export type Resource<Id extends keyof operations> = {
  readonly [One in Id]: (deps: Deps, input: ConfigInput<One>) => Promise<Answer<operations[One]>>
}

/** Handlers of some operations. */
export type SomeHandlers = Partial<Resource<keyof operations>>

export type ConfigHandlers = Handlers<ConfigContract, ConfigCallers>
