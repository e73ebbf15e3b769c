// At a terminal, tap's own reporter shows the run. It runs in a process of its own, which it ends when it has drawn the
// end. The run sends the number of files, then each file that starts, and each that has ended.
import { PassThrough } from 'node:stream'
import { report } from '@tapjs/reporter'
import { TapFile, t } from 'tap'

/** What the run sends: a file with its output has ended. */
export type TerminalMessage = { files: number } | { file: string; text?: string }

const streams = new Map<string, PassThrough>()

process.on('message', (message: TerminalMessage) => {
  if ('files' in message) void start(message.files)
  else if (message.text === undefined) add(message.file)
  else streams.get(message.file)?.end(message.text)
})

async function start(files: number): Promise<void> {
  // Without these two lines, tap would print the results itself.
  t.register()
  t.resume()
  // tap does not wait for messages, so the process waits for them until the end.
  process.channel?.ref()
  t.once('complete', () => process.disconnect?.())
  t.jobs = Number.POSITIVE_INFINITY
  t.setTimeout(0)
  t.plan(files)
  // The reporter asks for options of tap's command line, all of which have their defaults.
  await report('base', t, { get: () => undefined } as never)
}

function add(file: string): void {
  const tapStream = new PassThrough()
  streams.set(file, tapStream)
  void t.sub(TapFile, { name: file, tapStream, buffered: true })
}
