// The operations on checks.
import type { operations } from '@dogwatch/contract/config'
import {
  changeConfiguredCheck,
  type CheckInput,
  type ConfiguredCheck,
  createConfiguredCheck,
  deleteConfiguredCheck,
  listConfiguredChecks,
  readConfiguredCheck,
  replaceConfiguredCheck,
  switchConfiguredCheck,
} from '../../domain/configuration/checks.ts'
import type { Configurator } from '../../domain/configuration/tokens.ts'
import type { Editor } from '../../domain/checks/pause-delete-wipe.ts'
import type { Deps } from '../../domain/deps.ts'
import { DomainError, FaultyFields } from '../../domain/errors.ts'
import { BODY, type ConfigAnswer, type ConfigInput, type Resource } from './contract.ts'
import { CONFIG_API } from './prefix.ts'
import { carryOut, type Made } from './repeat.ts'
import { etagOf, readIfMatch, toCheck } from './wire.ts'

type CheckAnswer = ReturnType<typeof toCheck>

/** Who is named in the audit log: the maker of the token, and the token. */
function editorOf({ org_id, person_id, email, name }: Configurator): Editor {
  return { org_id, actor: { person_id, email, impersonator_email: null, token: name } }
}

async function listChecks(deps: Deps, { caller, query, reply }: ConfigInput<'listChecks'>): ConfigAnswer<'listChecks'> {
  const { limit = 100, after, tag } = query
  const { checks, next } = await listConfiguredChecks(deps, caller.org_id, { limit, after, tag })
  return reply(200, { checks: checks.map(toCheck), ...(next !== undefined && { next }) })
}

async function getCheck(deps: Deps, { caller, path, reply }: ConfigInput<'getCheck'>): ConfigAnswer<'getCheck'> {
  const found = await readConfiguredCheck(deps, caller.org_id, path.guid)
  return reply(200, toCheck(found), { ETag: etagOf(found) })
}

async function createCheck(
  deps: Deps,
  { caller, body, header, reply }: ConfigInput<'createCheck'>,
): ConfigAnswer<'createCheck'> {
  const asked = { caller, key: header['Idempotency-Key'], asks: ['createCheck', body] }
  const made = await carryOut(deps, asked, async (inner) => {
    const check = await namingFields(() => createConfiguredCheck(inner, editorOf(caller), inputOf(body)))
    const { headers, ...rest } = madeOf(201, check)
    return { ...rest, headers: { ...headers, Location: `${CONFIG_API}/checks/${check.check.guid}` } }
  })
  return reply(201, made.body as CheckAnswer, made.headers as { ETag: string; Location: string })
}

async function replaceCheck(
  deps: Deps,
  { caller, path, body, header, reply }: ConfigInput<'replaceCheck'>,
): ConfigAnswer<'replaceCheck'> {
  const wanted = { input: inputOf(body), expected: readIfMatch(header['If-Match']) }
  const check = await namingFields(() => replaceConfiguredCheck(deps, editorOf(caller), path.guid, wanted))
  return reply(200, toCheck(check), { ETag: etagOf(check) })
}

async function changeCheck(
  deps: Deps,
  { caller, path, body, header, reply }: ConfigInput<'changeCheck'>,
): ConfigAnswer<'changeCheck'> {
  const wanted = { input: inputOf(body), expected: readIfMatch(header['If-Match']) }
  const check = await namingFields(() => changeConfiguredCheck(deps, editorOf(caller), path.guid, wanted))
  return reply(200, toCheck(check), { ETag: etagOf(check) })
}

async function deleteCheck(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'deleteCheck'>,
): ConfigAnswer<'deleteCheck'> {
  await deleteConfiguredCheck(deps, editorOf(caller), path.guid, readIfMatch(header['If-Match']))
  return reply(200, { guid: path.guid })
}

const pauseCheck = (deps: Deps, { reply, ...input }: ConfigInput<'pauseCheck'>): ConfigAnswer<'pauseCheck'> =>
  switchTo(deps, false, input).then(({ body, headers }) => reply(200, body as CheckAnswer, headers as { ETag: string }))

const resumeCheck = (deps: Deps, { reply, ...input }: ConfigInput<'resumeCheck'>): ConfigAnswer<'resumeCheck'> =>
  switchTo(deps, true, input).then(({ body, headers }) => reply(200, body as CheckAnswer, headers as { ETag: string }))

async function switchTo(
  deps: Deps,
  enabled: boolean,
  { caller, path, header }: Pick<ConfigInput<'pauseCheck'>, 'caller' | 'path' | 'header'>,
): Promise<Made> {
  const asks = [enabled ? 'resumeCheck' : 'pauseCheck', path.guid]
  return carryOut(deps, { caller, key: header['Idempotency-Key'], asks }, async (inner) =>
    madeOf(200, await switchConfiguredCheck(inner, editorOf(caller), path.guid, enabled)),
  )
}

function madeOf(status: number, check: ConfiguredCheck): Made {
  return { status, headers: { ETag: etagOf(check) }, body: toCheck(check) }
}

function inputOf(body: object): CheckInput {
  return body as CheckInput
}

/** Faults are named by the fields of the body, all in one line. */
async function namingFields<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FaultyFields)) throw error
    throw new DomainError('invalid', error.faults.map(({ field, must }) => `${field} ${must}`).join('; '))
  }
}

export const CHECKS = {
  listChecks,
  createCheck,
  getCheck,
  replaceCheck,
  changeCheck,
  deleteCheck,
  pauseCheck,
  resumeCheck,
} satisfies Partial<Resource<keyof operations>>

export const CHECK_BODIES = { createCheck: BODY, replaceCheck: BODY, changeCheck: BODY }
