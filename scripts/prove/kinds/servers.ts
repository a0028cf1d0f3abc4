// Lists real servers, one row each: how each is configured and started, and the checks whose outcomes are known.

export interface Place {
  folder: string
  ports: readonly number[]
  ca: string
  cert: string
  key: string
}

export interface ServerRow {
  server: string
  program: string
  /** User who runs the program. Absent for root. */
  user?: string
  /** Number of ports that it listens on. */
  ports: number
  /** Whether it listens for datagrams. Absent if it accepts connections. */
  isDatagram?: true
  /** Files of its folder. */
  files?: (place: Place) => Readonly<Record<string, string>>
  /** How it starts. Absent if the target is the kernel. */
  start?: {
    /** Commands to run before. */
    before?: (place: Place) => string[][]
    args: (place: Place) => string[]
  }
  /** Targets, each with the error that is wanted, or `ok`. */
  targets: (ports: readonly number[]) => (readonly [url: string, wanted: string | RegExp, how?: RunPlan])[]
}

/** How the agent runs a check. */
export interface RunPlan {
  /** More fields of the check. */
  fields?: Readonly<Record<string, unknown>>
  /** Command that runs the agent, which follows as its arguments. */
  within?: readonly string[]
  /** Whether the agent does not know the authority that issued the certificates. */
  isStranger?: true
}

/** Returns the fields of a check with one assertion. */
export function assert(assertion: object): { fields: Readonly<Record<string, unknown>> } {
  return { fields: { assertions: [assertion] } }
}

const HOST = '127.0.0.1'
const LOGIN = 'ana:hunter2'
const WRONG = 'ana:secret1'

export const SERVERS: readonly ServerRow[] = [
  {
    server: 'postfix',
    program: '/usr/lib/postfix/sbin/master',
    ports: 2,
    files: ({ folder, ports: [plain, secure], cert, key }) => ({
      'main.cf': `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
myhostname = mail.example
inet_interfaces = ${HOST}
smtpd_tls_cert_file = ${cert}
smtpd_tls_key_file = ${key}
smtpd_tls_security_level = may
`,
      'master.cf': `${plain} inet n - n - - smtpd
${secure} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
`,
    }),
    start: {
      before: ({ folder }) => [
        ['mkdir', '-p', ...['data', 'queue/pid', 'queue/public', 'queue/private'].map((name) => `${folder}/${name}`)],
        ['chown', 'postfix', `${folder}/data`, `${folder}/queue/public`, `${folder}/queue/private`],
      ],
      args: ({ folder }) => ['-c', folder, '-d'],
    },
    targets: ([plain, secure]) => [
      [`smtp://${HOST}:${plain}`, 'ok'],
      [`smtp://${HOST}:${plain}?starttls=yes`, 'ok'],
      [`smtps://${HOST}:${secure}`, 'ok'],
      [`smtp://${LOGIN}@${HOST}:${plain}`, /^protocol: the target refused the sign-in: 50\d /],
      [`smtp://${HOST}:${secure}`, /^timeout: while waiting for the greeting$/],
      [`smtps://${HOST}:${plain}`, 'tls: the target does not speak TLS'],
      [`imap://${HOST}:${plain}`, 'protocol: the response is not IMAP'],
      [
        `tcp://${HOST}:${plain}?expect=^220&send=EHLO%20x\\r\\n&expect=STARTTLS&send=STARTTLS\\r\\n&expect=^220&starttls=yes`,
        'ok',
      ],
    ],
  },
  {
    server: 'dovecot',
    program: '/usr/sbin/dovecot',
    ports: 4,
    files: ({ folder, ports: [imap, imaps, pop3, pop3s], cert, key }) => ({
      'dovecot.conf': `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = /dev/stderr
protocols = imap pop3
listen = ${HOST}
ssl = yes
ssl_cert = <${cert}
ssl_key = <${key}
disable_plaintext_auth = no
first_valid_uid = 1
passdb {
  driver = static
  args = password=hunter2
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail/%u
}
mail_location = maildir:${folder}/mail/%u
service imap-login {
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${imaps}
    ssl = yes
  }
}
service pop3-login {
  inet_listener pop3 {
    port = ${pop3}
  }
  inet_listener pop3s {
    port = ${pop3s}
    ssl = yes
  }
}
`,
    }),
    start: {
      before: ({ folder }) => [
        ['mkdir', '-p', `${folder}/mail`],
        ['chown', 'mail', `${folder}/mail`],
      ],
      args: ({ folder }) => ['-F', '-c', `${folder}/dovecot.conf`],
    },
    targets: ([imap, imaps, pop3, pop3s]) => [
      [`imap://${HOST}:${imap}`, 'ok'],
      [`imap://${LOGIN}@${HOST}:${imap}?starttls=yes`, 'ok'],
      [`imaps://${LOGIN}@${HOST}:${imaps}`, 'ok'],
      [`imaps://${WRONG}@${HOST}:${imaps}`, /^protocol: the target refused the sign-in: NO \[AUTHENTICATIONFAILED\]/],
      [`pop3://${HOST}:${pop3}`, 'ok'],
      [`pop3://${LOGIN}@${HOST}:${pop3}?starttls=yes`, 'ok'],
      [`pop3s://${LOGIN}@${HOST}:${pop3s}`, 'ok'],
      [`pop3s://${WRONG}@${HOST}:${pop3s}`, /^protocol: the target refused the sign-in: -ERR \[AUTH\]/],
    ],
  },
  {
    server: 'sshd',
    program: '/usr/sbin/sshd',
    ports: 1,
    files: ({ folder, ports: [port] }) => ({
      sshd_config: `ListenAddress ${HOST}\nPort ${port}\nHostKey ${folder}/host_key\nPidFile none\n`,
    }),
    start: {
      before: ({ folder }) => [
        ['mkdir', '-p', '/run/sshd'],
        ['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', `${folder}/host_key`],
      ],
      args: ({ folder }) => ['-D', '-e', '-f', `${folder}/sshd_config`],
    },
    targets: ([port]) => [
      [`ssh://${HOST}:${port}`, 'ok'],
      [`smtp://${HOST}:${port}`, 'protocol: the response is not SMTP'],
    ],
  },
  ...([false, true] as const).map(vsftpd),
  {
    server: 'redis',
    program: '/usr/bin/redis-server',
    ports: 2,
    start: {
      args: ({ folder, ports: [plain, secure], cert, key, ca }) => [
        ...['--port', String(plain), '--bind', HOST, '--requirepass', 'hunter2', '--save', '', '--dir', folder],
        ...['--tls-port', String(secure), '--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca],
        ...['--tls-auth-clients', 'no'],
      ],
    },
    targets: ([plain, secure]) => [
      [`redis://:hunter2@${HOST}:${plain}`, 'ok'],
      [`redis://default:hunter2@${HOST}:${plain}`, 'ok'],
      [`rediss://:hunter2@${HOST}:${secure}`, 'ok'],
      [`redis://:secret1@${HOST}:${plain}`, /^protocol: the target refused the sign-in: -WRONGPASS/],
      [`redis://${HOST}:${plain}`, /^protocol: the target refused PING: -NOAUTH/],
      [`tcp://${HOST}:${plain}?send=AUTH%20hunter2\\r\\n&expect=^.OK&send=PING\\r\\n&expect=PONG`, 'ok'],
    ],
  },
  {
    server: 'slapd',
    program: '/usr/sbin/slapd',
    ports: 2,
    files: ({ folder, cert, key, ca }) => ({
      'slapd.conf': `modulepath /usr/lib/ldap
moduleload back_mdb
include /etc/ldap/schema/core.schema
TLSCACertificateFile ${ca}
TLSCertificateFile ${cert}
TLSCertificateKeyFile ${key}
database mdb
suffix dc=example
rootdn cn=admin,dc=example
rootpw hunter2
directory ${folder}
`,
    }),
    start: {
      args: ({ folder, ports: [plain, secure] }) => [
        ...['-d', '0', '-f', `${folder}/slapd.conf`, '-h', `ldap://${HOST}:${plain} ldaps://${HOST}:${secure}`],
      ],
    },
    targets: ([plain, secure]) => [
      [`ldap://${HOST}:${plain}`, 'ok'],
      [`ldap://cn=admin,dc=example:hunter2@${HOST}:${plain}?starttls=yes`, 'ok'],
      [`ldaps://cn=admin,dc=example:hunter2@${HOST}:${secure}`, 'ok'],
      [
        `ldaps://cn=admin,dc=example:secret1@${HOST}:${secure}`,
        'protocol: the target refused the sign-in: invalidCredentials (49)',
      ],
    ],
  },
]

/** Returns the row of an FTP server, whose TLS begins at once or after a command. */
function vsftpd(isImplicit: boolean): ServerRow {
  return {
    server: isImplicit ? 'vsftpds' : 'vsftpd',
    program: '/usr/sbin/vsftpd',
    ports: 1,
    files: ({ ports: [port], cert, key }) => ({
      'vsftpd.conf': `listen=YES
background=NO
listen_address=${HOST}
listen_port=${port}
anonymous_enable=YES
local_enable=NO
secure_chroot_dir=/var/run/vsftpd/empty
seccomp_sandbox=NO
ssl_enable=YES
allow_anon_ssl=YES
implicit_ssl=${isImplicit ? 'YES' : 'NO'}
rsa_cert_file=${cert}
rsa_private_key_file=${key}
`,
    }),
    start: {
      before: () => [['mkdir', '-p', '/var/run/vsftpd/empty']],
      args: ({ folder }) => [`${folder}/vsftpd.conf`],
    },
    targets: ([port]) =>
      isImplicit
        ? [
            [`ftps://${HOST}:${port}`, 'ok'],
            [`ftps://anonymous:hunter2@${HOST}:${port}`, 'ok'],
          ]
        : [
            [`ftp://${HOST}:${port}`, 'ok'],
            [`ftp://${HOST}:${port}?starttls=yes`, 'ok'],
            [`ftp://anonymous:hunter2@${HOST}:${port}?starttls=yes`, 'ok'],
            [`ftp://${WRONG}@${HOST}:${port}?starttls=yes`, /^protocol: the target refused the sign-in: 530 /],
          ],
  }
}
