import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#src/config/config.ts'
import { loadConfig } from '#src/config/load.ts'
import { options } from '#src/config/options/options.ts'
import { fromFlags } from '#src/config/sources.ts'
import { entryOf } from '#src/core/lookup.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { neededDescriptors } from '#src/files/space/descriptors.ts'
import { canSendDatagrams } from '#src/lifecycle/datagram.ts'

/**
 * Returns a systemd unit that runs this program with the given flags and the minimum of permissions. The service runs
 * as the owner of the root. For a root that belongs to the superuser, it runs as the user `coffer`.
 *
 * @throws StartupProblem when `serve` would refuse the flags, or when one of them is a secret.
 */
export async function systemdUnit(argv: readonly string[], program: readonly string[]): Promise<string> {
  const given = fromFlags(argv)
  for (const key of ['password', 'recaptchaSecret'] as const) {
    const secret = given.get(key)
    // Every user of the machine can read a unit file.
    if (secret) {
      throw new StartupProblem(
        `${secret.from} would be readable for every user in the unit: put it in the file of --config.`,
      )
    }
  }
  const read = await loadConfig(argv, {})
  const owner = statSync(read.root)
  // The state moves when no path was given and the service could not write it beside the root.
  const movesState = read.database === `${read.root}.coffer.json` && !mayReplace(read.database, owner.uid)
  const database = movesState ? `${stateFolder}/${path.basename(read.database)}` : read.database
  const config = { ...read, database }
  const absolute: Record<string, unknown> = {
    ...config,
    config: path.resolve(given.get('config')?.text ?? ''),
  }
  const flags = options.flatMap(({ key, flag, parser: { nativeType: native } }) => {
    const text = given.get(key)?.text ?? (key === 'root' || key === 'database' ? '.' : undefined)
    if (text === undefined) return []
    const isPath = pathKeys.has(key) && text !== ''
    return [`--${flag}=${native === undefined && isPath ? entryOf(absolute, key) : text}`]
  })
  return [
    ...header(read, config, owner.uid),
    '[Unit]',
    'Description=Coffer, a web file manager',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    ...notification(),
    `ExecStart=${[...program, 'serve', ...flags].map(quoted).join(' ')}`,
    '# Loads the certificate again and opens the log file again.',
    'ExecReload=/bin/kill -HUP $MAINPID',
    ...(owner.uid ? [`User=${owner.uid}`, `Group=${owner.gid}`] : ['User=coffer', 'Group=coffer']),
    ...(movesState ? ['StateDirectory=coffer', 'StateDirectoryMode=0700'] : []),
    ...service(config, program, movesState),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')
}

/**
 * How systemd learns that Coffer is ready and not blocked. `notify-reload` would need systemd 253; `notify` works with
 * every version, and Coffer reports reloading in both.
 */
function notification(): string[] {
  if (!canSendDatagrams()) return ['Type=exec']
  return [
    'Type=notify',
    'NotifyAccess=main',
    '# Restarts Coffer when it is blocked for a minute.',
    'WatchdogSec=60',
  ]
}

// More than all connections need by default. The rest is for downloads, uploads and archives.
const defaultFiles = 65_536

const stateFolder = '/var/lib/coffer'
const pathKeys = new Set<string>(['root', 'database', 'config', 'cert', 'key', 'socket', 'cacheDir', 'log'])

function header(read: Config, { root, database }: Config, uid: number): string[] {
  const lines = ['# coffer systemd … | sudo tee /etc/systemd/system/coffer.service']
  if (!uid) {
    lines.push('# The superuser owns the root folder. Create a user for Coffer and make it the owner:')
    lines.push(`# sudo useradd --system coffer && sudo chown -R coffer: ${quoted(root)}`)
  }
  if (read.database !== database && existsSync(read.database)) {
    const beside = read.database.replace(/\.json$/, '.*')
    lines.push(`# Move the existing state: sudo mkdir -p ${stateFolder} && sudo mv ${beside} ${stateFolder}/`)
  }
  return [...lines, '# sudo systemctl enable --now coffer', '']
}

/** Whether a user may replace the state file, which needs a new file in the same folder. */
function mayReplace(database: string, uid: number): boolean {
  const folder = path.dirname(database)
  return uid !== 0 && statSync(folder).uid === uid
}

function service(config: Config, program: readonly string[], movesState: boolean): string[] {
  const paths = [
    config.root,
    path.dirname(config.database),
    config.socket && path.dirname(config.socket),
    config.cacheDir,
  ]
  const log = path.isAbsolute(config.log) ? path.dirname(config.log) : undefined
  const writable = [...new Set([...paths, log])].filter((place): place is string => place !== undefined)
  // systemd makes the folder of `StateDirectory=` writable itself.
  const isInState = (place: string) => movesState && `${place}/`.startsWith(`${stateFolder}/`)
  const visible = [...writable, ...program]
  const hasPathBelow = (folder: string) => visible.some((each) => `${each}/`.startsWith(`${folder}/`))
  const needsLowPort = !config.socket && config.port > 0 && config.port < 1024
  const capability = needsLowPort ? 'CAP_NET_BIND_SERVICE' : ''
  return [
    'Restart=on-failure',
    '# Exit code 2: Coffer refused to start. Its message in the journal says what to change.',
    'RestartPreventExitStatus=2',
    `TimeoutStopSec=${Math.ceil(config.stopTimeoutMs / 1000) + 20}`,
    `LimitNOFILE=${Math.max(defaultFiles, neededDescriptors(config.connections))}`,
    '# For files that commands create. Others get the modes of --file-mode and --dir-mode, or of the settings.',
    'UMask=0027',
    `ReadWritePaths=${writable
      .filter((place) => !isInState(place))
      .map(quoted)
      .join(' ')}`,
    'NoNewPrivileges=yes',
    `CapabilityBoundingSet=${capability}`,
    `AmbientCapabilities=${capability}`,
    'ProtectSystem=strict',
    `ProtectHome=${hasPathBelow('/home') || hasPathBelow('/root') || hasPathBelow('/run/user') ? 'read-only' : 'yes'}`,
    `PrivateTmp=${hasPathBelow('/tmp') || hasPathBelow('/var/tmp') ? 'no' : 'yes'}`,
    'PrivateDevices=yes',
    'ProtectProc=invisible',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectKernelModules=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'RemoveIPC=yes',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
    '# A replaced file keeps its group. To also keep the owners and access lists of other users, add CAP_CHOWN and',
    '# CAP_FOWNER to CapabilityBoundingSet and AmbientCapabilities.',
    'SystemCallFilter=@chown',
    ...(usesSandbox(config) ? sandboxLines : strictLines),
    'SystemCallErrorNumber=EPERM',
    '# V8 generates machine code at run time.',
    'MemoryDenyWriteExecute=no',
  ]
}

function usesSandbox({ enableExec, staticgen, execWithoutSandbox }: Config): boolean {
  return (enableExec || staticgen !== undefined) && !execWithoutSandbox
}

const strictLines = [
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelTunables=yes',
  'RestrictNamespaces=yes',
]

// A new /proc can be mounted in a user namespace only when nothing is mounted over parts of the present one
// (user_namespaces(7)). The options that are off here would mount over it.
const sandboxLines = [
  '# The sandbox for commands and for the generator of the website needs namespaces, mounts and its own /proc. In it, kernel settings are read-only.',
  'ProtectHostname=no',
  'ProtectKernelLogs=no',
  'ProtectKernelTunables=no',
  'RestrictNamespaces=cgroup ipc mnt net pid user uts',
  'SystemCallFilter=@mount capset',
]

/**
 * Quotes one argument of a unit's command, with the special characters of systemd escaped (systemd.service, "Command
 * lines").
 */
function quoted(word: string): string {
  const plain = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `"${plain.replaceAll('\n', '\\n')}"`
}
