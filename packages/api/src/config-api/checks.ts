// Handles the operations on checks.
import { CHECK, switchConfiguredCheck } from '@dogwatch/domain/configuration/checks'
import type { Deps } from '@dogwatch/domain/deps'
import { BODY, type ConfigAnswer, type ConfigInput } from './contract.ts'
import { carryOut, type OperationResult } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

type CheckAnswer = ReturnType<typeof CHECK.toWire>

const pauseCheck = (deps: Deps, { reply, ...input }: ConfigInput<'pauseCheck'>): ConfigAnswer<'pauseCheck'> =>
  switchTo(deps, false, input).then(({ body, headers }) => reply(200, body as CheckAnswer, headers as { ETag: string }))

const resumeCheck = (deps: Deps, { reply, ...input }: ConfigInput<'resumeCheck'>): ConfigAnswer<'resumeCheck'> =>
  switchTo(deps, true, input).then(({ body, headers }) => reply(200, body as CheckAnswer, headers as { ETag: string }))

async function switchTo(
  deps: Deps,
  enabled: boolean,
  { caller, path, header }: Pick<ConfigInput<'pauseCheck'>, 'caller' | 'path' | 'header'>,
): Promise<OperationResult> {
  const asks = [enabled ? 'resumeCheck' : 'pauseCheck', path.guid]
  return carryOut(deps, { caller, key: header['Idempotency-Key'], asks }, async (inner) =>
    madeOf(200, CHECK, await switchConfiguredCheck(inner, editorOf(caller), path.guid, enabled), caller),
  )
}

export const CHECKS = {
  ...resourceOf(CHECK, {
    plural: 'checks',
    id: 'guid',
    operations: {
      list: 'listChecks',
      create: 'createCheck',
      read: 'getCheck',
      replace: 'replaceCheck',
      change: 'changeCheck',
      remove: 'deleteCheck',
    },
  }),
  pauseCheck,
  resumeCheck,
}

export const CHECK_BODIES = { createCheck: BODY, replaceCheck: BODY, changeCheck: BODY }
