// Probes an mqtt:// or mqtts:// target: connects to the broker, and waits for a message if the check names a topic.
import { randomBytes } from 'node:crypto'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import { converse, MESSAGE_MAX_BYTES, untilEnough } from '../byte-reader.ts'
import { connectTo, securityOf } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { DISCONNECT, PacketReader, writeConnect, writeSubscribe } from './packets.ts'

const LIMITS = { protocol: 'MQTT', max_bytes: 4 * MESSAGE_MAX_BYTES } as const

export const probeMqtt: Probe<'mqtt' | 'mqtts'> = (attempt, target, check) => {
  const { scheme, host, port, topic } = target
  const secure = SCHEMES[scheme].isTls ? { secure: securityOf(host, check) } : {}
  connectTo(attempt, { host, port, answers: true, ...secure }, (socket) =>
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
      const end = (): boolean => socket.write(DISCONNECT)
      await untilEnough(attempt, () => packets.message(), end)
    }),
  )
}
