import { Plural, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { entriesBelow } from '#web/api/search/search.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber, formatSize } from '#web/ui/format/format.ts'
import { DescriptionEntry } from './fact.tsx'

interface DeepSizeProps {
  /** The decoded paths of the folders. */
  paths: readonly string[]
  /** The selected files to add: their size in bytes and their number. */
  more?: { size: number; files: number }
}

const nothing = { size: 0, files: 0 }

/**
 * The total size of folders, computed on request, because the server must read everything below them. Closing aborts
 * it.
 */
export function TotalSize({ paths, more = nothing }: DeepSizeProps) {
  const { t, i18n } = useLingui()
  const [sum, setSum] = useState<{ size: number; files: number }>()
  const [isDone, setDone] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [controller] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [controller])
  const count = async () => {
    const total = { ...more }
    setSum({ ...total })
    try {
      for (const path of paths) {
        for await (const entries of entriesBelow(path, controller.signal)) {
          const files = entries.filter((entry) => !entry.isDir)
          total.files += files.length
          total.size += files.reduce((size, file) => size + file.size, 0)
          setSum({ ...total })
        }
      }
      setDone(true)
    } catch (error) {
      if (!controller.signal.aborted) setFailure(i18n._(problemText(codeOf(error))))
    }
  }
  return (
    <DescriptionEntry name={t`Total size`}>
      {failure ?? (
        <>
          {!sum && <Button variant="quiet" label={t`Calculate`} onClick={count} />}
          {sum && (
            <span role="status">
              {formatSize(sum.size, i18n.locale)}
              {sum.size > 1023 && t` (${formatNumber(sum.size, i18n.locale)} bytes)`}
              {' · '}
              <Plural value={sum.files} one="# file" other="# files" />
              {!isDone && ' …'}
            </span>
          )}
        </>
      )}
    </DescriptionEntry>
  )
}
