import { chmodSync, chownSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sandboxTools } from '#src/sandbox/sandbox-start.ts'
import { runInSandbox, type SandboxTrial, startInSandbox } from '#src/testing/in-sandbox.ts'
import { openFolder } from '#src/testing/other-user.ts'
import { hasSandbox } from '#src/testing/sandbox.ts'
import { start } from '#src/testing/start.ts'
import { listen, until } from '#src/testing/wire.ts'

const mebibyte = 1024 ** 2
const isRoot = process.getuid?.() === 0

/** A user's folder, and beside it a file that the sandbox must not reach. All belongs to the user of the sandbox. */
function plantedFor(t: Test, uid: number | undefined) {
  const base = openFolder(t)
  const tree = { root: { ann: { 'a.txt': 'hers' }, bob: { 'secret.txt': 'BOB-CANARY' } } }
  cpSync(t.testdir(tree), base, { recursive: true })
  const root = join(base, 'root/ann')
  for (const path of ['', 'root', 'root/ann', 'root/ann/a.txt', 'root/bob', 'root/bob/secret.txt']) {
    if (uid !== undefined) chownSync(join(base, path), uid, uid)
    if (!path.endsWith('.txt')) chmodSync(join(base, path), 0o755)
  }
  return { base, root, secret: join(base, 'root/bob/secret.txt') }
}

/** Attacks: a script, and the output that it must produce. No output may contain a canary. */
const attacks: [title: string, script: string, says: RegExp][] = [
  ['a neighbour', 'cat ../bob/secret.txt; ls ..', /No such file[\s\S]*^ann$/m],
  ['the disk above', 'ls -A SCOPE/../..; cat SECRET', /^root\n.*No such file/],
  [
    'the first process',
    'cat /proc/1/rootSECRET /proc/1/cwdSECRET; ls /proc/1/root/home',
    /No such file|denied/,
  ],
  ['what others have in their environment', 'cat /proc/*/environ | tr "\\0" "\\n"; echo done', /done$/],
  [
    'descriptors',
    'for f in /proc/self/fd/*; do readlink $f; done | grep -c secret.txt; echo done',
    /^0\ndone$/,
  ],
  ['links', 'ln -s SECRET s; ln -s ../bob r; cat s r/secret.txt; ln SECRET h; rm -f s r', /No such file/],
  ['a folder that is a link', 'mkdir d; ln -s / d/root; ls d/root/home; rm -r d', /No such file/],
  ['processes of the machine', 'ls -d /proc/[0-9]* | wc -l', /^\d$/],
  [
    'mounts',
    'mount -t tmpfs x /tmp; umount /tmp; mount --bind / /tmp; echo $?',
    /(denied|superuser|permitted)[\s\S]*[1-9]\d*$/,
  ],
  ['namespaces of its own', 'unshare -Urm true || echo none', /none$/],
  [
    'programs that change the user',
    'grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status',
    /NoNewPrivs:\s1\nCapEff:\s0+$/,
  ],
  ['a terminal', 'cut -d" " -f7 /proc/self/stat; (: < /dev/tty) || echo none', /^0\n[\s\S]*none$/],
  [
    'settings of the kernel',
    'K=/proc/sys/kernel/core_pattern; (cat $K > $K) || echo none',
    /(Read-only|denied)[\s\S]*none$/,
  ],
  [
    'the system',
    'touch /x /usr/x /etc/x /dev/x /bin/x /etc/passwd; ls /x /usr/x',
    /(Read-only|denied)[\s\S]*No such file/,
  ],
  [
    'the room in memory',
    'head -c 200000000 /dev/zero > /tmp/f; wc -c < /tmp/f',
    /No space left[\s\S]*^67108864$/m,
  ],
  [
    'the shared memory',
    'head -c 200000000 /dev/zero > /dev/shm/f; wc -c < /dev/shm/f',
    /No space left[\s\S]*^16777216$/m,
  ],
  ['memory', 'dd if=/dev/zero of=/dev/null bs=600M count=1', /memory exhausted|cannot allocate/i],
  ['open files', 'ulimit -n; ulimit -Hn 4096 || echo none', /^1024\n[\s\S]*none/],
  [
    'large files',
    'truncate -s 5G big; ls -l big | grep -c .; rm -f big',
    /File (too large|size limit exceeded)/,
  ],
  [
    'the network',
    'bash -c "cat < /dev/tcp/127.0.0.1/PORT"; grep -c : /proc/net/dev',
    /refused|unreachable[\s\S]*1$/i,
  ],
  ['sockets without a file', 'grep -c coffer-abstract /proc/net/unix', /^0$/],
  ['its own folder', 'cat a.txt; echo -n new > b.txt; cat b.txt', /^hersnew$/],
]

/** The kernel refuses a user more processes. For root the server ends a command with too many of them. */
const forkBomb = 'i=0; while [ $i -lt 400 ]; do sleep 100 & i=$((i+1)); done; wait; echo all'

for (const tool of sandboxTools) {
  for (const uid of isRoot ? [undefined, 4321] : [undefined]) {
    t.test(
      `a command in a sandbox of ${tool} reaches nothing but its folder${uid ? ', also without root' : ''}`,
      async (t) => {
        const { base, root, secret } = plantedFor(t, uid)
        const written = attacks.map(([, script]) =>
          script.replaceAll('SCOPE', root).replaceAll('SECRET', secret),
        )
        const scripts = [...written, forkBomb]
        const trial: SandboxTrial = {
          tool,
          root,
          held: secret,
          memory: 512 * mebibyte,
          hasNetwork: false,
          scripts,
        }
        const tried = await runInSandbox(trial, uid)
        if ('missing' in tried) {
          t.pass(`no sandbox here: ${tried.missing}`)
          return
        }
        for (const [at, [title, , says]] of attacks.entries()) {
          const said = tried[at]?.said ?? ''
          t.match(said, says, title)
          t.notMatch(said, /CANARY/, title)
        }
        const { said, stopped } = tried.at(-1) ?? {}
        if (isRoot && uid === undefined) t.equal(stopped, 'processes')
        else t.match(said, /fork|Resource temporarily unavailable/i, 'processes')
        t.notMatch(said, /all/)
        t.notOk(existsSync('/x') || existsSync('/usr/x'))
        t.ok(existsSync(join(root, 'b.txt')))
        t.notOk(existsSync(join(base, 'root/bob/h')))
      },
    )
  }

  t.test(`commands in a sandbox of ${tool} reach the network if it is allowed`, async (t) => {
    const { root, secret } = plantedFor(t, undefined)
    const scripts = ['bash -c "cat < /dev/tcp/127.0.0.1/PORT"']
    const tried = await runInSandbox(
      { tool, root, held: secret, memory: 512 * mebibyte, hasNetwork: true, scripts },
      undefined,
    )
    if ('missing' in tried) t.pass(`no sandbox here: ${tried.missing}`)
    else t.match(tried[0]?.said, /ANSWER-CANARY/)
  })
}

/** Ids of processes whose command line contains this word. */
const withWord = (word: string) =>
  readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })

for (const tool of sandboxTools) {
  t.test(
    `a command in a sandbox of ${tool} ends with the server, also if the server is killed`,
    async (t) => {
      if (!(await hasSandbox(tool))) {
        t.pass('no sandbox here')
        return
      }
      const { root, secret } = plantedFor(t, undefined)
      const seconds = String(100_000 + Math.floor(Math.random() * 100_000))
      const scripts = [`setsid sleep ${seconds} & trap '' TERM; sleep ${seconds}`]
      const trial = { tool, root, held: secret, memory: 512 * mebibyte, hasNetwork: false, scripts }
      const { child, ended } = startInSandbox(trial, undefined)
      await until(() => withWord(seconds).filter((id) => nameOf(id) === 'sleep').length === 2)
      child.kill('SIGKILL')
      await ended
      await until(() => withWord(seconds).length === 0)
      t.pass('no process is left')
    },
  )

  t.test(`no process of a command outlives its socket in a sandbox of ${tool}`, async (t) => {
    if (!(await hasSandbox(tool))) {
      t.pass('no sandbox here')
      return
    }
    const seconds = String(100_000 + Math.floor(Math.random() * 100_000))
    const people = { ann: { perm: { execute: true }, commands: ['sh'] } }
    const made = await start(t, {
      people,
      sandbox: tool,
      config: { enableExec: true, execWithoutSandbox: false },
    })
    const port = await listen(made.app)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command/?auth=${await made.login('ann')}`)
    socket.addEventListener('open', () => {
      socket.send(`sh -c "setsid nohup sleep ${seconds} & trap '' TERM HUP; sleep ${seconds}"`)
    })
    await until(() => withWord(seconds).filter((id) => nameOf(id) === 'sleep').length === 2)
    socket.close()
    await until(() => withWord(seconds).length === 0)
    t.pass('no process is left')
  })
}

function nameOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
