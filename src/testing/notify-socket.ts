import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { killAfter } from './kill-after.ts'
import { systemTool } from './system-tool.ts'

// Node cannot receive datagrams of the Unix family. Like systemd, it reads the process id of the sender.
const receiver = `
import json, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
path = sys.argv[1]
s.bind("\\0" + path[1:] if path[0] == "@" else path)
print(json.dumps({"text": "listening", "pid": 0}), flush=True)
while True:
    data, control, _, _ = s.recvmsg(4096, 1024)
    pid = struct.unpack("3i", control[0][2])[0]
    print(json.dumps({"text": data.decode(), "pid": pid}), flush=True)
`

/** A message that the service manager has received, and the process that has sent it. */
export interface NotifyMessage {
  text: string
  pid: number
}

/**
 * Receives messages as the service manager does. Undefined: this system has no Python.
 *
 * @param path the socket; undefined: a new file
 */
export async function openNotifySocket(t: Test, path?: string) {
  if (spawnSync(systemTool('python3'), ['--version']).status !== 0) return undefined
  // The path of a socket must be short, and the folder of a test is deep.
  const folder = mkdtempSync(join(tmpdir(), 'coffer-'))
  const socket = path ?? join(folder, 'notify')
  const child = spawn(systemTool('python3'), ['-c', receiver, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => rmSync(folder, { recursive: true }))
  killAfter(t, child)
  const messages: NotifyMessage[] = []
  const lines = createInterface({ input: child.stdout })
  const listening = once(lines, 'line')
  lines.on('line', (line) => messages.push(JSON.parse(line)))
  await listening
  messages.length = 0
  return { socket, messages }
}
