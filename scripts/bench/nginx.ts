import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './peers.ts'
import { find, retryUntil, start } from './run.ts'

/** Starts nginx on `root`, with its logs in `folder`. Returns the port; undefined when nginx is not installed. */
export async function startNginx(root: string, folder: string): Promise<number | undefined> {
  const program = await find('nginx')
  if (!program) return undefined
  await mkdir(folder, { recursive: true })
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(root, folder, port))
  start(program, ['-e', join(folder, 'error.log'), '-c', file])
  const url = `http://127.0.0.1:${port}/probe`
  await retryUntil(() => fetch(url))
  const probe = await fetch(url, { method: 'PUT', body: 'a' })
  await rm(join(root, 'probe'), { force: true })
  if (!probe.ok) console.error(`nginx refuses PUT (${probe.status}): uploads are compared only with dd`)
  return port
}

function configuration(root: string, folder: string, port: number): string {
  // If nginx starts as root, its worker would otherwise run as a user that may not write to our folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `daemon off; worker_processes 1; ${user} pid "${folder}/pid"; error_log "${folder}/error.log";
events {}
http {
  access_log off; sendfile off; client_max_body_size 0;
  client_body_temp_path "${folder}/body"; proxy_temp_path "${folder}/proxy"; fastcgi_temp_path "${folder}/fastcgi";
  uwsgi_temp_path "${folder}/uwsgi"; scgi_temp_path "${folder}/scgi";
  server { listen 127.0.0.1:${port}; root "${root}"; dav_methods PUT; }
}
`
}
