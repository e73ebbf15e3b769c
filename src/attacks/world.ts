import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Permissions } from '#contract/users.ts'
import { noPermissions } from '#src/state/defaults.ts'

/** Content that must never be disclosed: a file outside the served folder, one that a rule denies, and one of bob. */
export const canaries = { outside: 'OUTSIDE-CANARY', rule: 'RULE-CANARY', bob: 'BOB-CANARY' } as const

const editor: Partial<Permissions> = {
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

/** The users of every attack, besides the administrator `admin`. */
export const users = {
  alice: { scope: '/alice', perm: { ...noPermissions, ...editor } },
  bob: { scope: '/bob', perm: { ...noPermissions, ...editor } },
  creator: { scope: '/alice', perm: { ...noPermissions, create: true } },
  ro: { scope: '/alice', perm: { ...noPermissions, download: true } },
  nodl: { scope: '/alice', perm: { ...noPermissions, ...editor, share: false, download: false } },
  noperm: { scope: '/alice', perm: { ...noPermissions } },
  team1: { scope: '/team', perm: { ...noPermissions, ...editor } },
  team2: { scope: '/team', perm: { ...noPermissions, ...editor } },
} as const

/** The user who sends a request. The empty name sends it without signing in. */
export type UserName = keyof typeof users | 'admin' | ''

/** Files to create: text, or a folder. */
export interface Folder {
  [name: string]: string | Folder
}

/** The content of the served folder. */
export const tree: Folder = {
  alice: {
    'pub.txt': 'public',
    docs: {
      'public.txt': 'public',
      private: { 'secret.txt': canaries.rule, 's.srt': canaries.rule },
      sub: {},
    },
    'docs-old': { 'x.txt': 'old' },
    '.hidden': { conf: 'hidden' },
    pics: { 'a.jpg': 'picture' },
    'movie.mkv': 'film',
    Subs: { 'movie.srt': '1\n00:00:00,000 --> 00:00:01,000\nhello\n' },
  },
  bob: { 'secret.txt': canaries.bob, 'a.txt': 'of bob' },
  team: { 'a.txt': 'of the team' },
}

/** The content of the folder beside it. */
export const outsideTree: Folder = {
  'secret.txt': canaries.outside,
  'victim.txt': canaries.outside,
  's.srt': canaries.outside,
  f: canaries.outside,
  deep: { 'secret.txt': canaries.outside },
}

/** Lists everything at and below some folders, one line per entry: path, mode, and hash or link target. */
export function manifest(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    pathsBelow(folder).map((path) => {
      const stats = lstatSync(path)
      const content = stats.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('base64')
        : stats.isSymbolicLink() && readlinkSync(path)
      return `${path} ${stats.mode.toString(8)} ${content || ''}`
    }),
  )
}

/** Every path below a folder, each folder before its content. Symbolic links are not followed. */
export function pathsBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...pathsBelow(path)] : [path]
  })
}

/** Deletes a folder and creates it again with these files. */
export function plant(folder: string, files: Folder): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) {
    if (typeof content === 'string') writeFileSync(join(folder, name), content)
    else plant(join(folder, name), content)
  }
}
