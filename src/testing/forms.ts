import type { InjectOptions, LightMyRequestResponse } from 'fastify'

type Call = (method: string, url: string, rest?: Partial<InjectOptions>) => Promise<LightMyRequestResponse>

/** Makes a form (RFC 7578) with a field and these files. A file may have a date, in a field before it. */
export function formOf(
  ...files: readonly (readonly [name: string, content: string, mtime?: string])[]
): FormData {
  const form = new FormData()
  form.append('comment', 'not a file')
  for (const [name, content, mtime] of files) {
    if (mtime !== undefined) form.append('mtime', mtime)
    form.append('file', new Blob([content]), name)
  }
  return form
}

/** Returns a function that sends a form with `call`. */
export function formSender(call: Call) {
  return async (url: string, form: FormData, headers: Record<string, string> = {}) => {
    const request = new Request('http://x/', { method: 'POST', body: form })
    const type = { 'content-type': request.headers.get('content-type') ?? '' }
    return call('POST', url, {
      payload: Buffer.from(await request.arrayBuffer()),
      headers: { ...headers, ...type },
    })
  }
}
