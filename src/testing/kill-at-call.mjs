// Loaded before the program: kills it right before its nth call that changes a folder, once the file `armed` exists
// in its working folder. The file contains n.
import fs from 'node:fs'

const calls = ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'writeFile', 'rm', 'copyFile']
let done = 0

for (const name of calls) count(fs.promises, name)
count(fs, 'renameSync')

function count(module, name) {
  const original = module[name]
  module[name] = (...given) => {
    countCall()
    return original(...given)
  }
}

function countCall() {
  let limit
  try {
    limit = Number(fs.readFileSync('armed', 'utf8'))
  } catch {
    return
  }
  done++
  if (done === limit) process.kill(process.pid, 'SIGKILL')
}
