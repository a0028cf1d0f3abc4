// Probes an mqtt:// or mqtts:// target: connects to the broker, and waits for a message if the check names a topic.
import { randomBytes } from 'node:crypto'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import { converse } from '../byte-reader.ts'
import { connectTo } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { DISCONNECT, MESSAGE_MAX_BYTES, PacketReader, writeConnect, writeSubscribe } from './packets.ts'

const LIMITS = { protocol: 'MQTT', max_bytes: 4 * MESSAGE_MAX_BYTES } as const

export const probeMqtt: Probe<'mqtt' | 'mqtts'> = (attempt, target, check) => {
  const { scheme, host, port, topic } = target
  const { insecure_skip_verify: may_be_anyone = false } = check
  const { isEnough } = attempt.bounds
  const secure = { name: host, may_be_anyone, shows_certificate: true }
  const endpoint = { host, port, answers: true, ...(SCHEMES[scheme].isTls ? { secure } : {}) }
  connectTo(attempt, endpoint, (socket) =>
    converse(attempt, socket, LIMITS, async (bytes) => {
      const packets = new PacketReader(bytes)
      socket.write(writeConnect({ ...target, client: target.client || `dogwatch-${randomBytes(6).toString('hex')}` }))
      await packets.accepted()
      if (topic === '') {
        socket.write(DISCONNECT)
        return attempt.finish()
      }
      socket.write(writeSubscribe(topic))
      attempt.enter('first_byte')
      let last = ''
      // If no message that the rule accepts comes in time, the run judges the last message that came.
      attempt.onTimeout = () => last
      for (;;) {
        const { text, isCut } = await packets.message()
        last = text
        if (isEnough && !isEnough(text) && !isCut) continue
        socket.write(DISCONNECT)
        return attempt.finish(text, isCut ? { read: '64 KiB' } : {})
      }
    }),
  )
}
