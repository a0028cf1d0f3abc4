// Declares the contract of the monitor API, and the types of its callers.
import type { operations, security } from '@dogwatch/contract/monitor'
import type { Caller, Enrollment } from '@dogwatch/domain/monitors/monitor'
import type { Answer, HandlerInput } from '../implement.ts'

export interface MonitorContract {
  operations: operations
  security: security
}

// A type and not an interface, because only a type can be assigned to a record.
export type MonitorCallers = {
  monitorKey: Caller
  enrollmentToken: Enrollment
}

export type MonitorInput<Id extends keyof operations> = HandlerInput<operations[Id], MonitorCallers[security[Id]]>

export type MonitorAnswer<Id extends keyof operations> = Promise<Answer<operations[Id]>>
