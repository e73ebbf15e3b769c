import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { loadConfig } from './load.ts'

/** A root and configuration files beside it. */
function createRoot(t: Test, files: Record<string, string> = {}) {
  const folder = t.testdir({ files: {}, ...files })
  return { root: path.join(folder, 'files'), at: (name: string) => path.join(folder, name) }
}

async function refusal(argv: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const error = await loadConfig(argv, env).catch((error) => error)
  if (!(error instanceof StartupProblem)) throw new Error(`${argv.join(' ')} was not refused`)
  return error.message
}

t.test(
  'without arguments, serves the working folder on 127.0.0.1:8080, with the state beside it',
  async (t) => {
    const { root } = createRoot(t)
    t.match(await loadConfig(['--root', root], {}), {
      root,
      address: '127.0.0.1',
      port: 8080,
      baseUrl: '',
      database: `${root}.coffer.json`,
      log: 'stdout',
      username: 'admin',
      password: undefined,
      socketPerm: 0o660,
      tokenExpirationMs: 7_200_000,
      enableExec: false,
      trustedProxy: [],
    })
    t.equal((await loadConfig([], {})).root, process.cwd())
  },
)

t.test('a flag overrides the environment, the environment the file, and the file the default', async (t) => {
  const { root, at } = createRoot(t, { 'coffer.json': '{"port": 1, "address": "a", "logFormat": "json"}' })
  const argv = ['--root', root, '-c', at('coffer.json'), '--port=3']
  const config = await loadConfig(argv, { COFFER_PORT: '2', COFFER_ADDRESS: 'b' })
  t.match(config, { port: 3, address: 'b', logFormat: 'json', username: 'admin' })
  t.ok(Object.isFrozen(config))
})

t.test('reads the same keys from JSON, YAML and TOML, in any case and with or without dashes', async (t) => {
  const { root, at } = createRoot(t, {
    'a.json':
      '{"baseURL": "files/", "noauth": true, "trusted-proxy": ["10.0.0.0/8", "::1"], "token-expiration": "1h30m"}',
    'b.yaml': 'base-url: /files\nnoauth: true\ntrustedProxy: [10.0.0.0/8, "::1"]\ntoken_expiration: 90m\n',
    'c.toml':
      'baseurl = "/files"\nnoauth = true\ntrusted-proxy = "10.0.0.0/8, ::1"\ntokenExpirationTime = "5400s"\n',
  })
  for (const name of ['a.json', 'b.yaml', 'c.toml']) {
    t.match(
      await loadConfig(['--root', root, '--config', at(name)], {}),
      {
        baseUrl: '/files',
        noauth: true,
        trustedProxy: ['10.0.0.0/8', '::1'],
        tokenExpirationMs: 5_400_000,
      },
      name,
    )
  }
})

t.test('accepts the flags and variables of File Browser, and recommends the new variables', async (t) => {
  const { root } = createRoot(t)
  const advice: string[] = []
  const argv = ['-r', root, '-p9000', '-a', '0.0.0.0', '--baseURL', '/b', '-l', '']
  const config = await loadConfig(
    argv,
    { FB_USERNAME: 'root', FB_PASSWORD: '$2a$10$x', FB_PORT: '1' },
    (line) => advice.push(line),
  )
  t.match(config, {
    port: 9000,
    address: '0.0.0.0',
    baseUrl: '/b',
    log: '',
    username: 'root',
    password: '$2a$10$x',
  })
  t.match(advice.join('\n'), 'FB_USERNAME still works, but its name in Coffer is COFFER_USERNAME.')
})

t.test('warns about an unknown variable, with the nearest name', async (t) => {
  const { root } = createRoot(t)
  const warnings: string[] = []
  const env = {
    COFFER_ROOT: root,
    COFFER_PASWORD: 'x',
    COFFER_TRUSTEDPROXY: '10.0.0.1',
    COFFER_SOMETHING_ELSE: '1',
    COFFER_PORT_80_TCP_ADDR: '10.0.0.2',
    COFFER_SERVICE_HOST: '10.0.0.2',
    OTHER_PASWORD: 'x',
  }
  await loadConfig([], env, (line) => warnings.push(line))
  t.strictSame(warnings, [
    'Coffer ignores the unknown variable COFFER_PASWORD: did you mean COFFER_PASSWORD?',
    'Coffer ignores the unknown variable COFFER_TRUSTEDPROXY: did you mean COFFER_TRUSTED_PROXY?',
    'Coffer ignores the unknown variable COFFER_SOMETHING_ELSE: coffer --help lists all variables.',
  ])
})

t.test('refuses an invalid option with a message that names its source', async (t) => {
  const { root, at } = createRoot(t, {
    file: '',
    'bad.json': '{',
    'unknown.yaml': 'prot: 80\n',
    'type.toml': 'port = true\n',
    'digits.yaml': 'password: 12345\n',
    'list.json': '[]',
    'coffer.ini': '',
  })
  const inFile = (name: string) => ['--root', root, '--config', at(name)]
  const cases: [string[], RegExp, NodeJS.ProcessEnv?][] = [
    [['--rot', root], /^Unknown flag --rot: coffer --help/],
    [['-x'], /^Unknown flag -x/],
    [['--root'], /^--root needs a value: --root FOLDER\.$/],
    [['--root', '--port', '80'], /^--root needs a value/],
    [['somewhere'], /^somewhere does not belong to a flag/],
    [['--root', at('nowhere')], /nowhere does not exist: create it/],
    [['--root', at('file')], /file is not a folder/],
    [['--root', '/'], /^The root \/ has no parent folder for the state file: .*--database/],
    [['--root', root, '--port', '65536'], /^--port must be a number from 0 to 65535/],
    [['--root', root], /^COFFER_PORT must be a number/, { COFFER_PORT: 'tcp://10.0.0.1:80' }],
    [['--root', root, '--noauth=maybe'], /^--noauth must be true or false/],
    [['--root', root, '--token-expiration', '2 hours'], /^--token-expiration must be a duration/],
    [['--root', root, '--token-expiration', '0s'], /duration from 1s/],
    [['--root', root, '--baseurl', 'https://a.b/c'], /^--baseurl must be the path of a URL/],
    [['--root', root, '--baseurl', '/a/../b'], /^--baseurl must be/],
    [
      ['--root', root, '--baseurl', '/api'],
      /^--baseurl must be .* not begin with \/api, .*; it is "\/api"\.$/,
    ],
    [['--root', root, '--trusted-proxy', '10.0.0.0/33'], /^--trusted-proxy must be IP addresses or ranges/],
    [['--root', root, '--socket-perm', '999'], /^--socket-perm must be a file mode/],
    [['--root', root, '--log-format', 'xml'], /^--log-format must be text or json/],
    [['--root', root, '--cert', at('file')], /^--cert needs a private key: set --key too\.$/],
    [['--root', root, '--key', at('file')], /^--key needs a certificate/],
    [['--root', root, '--cert', at('file'), '--key', at('file')], /cannot be used as --cert and --key/],
    [['--root', root, '--socket', at('s'), '--port', '80'], /^--socket and --port cannot be used together/],
    [['--root', root, '--socket', at('s')], /^--socket and COFFER_ADDRESS cannot/, { COFFER_ADDRESS: '::' }],
    [['--root', root, '--auth-header', 'a b'], /^--auth-header must be the name of an HTTP header/],
    [['--root', root, '--auth-header', 'X-User'], /^--auth-header needs a trusted proxy/],
    [
      ['--root', root, '--auth-header', 'X-User', '--trusted-proxy', '::1', '--noauth'],
      /^--auth-header and --noauth cannot be used together/,
    ],
    [['--root', root, '--recaptcha-key', 'k'], /^--recaptcha-key needs a secret/],
    [['--root', root, '--recaptcha-secret', 's'], /^--recaptcha-secret needs a site key/],
    [['--root', root, '--recaptcha-host', 'http://a.example'], /^--recaptcha-host must be a URL with https/],
    [['--root', root, '--recaptcha-host', 'https://a.example/x'], /^--recaptcha-host must be/],
    [['--root', root, '--recaptcha-host', 'https://a;b.example'], /^--recaptcha-host must be/],
    [['--root', root, '--recaptcha-host', 'a.example'], /^--recaptcha-host must be/],
    [['--root', root, '--clamd-all'], /^--clamd-all needs a scanner/],
    [['--root', root, '--clamd', 'clamd.ctl'], /^--clamd must be the path of a socket, /],
    [inFile('missing.json'), /missing\.json cannot be read \(ENOENT\): check --config/],
    [inFile('bad.json'), /bad\.json cannot be parsed/],
    [inFile('unknown.yaml'), /^Unknown key prot in .*unknown\.yaml/],
    [inFile('type.toml'), /^port in .*type\.toml must be a number/],
    [inFile('digits.yaml'), /^password in .*digits\.yaml must be text in quotes\.$/],
    [inFile('list.json'), /must contain keys and values/],
    [inFile('coffer.ini'), /must end in \.json, \.yaml, \.yml or \.toml/],
  ]
  for (const [argv, sentence, env] of cases) t.match(await refusal(argv, env), sentence, argv.join(' '))
})

t.test('reads the options for a trusted proxy header and for the captcha at sign-in', async (t) => {
  const { root, at } = createRoot(t)
  const proxyArgs = ['-r', root, '--auth-header', 'X-Remote-User']
  t.match(await loadConfig([...proxyArgs, '--trusted-proxy', '10.0.0.1'], {}), {
    authHeader: 'x-remote-user',
  })
  t.match(await loadConfig([...proxyArgs, '--socket', at('s')], {}), { authHeader: 'x-remote-user' })
  const keys = { COFFER_RECAPTCHA_KEY: 'site', COFFER_RECAPTCHA_SECRET: 'hush' }
  t.match(await loadConfig(['-r', root], keys), {
    recaptchaHost: 'https://www.google.com',
    recaptchaKey: 'site',
    recaptchaSecret: 'hush',
  })
  for (const host of ['http://127.0.0.1:80', 'http://localhost:8000/', 'https://Check.Example/']) {
    const { recaptchaHost } = await loadConfig(['-r', root, '--recaptcha-host', host], {})
    t.equal(recaptchaHost, new URL(host).origin)
  }
})

t.test('warns about --noauth on an address that others can reach', async (t) => {
  const { root, at } = createRoot(t)
  const warnings: string[] = []
  const load = (...words: string[]) => loadConfig(['-r', root, ...words], {}, (line) => warnings.push(line))
  for (const words of [['--socket', at('s')], [], ['--address', '::1'], ['--address', 'localhost']])
    await load('--noauth', ...words)
  await load('--address', '0.0.0.0')
  t.strictSame(warnings, [])
  await load('--noauth', '--address', '0.0.0.0')
  t.match(warnings, ['--noauth makes everyone who can reach 0.0.0.0'])
})

t.test('reads the certificate and its key at start', async (t) => {
  const { root, at } = createRoot(t)
  const files = ['-keyout', at('key.pem'), '-out', at('cert.pem')]
  execFileSync(
    systemTool('openssl'),
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...files],
    {
      stdio: 'ignore',
    },
  )
  const config = await loadConfig(['-r', root, '-t', at('cert.pem'), '-k', at('key.pem')], {})
  t.match(config, { cert: at('cert.pem'), key: at('key.pem') })
  writeFileSync(at('key.pem'), 'damaged')
  t.match(await refusal(['-r', root, '-t', at('cert.pem'), '-k', at('key.pem')]), /check the files/)
})
