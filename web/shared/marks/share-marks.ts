import { proxy, ref } from 'valtio'

/**
 * The decoded paths of the files and folders to which the user has links, without closing slashes. The feature `shares`
 * sets them.
 */
export const shareMarks = proxy({ paths: ref<ReadonlySet<string>>(new Set()) })
