// Exchanges datagrams with the first of several peers that responds. A datagram can be lost, so it is sent several times.
import { createSocket, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { Attempt } from './attempt.ts'
import { alternating } from './connect-first.ts'
import { faultOfAddress, findAddresses } from './lookup.ts'

export interface Peer {
  address: string
  port: number
}

/** One try of a request: the datagram to send, and how to recognise its response. */
export interface DatagramRequest<Response> {
  bytes: Uint8Array
  /** Reads a response. Returns undefined for a datagram that is no response to this request. Throws if the peer failed. */
  read: (datagram: Buffer) => Response | undefined
}

export interface DatagramExchange<Response> {
  peers: readonly Peer[]
  /** Returns the request of a new try. */
  request: () => DatagramRequest<Response>
  onResponse: (response: Response, peer: Peer) => void
  /** Called with the last error once all peers have failed with an error. A peer that stays silent has not failed. */
  onError: (error: unknown) => void
}

/** Maximum number of datagrams of a request. */
const TRIES_MAX = 4
/** Maximum wait for a response before the next datagram, in milliseconds. */
const NEXT_TRY_MS = 2000
/** Maximum number of datagrams from a peer that are not the response. */
const STRAY_MAX = 64

/** Starts an exchange. The caller must destroy it when the attempt ends. */
export function exchangeDatagrams<Response>(
  attempt: Attempt,
  { peers, request, onResponse, onError }: DatagramExchange<Response>,
): { destroy: () => void } {
  const sockets = new Set<Socket>()
  const failed = new Set<Peer>()
  const interval_ms = Math.min(NEXT_TRY_MS, attempt.bounds.timeout_ms / (TRIES_MAX + 1))
  let tries = 0
  let timer: NodeJS.Timeout | undefined
  const destroy = (): void => {
    clearTimeout(timer)
    for (const socket of sockets) socket.close()
    sockets.clear()
  }

  const fail = (peer: Peer, socket: Socket, error: unknown): void => {
    if (!sockets.delete(socket)) return
    socket.close()
    failed.add(peer)
    if (failed.size === peers.length) {
      destroy()
      return onError(error)
    }
    if (sockets.size === 0) sendNext()
  }

  const sendNext = (): void => {
    clearTimeout(timer)
    const usable = peers.filter((peer) => !failed.has(peer))
    const peer = usable[tries % usable.length]
    if (!peer || tries >= Math.max(TRIES_MAX, peers.length)) return
    tries += 1
    const socket = createSocket(`udp${familyOf(peer.address)}`)
    sockets.add(socket)
    let strays = 0
    let read: DatagramRequest<Response>['read'] = () => undefined
    const onMessage = (datagram: Buffer): void => {
      if (!sockets.has(socket)) return
      try {
        const response = read(datagram)
        if (response !== undefined) {
          destroy()
          return onResponse(response, peer)
        }
      } catch (error) {
        return fail(peer, socket, error)
      }
      strays += 1
      if (strays >= STRAY_MAX && sockets.delete(socket)) socket.close()
    }
    socket.on('message', attempt.guarded(onMessage))
    socket.on(
      'error',
      attempt.guarded((error) => fail(peer, socket, error)),
    )
    // Connects the socket, so that it accepts only datagrams from its peer, and reports a closed port.
    const onConnect = (error?: Error): void => {
      if (error) return fail(peer, socket, error)
      if (!sockets.has(socket)) return
      const sent = request()
      read = sent.read
      socket.send(sent.bytes)
    }
    socket.connect(peer.port, peer.address, attempt.guarded(onConnect))
    timer = setTimeout(attempt.guarded(sendNext), interval_ms)
  }

  sendNext()
  return { destroy }
}

/** Returns the version of IP of an address, which can name a zone. */
export function familyOf(address: string): 4 | 6 {
  return isIP(address.replace(/%.*$/s, '')) === 6 ? 6 : 4
}

/** Maximum number of addresses of a name to send datagrams to. */
const PEERS_MAX = 4

/** Looks up a host, and calls back with its addresses as peers. The attempt ends if the probe may contact none of them. */
export function findPeers(
  attempt: Attempt,
  { host, port }: { host: string; port: number },
  onFound: (peers: Peer[]) => void,
): void {
  const family = isIP(host)
  if (family !== 0) {
    const fault = faultOfAddress(attempt, host)
    if (fault) return attempt.fail(fault)
    return onFound([{ address: host, port }])
  }
  findAddresses(attempt, host, (addresses) => {
    const usable = alternating(addresses).slice(0, PEERS_MAX)
    onFound(usable.map(({ address }) => ({ address, port })))
  })
}
