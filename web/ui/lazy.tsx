import { useLingui } from '@lingui/react/macro'
import { type ComponentType, useEffect, useReducer } from 'react'
import { Button } from './button.tsx'
import { fetchPart } from './fetch-part.ts'
import styles from './lazy.module.css'

/**
 * A component whose code comes when it is first needed. React.lazy would hold the page back for 300 ms behind its
 * fallback; this shows nothing until the code is there and then shows it at once. Code that cannot be fetched is told
 * where it should have been: the page goes on without it, for a reload may lose what the person has begun.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let View: ComponentType<Props> | undefined
  const fetchView = async () => {
    View ??= await fetchPart(load)
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each lazy view, at the top of a module.
  function Later(props: Props) {
    const [state, turn] = useReducer((_: State, next: State) => next, 'coming')
    useEffect(() => {
      if (!View)
        void fetchView().then(
          () => turn('there'),
          () => turn('lost'),
        )
    }, [])
    if (View) return <View {...props} />
    return state === 'lost' ? <Lost /> : null
  }
  return Object.assign(Later, {
    /** Fetches the code ahead of time. */
    preload: fetchView,
  })
}

type State = 'coming' | 'there' | 'lost'

/** Only a page that is loaded anew asks for code again that once could not be had: browsers remember the failure. */
function Lost() {
  const { t } = useLingui()
  return (
    <div className={styles.lost} data-part="lost">
      <p role="alert">{t`Can't reach the server. Check your connection and try again.`}</p>
      <Button label={t`Try again`} onClick={() => location.reload()} />
    </div>
  )
}
