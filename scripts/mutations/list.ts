import { readFileSync } from 'node:fs'
import { inPage } from './in-page.ts'
import { inServer } from './in-server.ts'
import type { Mutation } from './mutation.ts'

/** Forty faults over all folders of the code. Each must make a test fail. */
export const mutations: readonly Mutation[] = [...inServer, ...inPage]

/** Why a fault cannot be put into its file, one sentence each: the code has changed since. */
export function problemsOf({ file, find, replace }: Mutation): string[] {
  const places = readFileSync(file, 'utf8').split(find).length - 1
  if (places === 1 && find !== replace) return []
  return [`${file}: this text occurs ${places} times, but must occur once and be changed:\n${find}`]
}
