import { type Bind, tmpfsSizes } from './layout.ts'
import type { Task } from './run.ts'
import { limitedCommand, type SandboxPlan, startScript } from './sandbox-start.ts'
import { systemCallFilter } from './system-calls.ts'

/**
 * Runs a task in a sandbox made by bubblewrap (bwrap(1), version 0.8 or newer). The task ends with the server and
 * cannot gain rights through setuid programs or make some calls of the kernel.
 */
export function bwrapTask(task: Task, parcel: SandboxPlan): Task {
  const { layout, view, programs, hasNetwork } = parcel
  const { cover } = layout
  const filter = systemCallFilter()
  const words = [
    ...['--unshare-user', '--disable-userns', '--unshare-ipc', '--unshare-pid', '--unshare-uts'],
    ...['--unshare-cgroup-try', ...(hasNetwork ? [] : ['--unshare-net'])],
    ...['--die-with-parent', '--cap-drop', 'ALL', ...(filter ? ['--seccomp', '3'] : [])],
    ...layout.system.flatMap(bound),
    ...layout.systemLinks.flatMap(linked),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', String(tmpfsSizes.shm), '--tmpfs', '/dev/shm'],
    ...['--perms', '1777', '--size', String(tmpfsSizes.tmp), '--tmpfs', '/tmp'],
    ...(cover ? ['--perms', '0755', '--size', String(tmpfsSizes.cover), '--tmpfs', cover] : []),
    ...layout.folders.flatMap((path) => ['--dir', path]),
    ...layout.parts.flatMap(bound),
    ...layout.masks.flatMap(masked),
    ...layout.links.flatMap(linked),
    ...(cover ? ['--remount-ro', cover] : []),
    // The superuser needs no capability to write kernel settings in /proc/sys, such as the handler of core dumps.
    ...['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', view.folder],
    ...['--', programs.sh, '-c', startScript(parcel), 'sh', ...limitedCommand(parcel, task)],
  ]
  return { ...task, program: programs.bwrap, name: 'bwrap', args: words, folder: '/', input: filter }
}

function bound({ path, source, isWritable }: Bind): string[] {
  return [isWritable ? '--bind' : '--ro-bind', source, path]
}

function masked(path: string): string[] {
  return ['--perms', '0000', '--size', String(tmpfsSizes.mask), '--tmpfs', path, '--remount-ro', path]
}

function linked({ path, target }: { path: string; target: string }): string[] {
  return ['--symlink', target, path]
}
