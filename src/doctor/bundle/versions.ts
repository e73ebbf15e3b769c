import { arch, availableParallelism, freemem, platform, release, totalmem, uptime } from 'node:os'
import { isExecutable, isPrecompiled } from '#src/core/embedded.ts'
import { version } from '#src/core/version.ts'
import { mountAt } from '#src/files/paths/remote-mounts.ts'
import { bytesText } from '../findings/finding.ts'
import type { Subject } from '../findings/subject.ts'

/** The versions of the programs, and the kind of machine and disks. Nothing that identifies them. */
export function describeVersions({ config, file, cacheFolder, server }: Subject): string {
  const disk = (path: string) => {
    const { type = 'unknown', options = [] } = mountAt(path) ?? {}
    return `${type}${options.includes('ro') ? ', read-only' : ''}`
  }
  const facts = {
    Coffer: `${version}, ${isExecutable ? 'executable' : 'from source'}`,
    'compiled at': isPrecompiled ? 'the build' : 'each start',
    'checked by': server ? 'the running server' : 'the command, while no server runs',
    'Node.js': process.version,
    system: `${platform()} ${release()} ${arch()}`,
    processors: String(availableParallelism()),
    memory: `${bytesText(freemem())} free of ${bytesText(totalmem())}`,
    'memory of this process': bytesText(process.memoryUsage().rss),
    'machine runs for': `${Math.floor(uptime() / 3600)} h`,
    'process runs for': `${Math.floor(process.uptime() / 60)} min`,
    superuser: process.geteuid?.() === 0 ? 'yes' : 'no',
    'disk of the served folder': disk(config.root),
    'disk of the state': disk(file),
    'disk of the cache': disk(cacheFolder),
  }
  return Object.entries(facts)
    .map(([name, fact]) => `${name}: ${fact}`)
    .join('\n')
}
