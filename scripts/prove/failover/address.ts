// The address at which the servers find Postgres. It moves, like one that a cluster manager, a proxy or DNS controls.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import type { World } from '../../lab/world.ts'

export interface Address {
  readonly port: number
  /** Where new connections lead. Existing ones stay where they are. */
  moveTo(port: number): void
}

export async function openAddress(first: number, undo: World['undo']): Promise<Address> {
  let behind = first
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ port: behind, host: '127.0.0.1', noDelay: true })
    near.setNoDelay(true)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.resetAndDestroy())
      one.on('close', () => {
        open.delete(one)
        other.destroySoon()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve(undefined))
        for (const socket of open) socket.destroy()
      }),
  )
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: (port) => {
      behind = port
    },
  }
}
