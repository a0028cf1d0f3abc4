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
  header: { 'Idempotency-Key'?: string | undefined }
  /** Identity of the request: its operation, path and body. */
  asks: readonly unknown[]
  /**
   * Whether the response contains a secret that is stored nowhere else. It is then stored so that only the same token can read it.
   */
  isSealed?: boolean
}

/** Response of an operation, before it is sent. */
export interface OperationResult<Body, Headers extends object = object> {
  /** Default: 200. */
  status?: number
  headers?: Headers
  body: Body
}

/** Whether a request with this key has already been carried out. */
export async function isAnswered(
  deps: Deps,
  { caller, header: { 'Idempotency-Key': key } }: Pick<RepeatableRequest, 'caller' | 'header'>,
): Promise<boolean> {
  if (key === undefined || !isStorable(key)) return false
  const { org_id, token_id } = caller
  return wasCarriedOut(deps, { org_id, token_id, idempotency_key: key })
}

/**
 * Carries out a request, unless one with the same key was carried out before: then returns the stored response. Without a key,
 * always carries it out.
 */
export async function carryOut<Body, Headers extends object = object>(
  deps: Deps,
  { caller, header: { 'Idempotency-Key': key }, asks, isSealed = false }: RepeatableRequest,
  work: (inner: Deps) => Promise<OperationResult<Body, Headers>>,
): Promise<{ headers: Headers; body: Body }> {
  if (key === undefined) {
    const { headers, body } = await work(deps)
    return { headers: headers ?? ({} as Headers), body }
  }
  if (!isStorable(key)) throw new DomainError('invalid', 'idempotency-key must not contain invalid Unicode')
  const request_hash = createHash('sha256').update(JSON.stringify(asks)).digest()
  const { org_id, token_id } = caller
  const { headers, body } = await once(
    deps,
    { org_id, token_id, idempotency_key: key, request_hash },
    async (inner) => {
      const { status = 200, headers: made = {}, body } = await work(inner)
      const text = JSON.stringify(body)
      const kept = isSealed ? seal(caller.answer_key, text, deps.random) : text
      return { status, headers: made as Record<string, string>, body: kept } satisfies RepeatableAnswer
    },
  )
  // Requests with the same key and hash are for the same operation, whose responses have one type.
  return { headers: headers as Headers, body: JSON.parse(isSealed ? unseal(caller.answer_key, body) : body) as Body }
}
