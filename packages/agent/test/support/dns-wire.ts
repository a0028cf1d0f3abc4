// Reads questions for names, and writes answers, as they go over the wire.

const TYPE_A = 1

/** An address for who asks for one of IPv4, none for who asks for another; null: there is no such name. */
export function answerTo(question: Buffer, address: string | null): Buffer {
  // Whatever comes after the question is not repeated.
  const end = question.indexOf(0, 12) + 5
  const isAsked = address !== null && question.readUInt16BE(end - 4) === TYPE_A
  const answer = Buffer.from(question.subarray(0, end))
  answer.writeUInt16BE(address === null ? 0x8583 : 0x8580, 2)
  answer.set([0, 1, 0, isAsked ? 1 : 0, 0, 0, 0, 0], 4)
  if (!isAsked) return answer
  const record = [0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]
  return Buffer.concat([answer, Buffer.from(record)])
}

/** After a header of 12 bytes: labels, each with its length before it. */
export function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)))
  }
  return labels.join('.')
}
