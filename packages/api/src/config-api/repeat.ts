// Makes sure that a request with an Idempotency-Key is carried out only once, even if a client repeats it.
import { createHash } from 'node:crypto'
import { once, type RepeatableAnswer, wasCarriedOut } from '@dogwatch/domain/configuration/together'
import type { Configurator } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import { isStorable } from '@dogwatch/domain/text'
import { seal, unseal } from '@dogwatch/runtime/sealed'

export interface RepeatableRequest {
  caller: Configurator
  /** Value of the header `Idempotency-Key`. */
  key: string | undefined
  /** Identity of the request: its operation, path and body. */
  asks: readonly unknown[]
  /**
   * Whether the response contains a secret that is stored nowhere else. It is then stored so that only the same token can read it.
   */
  isSealed?: boolean
}

/** Response of an operation, before it is sent. */
export interface OperationResult {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** Whether a request with this key has already been carried out. */
export async function isAnswered(
  deps: Deps,
  { caller, key }: Pick<RepeatableRequest, 'caller' | 'key'>,
): Promise<boolean> {
  if (key === undefined || !isStorable(key)) return false
  const { org_id, token_id } = caller
  return wasCarriedOut(deps, { org_id, token_id, idempotency_key: key })
}

/**
 * Carries out a request, unless one with the same key was carried out before: then returns the stored response. Without a key,
 * always carries it out.
 */
export async function carryOut(
  deps: Deps,
  { caller, key, asks, isSealed = false }: RepeatableRequest,
  work: (inner: Deps) => Promise<OperationResult>,
): Promise<OperationResult> {
  if (key === undefined) return work(deps)
  if (!isStorable(key)) throw new DomainError('invalid', 'idempotency-key must not contain invalid Unicode')
  const request_hash = createHash('sha256').update(JSON.stringify(asks)).digest()
  const { org_id, token_id } = caller
  const { body, ...answer } = await once(
    deps,
    { org_id, token_id, idempotency_key: key, request_hash },
    async (inner) => {
      const { body, ...made } = await work(inner)
      const text = JSON.stringify(body)
      const kept = isSealed ? seal(caller.answer_key, text, deps.random) : text
      return { ...made, body: kept } satisfies RepeatableAnswer
    },
  )
  return { ...answer, body: JSON.parse(isSealed ? unseal(caller.answer_key, body) : body) as unknown }
}
