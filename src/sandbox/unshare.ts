import { posix } from 'node:path'
import { mountsOf } from '#src/files/paths/remote-mounts.ts'
import { type Bind, tmpfsSizes } from './layout.ts'
import type { Task } from './run.ts'
import {
  limitedCommand,
  type Programs,
  reportChangeScript,
  type SandboxPlan,
  shellQuote,
  startScript,
} from './sandbox-start.ts'

// The path of the host's disk, and of the new root, while the sandbox is built.
const host = '/old'
const built = '/new'
const base = 'size=16m,mode=755,nosuid,nodev'
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const systemNames = [
  'bin',
  'sbin',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'usr',
  'etc',
  'proc',
  'dev',
  'nix',
  'gnu',
]
// With these files, the superuser could change the kernel without any capability.
const kernelSettings = 'sys sysrq-trigger irq bus fs acpi scsi asound driver mtrr latency_stats timer_stats'

/**
 * Runs a task in a sandbox made by the tools of util-linux, in the same way as bubblewrap: new namespaces, a root
 * built of mounts, and a second user namespace inside, which cannot change the mounts.
 */
export function unshareTask(task: Task, parcel: SandboxPlan): Task {
  const { programs, hasNetwork } = parcel
  const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--ipc', '--uts']
  const words = [
    // When the server ends, unshare is killed, then the first process of the namespace, and with it all others.
    ...['--pdeathsig', 'KILL', '--', programs.unshare, '--fork', '--kill-child', ...namespaces],
    ...(hasNetwork ? [] : ['--net']),
    ...['--', programs.sh, '-c', script(parcel), 'sh', ...limitedCommand(parcel, task)],
  ]
  return { ...task, program: programs.setpriv, name: 'setpriv', args: words, folder: '/' }
}

function script(parcel: SandboxPlan): string {
  const { layout, view, programs } = parcel
  const { cover, folders, links } = layout
  const { mount, umount, mkdir, ln, pivot_root: pivot } = programs
  const nodes = devices.map((name) => node(`/dev/${name}`))
  const parts = [...layout.parts, ...nodes]
  const linked = (link: { path: string; target: string }) =>
    `${ln} -s ${shellQuote(link.target)} ${shellQuote(built + link.path)}`
  return [
    'set -e',
    // Links keep the programs of the host at the same paths while its disk is moved aside.
    `${mount} -t tmpfs -o ${base} tmpfs /tmp && cd /tmp && ${mkdir} old new`,
    ...systemNames.map((name) => `if [ -e /${name} ]; then ${ln} -s old/${name} ${name}; fi`),
    `${pivot} . old && cd / && ${mount} -t tmpfs -o ${base} tmpfs new`,
    makePlaces(mkdir, [...layout.system, ...['/proc', '/dev', '/tmp'].map(folder)]),
    ...layout.systemLinks.map(linked),
    mountAll(mount, [...layout.system.map(bind), ...kernelMounts]),
    // `cover` and its parts may be inside a folder that was mounted just now.
    ...(cover ? [makePlaces(mkdir, [folder(cover)]), mountAll(mount, [tmpfs(cover, tmpfsSizes.cover)])] : []),
    makePlaces(mkdir, [...parts, ...[...folders, '/dev/shm'].map(folder)]),
    `{ ${mountAll(mount, [...parts.map(bind), ...layout.masks.map(mask), tmpfs('/dev/shm', tmpfsSizes.shm, '1777')])} 2> /dev/null; } || ${reportChangeScript}`,
    ...[...links, { path: '/dev/fd', target: '/proc/self/fd' }].map(linked),
    // Allows only the one namespace that is made below. No further one can be made inside it.
    `echo 1 > ${built}/proc/sys/user/max_user_namespaces`,
    sealKernel(mount),
    `cd ${built} && ${pivot} . . && ${umount} -l . && cd /`,
    ...[...layout.system, ...layout.parts].flatMap((one) => inner(one).map((line) => `${mount} ${line}`)),
    ...['/dev', '/', ...(cover ? [cover] : []), ...layout.masks].map(
      (path) => `${mount} -o remount,bind,ro ${shellQuote(path)}`,
    ),
    // `cd` exports OLDPWD.
    `cd ${shellQuote(view.folder)}; unset OLDPWD`,
    `${unprivileged(programs)} ${programs.sh} -c ${shellQuote(startScript(parcel))} sh "$@"`,
    // The shell stays, because the first process of a namespace ignores signals and the program should receive them.
    'exit $?',
  ].join('\n')
}

function unprivileged({ unshare, setpriv }: Programs): string {
  const [user, group] = [process.getuid?.(), process.getgid?.()]
  const caps = '--no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all'
  return `${unshare} --user --map-user=${user} --map-group=${group} -- ${setpriv} ${caps} --`
}

type Place = Pick<Bind, 'path' | 'isFolder'>

function folder(path: string): Place {
  return { path, isFolder: true }
}

function node(path: string): Bind {
  return { path, source: path, isFolder: false, isWritable: true }
}

/** Makes the folders and the empty files that are used as mount points. */
function makePlaces(mkdir: string, places: readonly Place[]): string {
  const folders = new Set(places.map(({ path, isFolder }) => built + (isFolder ? path : posix.dirname(path))))
  const files = places
    .filter(({ isFolder }) => !isFolder)
    .map(({ path }) => `: > ${shellQuote(built + path)}`)
  return [`${mkdir} -p -- ${[...folders].map(shellQuote).join(' ')}`, ...files].join('\n')
}

/** One line of fstab(5). */
type Line = readonly [source: string, path: string, type: string, options: readonly string[]]

const kernelMounts: readonly Line[] = [
  ['proc', `${built}/proc`, 'proc', ['nosuid', 'nodev', 'noexec']],
  ['tmpfs', `${built}/dev`, 'tmpfs', ['size=64k', 'mode=755', 'nosuid']],
  tmpfs('/tmp', tmpfsSizes.tmp, '1777'),
]

function tmpfs(path: string, size: number, mode = '755'): Line {
  return ['tmpfs', built + path, 'tmpfs', [`size=${size}`, `mode=${mode}`, 'nosuid', 'nodev']]
}

function mask(path: string): Line {
  return tmpfs(path, tmpfsSizes.mask, '000')
}

function bind({ path, source, isWritable }: Bind): Line {
  const isDevice = path.startsWith('/dev/')
  const mountOptions = keptOptions(mountsOf(source)[0]?.options ?? [], isWritable)
  return [
    host + source,
    built + path,
    'none',
    [isDevice ? 'bind' : 'rbind', ...mountOptions, ...(isDevice ? [] : ['nodev'])],
  ]
}

/** Remounts what is mounted below a shown folder, because each such mount has options of its own. */
function inner({ path, source, isWritable }: Bind): string[] {
  return mountsOf(source)
    .slice(1)
    .map(({ place, options }) => {
      const mountOptions = ['remount', 'bind', 'nodev', ...keptOptions(options, isWritable)]
      return `-o ${mountOptions.join()} ${shellQuote(path + place.slice(source.length))}`
    })
}

/** A user namespace cannot remove the mount restrictions of the host (user_namespaces(7)), so they are repeated. */
function keptOptions(options: readonly string[], isWritable: boolean): string[] {
  const isReadOnly = !isWritable || options.includes('ro')
  return ['nosuid', ...(isReadOnly ? ['ro'] : []), ...(options.includes('noexec') ? ['noexec'] : [])]
}

/** Makes all mounts with one program, because each program start takes a millisecond. */
function mountAll(mount: string, lines: readonly Line[]): string {
  const table = lines.map(([source, path, type, options]) =>
    [source, path, type, options.join()].map(escaped).join(' '),
  )
  return `printf '%s\\n' ${shellQuote(table.join('\n'))} > /table && ${mount} -a -T /table`
}

/**
 * Makes the kernel settings in /proc read-only. The rest of /proc stays writable, because the second user namespace
 * is set up through it.
 */
function sealKernel(mount: string): string {
  const line = `'${built}/proc/%s ${built}/proc/%s none bind,ro 0 0\\n'`
  const each = `if [ -e ${built}/proc/$name ]; then printf ${line} $name $name; fi`
  return `for name in ${kernelSettings}; do ${each}; done > /table && ${mount} -a -T /table`
}

/** Writes field separators as octal numbers (fstab(5)). */
function escaped(field: string): string {
  return field.replace(/[ \t\n\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
