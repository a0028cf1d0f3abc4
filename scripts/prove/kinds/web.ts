// Lists the servers of the web, like servers.ts: nginx, and the npm packages that serve WebSockets and gRPC.
import { assert, type ServerRow } from './servers.ts'

const HOST = '127.0.0.1'
const NO_TLS = 'tls: the target does not speak TLS'
const UNTRUSTED = 'tls: the issuer of the certificate is unknown'

export const WEB: readonly ServerRow[] = [
  {
    server: 'nginx',
    program: '/usr/sbin/nginx',
    ports: 2,
    files: ({ folder, ports: [plain, secure], cert, key }) => ({
      'nginx.conf': `daemon off;
pid ${folder}/pid;
error_log stderr;
events { }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen ${HOST}:${plain};
    listen ${HOST}:${secure} ssl;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    location / { return 200 'all is well'; }
    location /json { return 200 '{"state":"up"}'; }
    location /moved { return 302 /; }
    location /loop { return 302 /loop; }
    location /none { return 404; }
  }
}
`,
    }),
    start: { args: ({ folder }) => ['-c', `${folder}/nginx.conf`] },
    targets: ([plain, secure]) => [
      [`http://${HOST}:${plain}/moved`, 'ok', { fields: { match_string: 'all is well' } }],
      [`https://${HOST}:${secure}/json`, 'ok', assert({ on: 'json', at: '$.state', is: 'eq', value: 'up' })],
      [`http://${HOST}:${plain}/none`, 'status: the status is 404'],
      [`http://${HOST}:${plain}/loop`, /^redirect: /],
      [`http://${HOST}:${plain}/`, /^match: /, { fields: { match_string: 'all is lost' } }],
      [`http://${HOST}:${secure}/`, 'status: the status is 400'],
      [`https://${HOST}:${plain}/`, NO_TLS],
      [`https://${HOST}:${secure}/`, UNTRUSTED, { isStranger: true }],
      [`tls://${HOST}:${secure}`, 'ok', assert({ on: 'certificate', at: 'days_left', is: 'gt', value: 20 })],
      [`tls://${HOST}:${secure}`, /^cert_expiry: /, { fields: { cert_expiry_warn_days: 60 } }],
      [`tls://${HOST}:${secure}`, UNTRUSTED, { isStranger: true }],
      [`tls://${HOST}:${plain}`, NO_TLS],
    ],
  },
  {
    server: 'ws',
    program: process.execPath,
    ports: 2,
    files: ({ ports, cert, key }) => ({
      'server.mjs': `import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { WebSocketServer } from 'ws'
const tls = { cert: readFileSync('${cert}'), key: readFileSync('${key}') }
const servers = [http.createServer(), https.createServer(tls)]
for (const [n, server] of servers.entries()) {
  const sockets = new WebSocketServer({ server, path: '/echo' })
  sockets.on('connection', (socket) => socket.on('message', (text) => socket.send('echo: ' + text)))
  server.listen([${ports.join()}][n], '${HOST}')
}
`,
    }),
    start: { before: () => [npmInstall('ws')], args: () => ['server.mjs'] },
    targets: ([plain, secure]) => [
      [`ws://${HOST}:${plain}/echo`, 'ok'],
      [`ws://${HOST}:${plain}/echo`, 'ok', { fields: { post_data: 'hello', match_string: 'echo: hello' } }],
      [`wss://${HOST}:${secure}/echo`, 'ok', { fields: { post_data: 'hello', match_string: 'echo: hello' } }],
      [
        `ws://${HOST}:${plain}/echo`,
        /^match: /,
        { fields: { post_data: 'hello', match_string: 'bye', timeout_sec: 1 } },
      ],
      [`ws://${HOST}:${plain}/echo`, /^timeout: /, { fields: { match_string: 'x', timeout_sec: 1 } }],
      [`ws://${HOST}:${plain}/`, 'http: the status is 400 instead of 101, so there is no WebSocket'],
      [`ws://${HOST}:${secure}/echo`, /^reset: /],
      [`wss://${HOST}:${plain}/echo`, NO_TLS],
      [`wss://${HOST}:${secure}/echo`, UNTRUSTED, { isStranger: true }],
    ],
  },
  {
    server: 'grpc-js',
    program: process.execPath,
    ports: 2,
    files: ({ ports, cert, key }) => ({
      'server.cjs': `const { readFileSync } = require('node:fs')
const { Server, ServerCredentials } = require('@grpc/grpc-js')
const { HealthImplementation } = require('grpc-health-check')
const tls = { cert_chain: readFileSync('${cert}'), private_key: readFileSync('${key}') }
for (const [n, port] of [${ports.join()}].entries()) {
  const server = new Server()
  new HealthImplementation({ '': 'SERVING', 'shop.Orders': 'SERVING', 'shop.Stock': 'NOT_SERVING' }).addToServer(server)
  const credentials = n === 0 ? ServerCredentials.createInsecure() : ServerCredentials.createSsl(null, [tls])
  server.bindAsync('${HOST}:' + port, credentials, (error) => { if (error) throw error })
}
`,
    }),
    start: { before: () => [npmInstall('@grpc/grpc-js', 'grpc-health-check')], args: () => ['server.cjs'] },
    targets: ([plain, secure]) => [
      [`grpc://${HOST}:${plain}`, 'ok'],
      [`grpc://${HOST}:${plain}/shop.Orders`, 'ok', assert({ on: 'grpc_health', is: 'eq', value: 'SERVING' })],
      [`grpcs://${HOST}:${secure}/shop.Orders`, 'ok'],
      [`grpc://${HOST}:${plain}/shop.Stock`, 'protocol: the service is NOT_SERVING'],
      [`grpc://${HOST}:${plain}/nosuch`, 'protocol: the server does not know the service (NOT_FOUND)'],
      [`grpc://${HOST}:${secure}`, /^(?:reset|protocol): /],
      [`grpcs://${HOST}:${plain}`, NO_TLS],
      [`grpcs://${HOST}:${secure}`, UNTRUSTED, { isStranger: true }],
    ],
  },
]

/** Returns the command that installs packages into the folder of a server. */
function npmInstall(...packages: readonly string[]): string[] {
  return ['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', ...packages]
}
