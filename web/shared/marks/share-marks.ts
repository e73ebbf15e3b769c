import { proxy, ref } from 'valtio'

/**
 * What the user has shared: decoded paths without closing slashes, and the state of the links in words. The feature
 * `shares` sets them.
 */
export const shareMarks = proxy({ texts: ref<ReadonlyMap<string, string>>(new Map()) })
