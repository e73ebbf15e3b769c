import { isAbsolute, join } from 'node:path'
import { rejectUnresponsive } from '#src/files/paths/remote-mounts.ts'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import { removeModeBits, statOwn } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

interface Guarded {
  path: string
  what: string
  /** The bits that no other user may have. */
  bits: number
  /** Whether Coffer created the file, so that `--fix` may change it. */
  isOwn: boolean
}

/** Checks that other users of the machine cannot read the secrets of Coffer, nor change its files. */
export async function checkModes({ config, file, folder }: Subject): Promise<CheckFinding[]> {
  if (process.platform === 'win32') return []
  const { key, configFile, log, cacheDir } = config
  const own = (path: string, what: string, bits = 0o077): Guarded => ({ path, what, bits, isOwn: true })
  const others = (path: string | undefined, what: string, bits: number): Guarded[] =>
    path === undefined ? [] : [{ path, what, bits, isOwn: false }]
  const all: Guarded[] = [
    ...['', '.bak', '.aside', '.spare', '.new', '.bak.new'].map((suffix) =>
      own(file + suffix, suffix === '' ? 'state file' : 'copy of the state'),
    ),
    ...['', '-wal', '-shm', '.spare'].map((suffix) => own(join(folder, `history.db${suffix}`), 'history')),
    own(folder, 'folder of the state'),
    ...['sessions', 'parts', 'uploads', 'clock', 'site'].map((name) =>
      own(join(folder, name), 'folder of the state'),
    ),
    // A group may read the log and the key: logrotate and ssl-cert use such groups.
    ...(isAbsolute(log) ? [own(log, 'log', 0o027)] : []),
    ...others(key, 'private key of the certificate', 0o037),
    ...others(configFile, 'configuration file', 0o022 | (mayHoldPassword(config) ? 0o007 : 0)),
    ...others(cacheDir, 'cache folder', 0o022),
  ]
  const found: CheckFinding[] = []
  for (const guarded of all) {
    await rejectUnresponsive(guarded.path, guarded.path)
    found.push(...(await checkMode(guarded)))
  }
  return found.length > 0
    ? found
    : [fine('modes', 'Other users of this machine cannot read the secrets of Coffer.')]
}

function mayHoldPassword({ password, recaptchaSecret }: Subject['config']): boolean {
  return password !== undefined || recaptchaSecret !== undefined
}

async function checkMode({ path, what, bits, isOwn }: Guarded): Promise<CheckFinding[]> {
  const stats = await statOwn(path)
  if (!stats || !(stats.isFile() || stats.isDirectory()) || (stats.mode & bits) === 0) return []
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  const better = (stats.mode & 0o777 & ~bits).toString(8).padStart(4, '0')
  const isReadable = (stats.mode & bits & 0o055) !== 0
  const text = `Other users of this machine can ${isReadable ? 'read' : 'change'} the ${what} ${path} (mode ${mode}).`
  const mayFix = isOwn && stats.uid === process.geteuid?.()
  const level = (stats.mode & bits & 0o007) !== 0 ? 'error' : 'warning'
  return [
    finding(`modes.${what.replaceAll(' ', '-')}`, level, text, {
      names: [path],
      lines: { shell: `chmod ${better} ${path}` },
      ...(mayFix && {
        fix: 'mode' as const,
        apply: async () => {
          await removeModeBits(path, bits, stats)
          return `Changed the mode of ${path} from ${mode} to ${better}.`
        },
      }),
    }),
  ]
}
