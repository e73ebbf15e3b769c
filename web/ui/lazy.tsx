import { useLingui } from '@lingui/react/macro'
import { type ComponentType, useEffect, useReducer } from 'react'
import { Button } from './button.tsx'
import styles from './lazy.module.css'
import { fetchWithRetry } from './loading/fetch-part.ts'
import { loadLater } from './loading/load-later.ts'

/**
 * A component whose code is loaded when it is first rendered. React.lazy would show its fallback for at least 300 ms.
 * This shows nothing until the code, the messages and the styles have arrived, and then shows it at once. If they cannot
 * be fetched, an error is shown in its place. The page is not reloaded, because the user could lose unsaved changes.
 *
 * @param Waiting stands in for a whole page until its code has arrived
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting?: ComponentType<Props>,
) {
  return lazyView(() => loadLater(load), Waiting)
}

/** Like `lazy`, for a component whose messages and styles belong to the first load. */
export function lazyOfFirstLoad<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting?: ComponentType<Props>,
) {
  return lazyView(() => fetchWithRetry(load), Waiting)
}

function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting: ComponentType<Props> | undefined,
) {
  let View: ComponentType<Props> | undefined
  let fetching: Promise<void> | undefined
  const fetchView = () => {
    fetching ??= load().then(
      (loaded) => {
        View = loaded
      },
      (error: unknown) => {
        fetching = undefined
        throw error
      },
    )
    return fetching
  }

  function Later(props: Props) {
    const [state, turn] = useReducer((_: State, next: State) => next, View ? 'there' : 'coming')
    // Also if the code is there by now: `preload` may have fetched it since this was rendered.
    useEffect(() => {
      void fetchView().then(
        () => turn('there'),
        () => turn('lost'),
      )
    }, [])
    if (View) return <View {...props} />
    if (state === 'lost') return <Lost />
    return Waiting ? <Waiting {...props} /> : null
  }
  return Object.assign(Later, {
    /** Fetches the code ahead of time. */
    preload: fetchView,
  })
}

type State = 'coming' | 'there' | 'lost'

/** Offers a reload, because browsers cache the failure of a dynamic import until the page is loaded again. */
function Lost() {
  const { t } = useLingui()
  return (
    <div className={styles.lost} data-part="lost">
      <p role="alert">{t`Can't reach the server. Check your connection and try again.`}</p>
      <Button label={t`Try again`} onClick={() => location.reload()} />
    </div>
  )
}
