import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { ChecksumAlgorithm } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { entryOf } from '#web/ui/format/entry-of.ts'
import { Fact } from './fact.tsx'

const algorithms: readonly (readonly [ChecksumAlgorithm, string])[] = [
  ['md5', 'MD5'],
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256'],
  ['sha512', 'SHA-512'],
]

/** Checksums of a file, each computed when it is asked for: the whole file is read for one. */
export function Checksums({ path }: { path: string }) {
  const { t, i18n } = useLingui()
  const [sums, setSums] = useState<Partial<Record<ChecksumAlgorithm, string>>>({})
  const [controller] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [controller])
  const compute = async (algorithm: ChecksumAlgorithm) => {
    const put = (text: string) => setSums((known) => ({ ...known, [algorithm]: text }))
    put('…')
    try {
      const input = { params: { '*': path }, query: { checksum: algorithm } }
      const answer = await api('GET /api/resources/*', input, { signal: controller.signal })
      put(('checksums' in answer && entryOf(answer.checksums ?? {}, algorithm)) || '')
    } catch (error) {
      put(i18n._(problemText(codeOf(error))))
    }
  }
  return algorithms.map(([algorithm, name]) => (
    <Fact key={algorithm} name={name}>
      {sums[algorithm] ? (
        <code aria-live="polite">{sums[algorithm]}</code>
      ) : (
        <Button
          look="quiet"
          label={t`Show`}
          aria-label={t`Show ${name}`}
          onClick={() => compute(algorithm)}
        />
      )}
    </Fact>
  ))
}
