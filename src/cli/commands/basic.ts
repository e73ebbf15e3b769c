import { loadConfig } from '#src/config/load.ts'
import { embeddedFile } from '#src/core/embedded.ts'
import { StartupProblem } from '#src/core/problem.ts'
import { version } from '#src/core/version.ts'
import { takeServiceManager } from '#src/lifecycle/service-manager.ts'
import { readPassword } from '../parsing/read-password.ts'
import type { Subcommand } from '../parsing/subcommand.ts'
import { systemdUnit } from './systemd.ts'
import { socketUnit } from './systemd-socket.ts'

// Not an option of `serve`, which parses the other flags.
const socketFlag = '--socket-unit'

/** The commands that work without a state. */
export const basicCommands: Readonly<Record<string, Subcommand>> = {
  serve: {
    usage: '[flags]',
    sentence: 'Serves a folder. This is the default command.',
    reads: 'options',
    run: async ({ all }, { env, stdin, warn, print, isTerminal }) => {
      // Before anything starts another program, which must not get these variables.
      const manager = takeServiceManager(env, process.pid)
      const config = await loadConfig(all, env, warn)
      // Imported only here: the other subcommands start faster without it and need no native add-on.
      const { serve } = await import('#src/start/main.ts')
      await serve(config, { print, isTerminal, manager, hasTerminal: stdin.isTTY })
    },
  },
  hash: {
    usage: '[PASSWORD]',
    sentence:
      'Prints the hash of a password, for --password. Without PASSWORD, reads the first line of standard input.',
    words: [0, 1],
    run: async ({ words }, { print, warn, stdin }) => {
      const plain = await readPassword(words[0], stdin)
      const { passwordWarning: weaknessOf } = await import('#src/users/password-policy.ts')
      const weakness = weaknessOf(plain, '')
      if (weakness) warn(weakness)
      const { hashPassword } = await import('#src/core/access/passwords.ts')
      print(await hashPassword(plain))
    },
  },
  systemd: {
    usage: '[flags]',
    sentence: 'Prints a hardened systemd unit that runs coffer serve with these flags.',
    flags: {
      'socket-unit': {
        description: 'Prints the unit of a socket instead, on which systemd listens for the service.',
      },
    },
    reads: 'options',
    run: async ({ all }, { print, command: program }) => {
      const flags = all.filter((word) => word !== socketFlag)
      print(flags.length < all.length ? await socketUnit(flags) : await systemdUnit(flags, program))
    },
  },
  licences: {
    sentence: 'Prints the licences of Coffer and of all software in the executable.',
    run: async (_, { print }) => {
      const text = embeddedFile('licences.txt')
      if (!text)
        throw new StartupProblem(
          'Only the executable contains all licences: see LICENSE and node_modules instead.',
        )
      print(text.toString())
    },
  },
  version: { sentence: 'Prints the version.', run: async (_, { print }) => print(`coffer ${version}`) },
}
