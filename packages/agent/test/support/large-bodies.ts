// A target with a lot to say: a mebibyte that ends after a while, or one whose bytes are chunks of their own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const END = 'the end'
const most = Buffer.alloc(1024 ** 2 - END.length, 'x')
const pieces = '1\r\nx\r\n'.repeat(10_000)

const server = createServer((req, res) => {
  if (req.url === '/slow') {
    res.write(most)
    setTimeout(() => res.end(END), 1000)
    return
  }
  const { socket } = req
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  const more = (): void => {
    while (!socket.destroyed && socket.write(pieces));
  }
  socket.on('drain', more)
  more()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
