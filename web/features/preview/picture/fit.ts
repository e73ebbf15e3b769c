import { type RefObject, useLayoutEffect, useState } from 'react'

interface Size {
  width: number
  height: number
}

/**
 * How a picture that was fitted upright fits after `quarters` turns to the right: `scale` is the factor for a picture
 * that lies on its side, `pixels` the zoom at which one pixel of the picture is one pixel of the page.
 */
export function fitOf(stage: Size, fitted: Size, natural: Size, quarters: number) {
  if (fitted.width === 0 || fitted.height === 0) return { scale: 1, pixels: 1 }
  const full = natural.width / fitted.width
  const lies = Math.min(stage.width / fitted.height, stage.height / fitted.width, full)
  const scale = quarters % 2 === 0 ? 1 : lies
  return { scale, pixels: full / scale }
}

/** `fitOf` for elements, calculated again when the window changes or the picture has loaded. */
export function useFit(
  stage: RefObject<HTMLElement | null>,
  picture: RefObject<HTMLImageElement | null>,
  quarters: number,
  loaded: string | undefined,
) {
  const [fit, setFit] = useState({ scale: 1, pixels: 1 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a picture has no size before it has loaded.
  useLayoutEffect(() => {
    const element = stage.current
    if (!element) return
    const measure = () => {
      const image = picture.current
      if (!image) return
      const { paddingInlineStart } = getComputedStyle(element)
      const inset = 2 * Number.parseFloat(paddingInlineStart)
      setFit(
        fitOf(
          { width: element.clientWidth - inset, height: element.clientHeight - inset },
          { width: image.offsetWidth, height: image.offsetHeight },
          { width: image.naturalWidth, height: image.naturalHeight },
          quarters,
        ),
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [stage, picture, quarters, loaded])
  return fit
}
