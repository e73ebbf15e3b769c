import { type ComponentType, useEffect, useReducer } from 'react'

/**
 * A component whose code comes when it is first needed. React.lazy would hold the page back for 300 ms behind its
 * fallback; this shows nothing until the code is there and then shows it at once.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let View: ComponentType<Props> | undefined
  const fetchView = async () => {
    View ??= await load()
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each lazy view, at the top of a module.
  function Later(props: Props) {
    const [, redraw] = useReducer((count: number) => count + 1, 0)
    useEffect(() => {
      if (!View) void fetchView().then(redraw, location.reload.bind(location))
    }, [])
    return View ? <View {...props} /> : null
  }
  return Object.assign(Later, {
    /** Fetches the code ahead of time. */
    preload: fetchView,
  })
}
