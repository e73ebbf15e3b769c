import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { readResource } from '#web/api/origin.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { foldersIn } from '#web/features/files/crumb-menu.tsx'
import { files } from '#web/features/files/state/files-state.ts'
import { pathField } from '#web/shared/names/path-field-state.ts'
import { navigateTo, pageOf, parentOf } from '#web/shared/paths.ts'
import styles from './path-field.module.css'

/** The path as a text field, with suggestions. Enter goes there. */
export function PathField() {
  const { t, i18n } = useLingui()
  const [text, setText] = useState(files.path)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const suggestions = useSuggestions(text)
  useFocus(field)

  async function go() {
    if (isBusy) return
    setBusy(true)
    try {
      const path = await existingPath(text)
      close()
      navigateTo(pageOf(path))
    } catch (reason) {
      setError(i18n._(problemText(codeOf(reason))))
      setBusy(false)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') void go()
    else if (event.key === 'Escape') close()
  }

  return (
    <div className={styles.place}>
      <input
        ref={field}
        className={styles.field}
        dir="ltr"
        list="path-suggestions"
        aria-label={t`Path`}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? 'path-error' : undefined}
        aria-busy={isBusy || undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setError(undefined)
        }}
        onKeyDown={onKeyDown}
        onBlur={({ target }) => {
          // A window that loses the focus does not close the field.
          if (document.activeElement !== target) pathField.isOpen = false
        }}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <datalist id="path-suggestions">
        {suggestions.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {error && (
        <p id="path-error" role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}

function close(): void {
  pathField.isOpen = false
  document.querySelector<HTMLElement>('[data-part=list]')?.focus({ preventScroll: true })
}

/** Returns the path of what `text` names; folders end with a slash. @throws ApiProblem when there is no such item. */
async function existingPath(text: string): Promise<string> {
  const typed = `/${text.trim().replace(/^\/+/, '')}`
  const answer = await readResource(typed, { signal: AbortSignal.timeout(60_000) })
  return 'items' in answer ? typed.replace(/\/*$/, '/') : typed.replace(/\/+$/, '')
}

/** The folders whose paths begin with the typed text. */
function useSuggestions(text: string): readonly string[] {
  const [found, setFound] = useState<readonly string[]>([])
  const folder = text.endsWith('/') ? text : parentOf(text)
  useEffect(() => {
    const controller = new AbortController()
    foldersIn(folder.startsWith('/') ? folder : `/${folder}`, controller.signal).then(
      (folders) => setFound(folders.map(({ path }) => path)),
      // A folder that is not there has no suggestions. Enter says so.
      () => controller.signal.aborted || setFound([]),
    )
    return () => controller.abort()
  }, [folder])
  return found
}

/** Focuses the field with the whole path selected: when the menu that opened it has closed. */
function useFocus(field: React.RefObject<HTMLInputElement | null>): void {
  useLayoutEffect(() => {
    let frame = 0
    const focus = () => {
      if (document.querySelector('[data-part=menu]')) {
        frame = requestAnimationFrame(focus)
        return
      }
      field.current?.focus()
      field.current?.select()
    }
    focus()
    return () => cancelAnimationFrame(frame)
  }, [field])
}
