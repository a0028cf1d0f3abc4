// Runs inside an agent: writes the results that a synced write has just put on disk to descriptor 4, as soon as the storage
// engine confirms the write.
import { writeSync } from 'node:fs'
import type { AbstractBatchOperation } from 'abstract-level'
import { ClassicLevel } from 'classic-level'

type Operation = AbstractBatchOperation<ClassicLevel, string, string>
type Batch = (this: ClassicLevel, operations: Operation[], options?: { sync?: boolean }) => Promise<void>

const prototype = ClassicLevel.prototype as unknown as { batch: Batch }
const { batch } = prototype

prototype.batch = async function (operations, options) {
  await batch.call(this, operations, options)
  if (options?.sync) writeSync(4, operations.map(lineOf).join(''))
}

function lineOf(operation: Operation): string {
  if (operation.type !== 'put') return ''
  const { check_guid, ran_at } = JSON.parse(operation.value) as { check_guid: string; ran_at: string }
  return `${check_guid} ${Date.parse(ran_at)}\n`
}
