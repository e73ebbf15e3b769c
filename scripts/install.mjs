// Runs on any installed Node (20 or newer), before packages are installed. So it uses only built-in modules.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

const top = path.resolve(import.meta.dirname, '..')
const modules = path.join(top, 'node_modules')

/** Installs the packages of package-lock.json in exactly those versions, unless they are installed already. */
export async function install() {
  process.chdir(top)
  if (isInstalled()) return
  console.log('Installing the packages of package-lock.json. This is done once.')
  // No install script runs: a package that is taken over must not run on the machine of every contributor.
  const code = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  // The plugins of tap are built into node_modules, which is new.
  rmSync(path.join(top, '.tap', 'plugins'), { recursive: true, force: true })
  if (code !== 0) process.exit(code)
}

/** Returns the path of our own Node, which npm installed for this machine. */
export function ourNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const machine = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const found = [`node-${machine}`, `node-bin-${machine}`].map((each) =>
    path.join(modules, each, 'bin', name),
  )
  const node = found.find((file) => existsSync(file))
  if (node) return node
  console.error(`package.json has no Node for ${machine}: add node-${machine} to its optionalDependencies.`)
  process.exit(1)
}

/**
 * Runs a program with our Node first in its PATH and forwards signals to it. Returns its exit code. With `onOutput`,
 * its output is printed and also passed there, piece by piece.
 */
export function run(command, args, onOutput) {
  const env = { ...process.env, PATH: `${path.join(modules, '.bin')}${path.delimiter}${process.env.PATH}` }
  const child = spawn(command, args, {
    env,
    stdio: ['inherit', onOutput ? 'pipe' : 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text)
    onOutput(text)
  })
  // The terminal sends Ctrl+C to the child itself. The handler only prevents that the parent ends first.
  const pass = (signal) => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal))
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']
  for (const signal of signals) process.on(signal, pass)
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${command} cannot be started: ${error.message}`)
      resolve(1)
    })
    child.on('close', (code, signal) => {
      for (const each of signals) process.off(each, pass)
      resolve(code ?? (signal ? 128 : 1))
    })
  })
}

/** Whether npm's list of installed packages contains every package of the lock file, in its version. */
function isInstalled() {
  const installedList = path.join(modules, '.package-lock.json')
  if (!existsSync(installedList)) return false
  const required = JSON.parse(readFileSync(path.join(top, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(installedList, 'utf8')).packages
  return Object.entries(required).every(([name, { version, optional, devOptional }]) => {
    if (name === '') return true
    const mayMiss = (optional || devOptional) && !present[name] // for another platform
    return mayMiss || present[name]?.version === version
  })
}
